"""Sessions in the providers' own forms: a whole request as one document, or one message a line."""

from __future__ import annotations

import json
from typing import Any

from .ids import seal, token
from .picture import picture
from .transcript import compact

Message = dict[str, Any]


def document(value: Any) -> bytes:
    """A pretty-printed JSON document."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def lines(messages: list[Message]) -> bytes:
    """One message a line."""
    return "".join(compact(message) + "\n" for message in messages).encode()


# ---- Anthropic Messages


def thought(text: str) -> Message:
    return {"type": "thinking", "thinking": text, "signature": seal(240, text)}


def said(text: str) -> Message:
    return {"type": "text", "text": text}


def use(name: str, **asked: Any) -> Message:
    return {"type": "tool_use", "id": token("toolu_01", name, compact(asked)), "name": name, "input": asked}


def result(call: Message, content: Any, **more: Any) -> Message:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content, **more}


def image(rows: list[str]) -> Message:
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": picture(rows)[0]},
    }


READINGS = [
    {"hour": f"{hour:02d}:00", "celsius": round(4.5 + (hour - 4) * 0.61, 1), "wind": 3 + hour * 7 % 11}
    for hour in range(24)
]
WEATHER_TOOLS = [
    {
        "name": "read_sensor",
        "description": "Hourly readings of one day from the station on the roof.",
        "input_schema": {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]},
    },
    {
        "name": "plot",
        "description": "Draw readings as a picture.",
        "input_schema": {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]},
    },
    {
        "name": "send_note",
        "description": "Send a note to a person.",
        "input_schema": {
            "type": "object",
            "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
            "required": ["to", "text"],
        },
        "cache_control": {"type": "ephemeral"},
    },
]


def turn(role: str, *content: Message) -> Message:
    return {"role": role, "content": list(content)}


def weather_talk() -> list[Message]:
    """Whether the lanterns can stay out tonight."""
    today, yesterday = use("read_sensor", day="today"), use("read_sensor", day="yesterday")
    drawing = use("plot", what="wind today")
    words = "Lanterns in by eight: wind of 13 m/s from nine on."
    note, again = use("send_note", to="shop", text=words), use("send_note", to="shop-team", text=words)
    asked = (
        "Can the paper lanterns stay on the balcony tonight? They look like this now. Never more than 10 m/s."
    )
    limit = "The limit is 10 m/s. I need the wind of today, and yesterday's to see how evenings go."
    gap = "4 readings are missing: the station was being cleaned."
    return [
        turn("user", said(asked), image(["LANTERNS", "OUT 12 IN 0"])),
        turn("assistant", thought(limit), said("I'll compare today with yesterday."), today, yesterday),
        turn(
            "user",
            result(today, json.dumps(READINGS, indent=1)),
            result(yesterday, [said(json.dumps(READINGS[:20])), said(gap)]),
        ),
        turn("assistant", thought("A picture will show the evening best."), drawing),
        turn("user", result(drawing, [said("wind today, m/s"), image(["0-5-9-6", "13 AT 21"])])),
        turn("assistant", thought("13 at nine is over the limit; tell the shop."), note),
        turn("user", result(note, "No such person: shop. Did you mean shop-team?", is_error=True)),
        turn("assistant", again),
        turn("user", result(again, "sent")),
        turn(
            "assistant",
            said("No: from nine on the wind reaches 13 m/s, over your 10. I have told the shop-team."),
        ),
        {"role": "user", "content": "谢谢！明天早上再提醒我一次，但是不要在七点之前。"},
    ]


def weather_request() -> bytes:
    """`anthropic-messages.json`: a whole request, with tools, thinking and pictures."""
    system = [
        {"type": "text", "text": "You look after the balcony of a small shop."},
        {
            "type": "text",
            "text": "Answer in the language of the question.",
            "cache_control": {"type": "ephemeral"},
        },
    ]
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4096,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
    }
    return document({**request, "system": system, "tools": WEATHER_TOOLS, "messages": weather_talk()})


def bread_lines() -> bytes:
    """`anthropic-messages.jsonl`: a timetable for bread, one message a line."""
    convert, timer = use("convert", cups=3, of="flour"), use("set_timer", minutes=45, label="first fold")
    late = use("set_timer", minutes=-20, label="second fold")
    messages: list[Message] = [
        {
            "role": "user",
            "content": "I have three cups of flour and want bread at seven. No scales before tomorrow.",
        },
        {
            "role": "assistant",
            "content": [said("First the flour in grams, and a timer for the first fold."), convert, timer],
        },
        {
            "role": "user",
            "content": [result(timer, "set"), result(convert, '{"grams": 375, "water": 263, "salt": 8}')],
        },
        {
            "role": "assistant",
            "content": "375 g of flour, 263 g of water: a large glass. The first fold is in 45 minutes.",
        },
        {"role": "user", "content": [said("And the second? I may be late.")]},
        {"role": "assistant", "content": [late]},
        {
            "role": "user",
            "content": [result(late, "minutes must be positive", is_error=True), said("(I am back, sorry)")],
        },
        {"role": "assistant", "content": "Then fold it now. It forgives twenty minutes, not forty."},
    ]
    return lines(messages)


# ---- OpenAI Chat Completions


def calls(*wanted: tuple[str, dict[str, Any]], content: str | None = None) -> Message:
    """An assistant message that calls tools."""
    made = [
        {
            "id": token("call_", name, compact(asked)),
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(asked, ensure_ascii=False)},
        }
        for name, asked in wanted
    ]
    return {"role": "assistant", "content": content, "tool_calls": made}


def answers(call: Message, *contents: Any) -> list[Message]:
    """The tool messages that answer an assistant's calls, in order."""
    return [
        {"role": "tool", "tool_call_id": made["id"], "content": content}
        for made, content in zip(call["tool_calls"], contents, strict=True)
    ]


