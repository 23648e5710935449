"""Repairing a conversation in the form of OpenAI's Chat Completions: each rule once.

An assistant message and everything up to the next one are repaired together, so that the results of
its calls can be moved directly after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from app.formats.alternation import Alternating
from app.formats.markers import ORPHAN_TEXT, UNANSWERED_TEXT
from app.formats.repairs import (
    Ids,
    Mended,
    Mender,
    Mending,
    Message,
    Pairs,
    PairsAnew,
    Repair,
    id_text,
    plan_mending,
    safe_name,
    scrubbed,
)
from app.model import compact_json

LONGEST_ID: Final = 40
LONGEST_NAME: Final = 64

_bad_in_name = re.compile(r"[\s<|\\/>]")


def mend_openai_chat(pairs: PairsAnew, *, alternate: bool = False) -> Mending:
    """The repairs that a conversation in the form of Chat Completions needs.

    `alternate` joins consecutive messages of one role.
    """

    def mender() -> Mender:
        return Alternating(ChatMender()) if alternate else ChatMender()

    return plan_mending(pairs, mender(), mender)


class ChatMender:
    """One pass over a conversation."""

    def __init__(self) -> None:
        self.repairs: list[Repair] = []

    def _note(self, word: str, key: str, detail: str) -> None:
        self.repairs.append(Repair(word, key, detail))

    def run(self, pairs: Pairs) -> Iterator[Mended]:
        """Every message once, with added ones in between."""
        stretch: list[tuple[str, Message]] = []
        for key, message in pairs:
            if message.get("role") == "assistant" and stretch:
                yield from self._stretch(stretch)
                stretch = []
            stretch.append((key, message))
        if stretch:
            yield from self._stretch(stretch)

    def _stretch(self, stretch: Sequence[tuple[str, Message]]) -> Iterator[Mended]:
        """The messages from one assistant message (if there is one) up to the next."""
        clean = [(key, message, self._clean(key, message)) for key, message in stretch]
        key, original, first = clean[0]
        open_ids: dict[str, list[str]] = {}
        function: Any = None
        if first.get("role") == "assistant":
            first, open_ids = self._calls(key, first)
            function = first.get("function_call")
            yield Mended(key, first, first is not original)
            clean = clean[1:]
        answers, others = self._sorted(clean, open_ids, function)
        yield from answers
        for ident in (ident for given in open_ids.values() for ident in given):
            self._note("open-call", key, "a tool call had no result")
            yield _made({"role": "tool", "tool_call_id": ident, "content": UNANSWERED_TEXT})
        if function is not None and not any(m.message and m.message["role"] == "function" for m in answers):
            self._note("open-call", key, "a function call had no result")
            yield _made({"role": "function", "name": function["name"], "content": UNANSWERED_TEXT})
        yield from others

    def _sorted(
        self, clean: Sequence[tuple[str, Message, Message]], open_ids: dict[str, list[str]], function: Any
    ) -> tuple[list[Mended], list[Mended]]:
        """The results of the calls, and what goes after them; answered ids are removed from `open_ids`."""
        answers: list[Mended] = []
        others: list[Mended] = []
        called = function is not None
        for key, original, message in clean:
            role = message.get("role")
            answer = (
                message if role == "function" and called and message.get("name") == function["name"] else None
            )
            called = called and answer is None
            given = open_ids.get(id_text(message.get("tool_call_id"))) if role == "tool" else None
            if given:
                ident = given.pop(0)
                answer = (
                    message if ident == message.get("tool_call_id") else {**message, "tool_call_id": ident}
                )
            if answer is not None:
                if others:
                    self._note("result-order", key, "a tool result came after other messages")
                answers.append(Mended(key, answer, answer is not original or bool(others)))
            elif role in ("tool", "function"):
                detail = (
                    "a tool call was answered twice" if given is not None else "a tool result had no call"
                )
                self._note("orphan-result", key, detail)
                others.append(Mended(key, _as_words(message), True))
            else:
                others.append(Mended(key, message, message is not original))
        return answers, others

    def _clean(self, key: str, message: Message) -> Message:
        """A message repaired on its own; the same object if it breaks no rule."""
        message, words = scrubbed(message)
        for word in words:
            self._note(word, key, "a value that a request cannot contain")
        role, name = message.get("role"), message.get("name")
        if (
            name is not None
            and role != "function"
            and (not isinstance(name, str) or _bad_in_name.search(name) or not name)
        ):
            self._note("bad-name", key, "a name that the provider refuses")
            better = _bad_in_name.sub("_", name) if isinstance(name, str) else ""
            message = _without(message, "name") if not better else {**message, "name": better}
        if role == "assistant":
            message = self._clean_calls(key, message)
        return self._clean_content(key, message)

    def _clean_calls(self, key: str, message: Message) -> Message:
        calls = message.get("tool_calls")
        if calls is not None:
            kept = [self._call(key, call) for call in calls] if isinstance(calls, list) else []
            good = [call for call in kept if call is not None]
            if not good:
                self._note("empty-content", key, "a list of tool calls without a call")
                message = _without(message, "tool_calls")
            elif len(good) != len(calls) or any(a is not b for a, b in zip(good, calls, strict=True)):
                message = {**message, "tool_calls": good}
        function = message.get("function_call")
        if function is not None:
            better = None if message.get("tool_calls") else self._function(key, function)
            if better is None:
                self._note("block-order", key, "a function call that cannot be sent")
                message = _without(message, "function_call")
            elif better is not function:
                message = {**message, "function_call": better}
        return message

    def _call(self, key: str, call: Any) -> Message | None:
        if isinstance(call, dict):
            kind = "custom" if call.get("type") == "custom" else "function"
            body = call.get(kind)
            if call.get("type", "function") not in ("custom", "function"):
                return call
            better = self._custom(key, body) if kind == "custom" else self._function(key, body)
            if better is not None:
                return call if better is body else {**call, kind: better}
        self._note("not-a-record", key, "something other than a tool call was in its place")
        return None

    def _function(self, key: str, body: Any) -> Message | None:
        if not isinstance(body, dict):
            return None
        function = self._named(key, body)
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            return function
        self._note("input-not-object", key, "the arguments of a tool call were not a string")
        return {**function, "arguments": "{}" if arguments is None else compact_json(arguments)}

    def _custom(self, key: str, body: Any) -> Message | None:
        if not isinstance(body, dict):
            return None
        custom = self._named(key, body)
        given = custom.get("input")
        if isinstance(given, str):
            return custom
        self._note("input-not-object", key, "the input of a tool call was not a string")
        return {**custom, "input": "" if given is None else compact_json(given)}

    def _named(self, key: str, function: Message) -> Message:
        name = function.get("name")
        safe = safe_name(name, LONGEST_NAME)
        if safe == name:
            return function
        self._note("bad-tool-name", key, "a tool name that the provider refuses")
        return {**function, "name": safe}

    def _clean_content(self, key: str, message: Message) -> Message:
        content = message.get("content")
        if isinstance(content, str):
            return message
        if content is None:
            excused = any(message.get(name) for name in ("tool_calls", "function_call", "refusal", "audio"))
            if message.get("role") == "assistant" and excused:
                return message
            self._note("empty-content", key, "a message had no content")
            return {**message, "content": ""}
        if isinstance(content, list):
            parts = [better for part in content if (better := self._part(key, part)) is not None]
            if (
                parts
                and len(parts) == len(content)
                and all(a is b for a, b in zip(parts, content, strict=True))
            ):
                return message
            if not content:
                self._note("empty-content", key, "a message had no content")
            return {**message, "content": parts or ""}
        self._note("empty-content", key, "the content was neither text nor parts")
        return {**message, "content": compact_json(content)}

    def _part(self, key: str, part: Any) -> Message | None:
        if isinstance(part, dict) and isinstance(part.get("type"), str):
            if part["type"] != "text" or isinstance(part.get("text"), str):
                return part
            self._note("empty-text", key, "a text part without text")
            return None
        self._note("not-a-record", key, "something other than a part was in its place")
        return {"type": "text", "text": part} if isinstance(part, str) and part.strip() else None

    def _calls(self, key: str, message: Message) -> tuple[Message, dict[str, list[str]]]:
        """The message with valid ids, and the original ids of its calls, each with its new ids."""
        calls = message.get("tool_calls") or []
        ids = Ids(longest=LONGEST_ID, any_sign=True)
        given: dict[str, list[str]] = {}
        better: list[Message] = []
        for call in calls:
            ident = call.get("id")
            new = ids.take(ident)
            given.setdefault(id_text(ident), []).append(new)
            better.append(call if new == ident else {**call, "id": new})
            if new != ident:
                bad = not ids.good(ident)
                word = "unsafe-id" if bad else "duplicate-call-id"
                self._note(
                    word, key, "a tool id that the provider refuses" if bad else "a tool id was used twice"
                )
        if any(new is not call for new, call in zip(better, calls, strict=True)):
            message = {**message, "tool_calls": better}
        return message, given


def _function_answer(message: Message, name: str) -> Message | None:
    """A function message, renamed to the call's new name if needed, if it answers the call `name`."""
    if message.get("name") == name:
        return message
    return {**message, "name": name} if safe_name(message.get("name"), LONGEST_NAME) == name else None


def _made(message: Message) -> Mended:
    return Mended(None, message, True)


def _without(message: Message, name: str) -> Message:
    return {key: value for key, value in message.items() if key != name}


def _as_words(message: Message) -> Message:
    """A result without a call as a user message of plain text."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    words = "\n".join((ORPHAN_TEXT, *filter(None, texts)))
    return {**_without(_without(message, "tool_call_id"), "name"), "role": "user", "content": words}