def train_request() -> bytes:
    """`openai-chat.json`: a day trip with bicycles."""
    there = calls(
        ("find_trains", {"from": "Lantern Street", "to": "Seaside", "date": "2026-12-05"}),
        ("tide", {"place": "Seaside"}),
    )
    trains = [
        {"leaves": f"{hour:02d}:{hour * 7 % 60:02d}", "hours": 2, "bicycles": hour % 3}
        for hour in range(6, 20)
    ]
    back = calls(
        ("find_trains", {"from": "Seaside", "to": "Lantern Street", "date": "2026-12-05", "after": "17:00"}),
        content="",
    )
    book = calls(
        ("reserve", {"train": "08:56", "bicycles": 2}), content="I'll reserve two places for the bicycles."
    )
    picture_url = "data:image/png;base64," + picture(["2 BICYCLES", "1 TENT"])[0]
    parts = [
        {
            "type": "text",
            "text": "We want to go to the sea on Saturday with what you see here. 不要坐早于七点的车。",
        },
        {"type": "image_url", "image_url": {"url": picture_url, "detail": "low"}},
    ]
    messages: list[Message] = [
        {"role": "developer", "content": "You plan trips. Book nothing without being asked."},
        {"role": "user", "content": parts, "name": "mei"},
        there,
        *answers(there, json.dumps({"trains": trains}), "low water at 11:40"),
        {
            "role": "assistant",
            "content": "The train at 08:56 takes bicycles and is there at 10:56, before low water. One back?",
            "refusal": None,
        },
        {
            "role": "user",
            "content": "Yes, after five. Then reserve the bicycles, but only for the way there.",
        },
        back,
        *answers(back, [{"type": "text", "text": json.dumps({"trains": trains[11:]})}]),
        book,
        *answers(book, '{"error": "no places left on 08:56"}'),
        {
            "role": "assistant",
            "content": "The train at 08:56 has no place for bicycles left. I have booked nothing.",
        },
    ]
    parameters = {"type": "object", "properties": {}, "additionalProperties": True}
    tools = [
        {"type": "function", "function": {"name": name, "description": words, "parameters": parameters}}
        for name, words in (
            ("find_trains", "Trains of a day."),
            ("tide", "High and low water."),
            ("reserve", "Book bicycles."),
        )
    ]
    return document({"model": "gpt-5.5", "messages": messages, "tools": tools, "parallel_tool_calls": True})


def library_lines() -> bytes:
    """`openai-chat.jsonl`: a book that nobody can find, one message a line."""
    search = calls(("search_catalogue", {"title": "灯笼史", "author": None}))
    shelf = calls(("walk_to", {"shelf": "K 7"}), ("walk_to", {"shelf": "K 8"}))
    messages: list[Message] = [
        {"role": "system", "content": "You help readers of a small library."},
        {"role": "user", "content": "I am looking for 灯笼史, a history of lanterns. The cover is red."},
        search,
        *answers(search, '[{"title": "灯笼史", "shelf": "K 7", "lent": false}]'),
        {"role": "assistant", "content": "It should be on shelf K 7. I'll look there, and on the next one."},
        {"role": "user", "content": "Thank you. It is often put back one too far."},
        shelf,
        *answers(shelf, "27 books, none of them red", "31 books, one of them red: 灯笼史"),
        {
            "role": "assistant",
            "content": "It was on K 8, one too far, as you said. It is waiting for you at the desk.",
        },
    ]
    return lines(messages)


# ---- Gemini


def content(role: str, *parts: Any) -> Message:
    """A content; bare strings are its texts."""
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def function(name: str, **asked: Any) -> Message:
    return {"functionCall": {"name": name, "args": asked}, "thoughtSignature": seal(120, compact(asked))}


def response(name: str, **told: Any) -> Message:
    return {"functionResponse": {"name": name, "response": told}}


def garden_request() -> bytes:
    """`gemini-contents.json`: beds to be watered; calls without ids, told apart by their order."""
    beds = [{"bed": number, "moist": number * 37 % 50, "plant": "beans"} for number in range(1, 25)]
    view = {"inlineData": {"mimeType": "image/png", "data": picture(["BED 7", "DRY"])[0]}}
    contents = [
        content("user", "Which beds need water today? Leave bed 3 alone, whatever the sensors say."),
        content(
            "model",
            {"text": "The sensors, and a look at bed 7.", "thought": True},
            "I'll read the sensors of both gardens and look at bed 7.",
            function("read_beds", garden="north"),
            function("read_beds", garden="south"),
            function("look", bed=7),
        ),
        content(
            "user",
            response("read_beds", output=json.dumps(beds, indent=1)),
            response("read_beds", error="the south garden does not answer"),
            response("look", output="a picture from this morning"),
            view,
        ),
        content(
            "model", "Beds 7, 14 and 23 are dry. South does not answer.", function("water", beds=[7, 14, 23])
        ),
        content("user", response("water", output={"litres": 42, "minutes": 11})),
        content("model", "Done: 42 litres for beds 7, 14 and 23. Bed 3 was left alone."),
    ]
    system = {"parts": [{"text": "You look after two gardens."}]}
    return document(
        {"systemInstruction": system, "contents": contents, "generationConfig": {"temperature": 0.20}}
    )


PLAIN = {
    "anthropic-messages.json": weather_request,
    "anthropic-messages.jsonl": bread_lines,
    "gemini-contents.json": garden_request,
    "openai-chat.json": train_request,
    "openai-chat.jsonl": library_lines,
}
