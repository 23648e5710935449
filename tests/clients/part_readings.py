"""How contents of the Gemini API are compared, with what was sent as such or as Chat Completions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from tests.clients.mock import PROMPT
from tests.clients.readings import Turn, as_json, words_of

Block: TypeAlias = Mapping[str, Any]

_TWICE_NAMED: Final = re.compile(r"(.+)__(\1_\d+_\d+)")
"""The id of a call as Gemini CLI keeps it; it sends what stands behind the lines."""


class PartsReading:
    """Runs of one role are joined; a call is its id, name and arguments, a result its id and what it says."""

    CONTEXT: Final = ("<session_context>",)
    """How the texts begin that a client puts before everything."""

    def turns(self, conversation: Iterable[Any]) -> list[Turn]:
        """Without thoughts, seals, reminders and white space behind texts."""
        joined: list[Turn] = []
        for message in conversation:
            role = "model" if message.get("role") in ("model", "assistant") else "user"
            blocks = tuple(as_json(block) for block in self._blocks(message) if block)
            if not blocks or message.get("role") == "system":
                continue
            if joined and joined[-1].role == role:
                blocks = joined.pop().blocks + blocks
            joined.append(Turn(role, blocks))
        return joined

    def ends_in_prompt(self, found: Sequence[Turn]) -> bool:
        """Whether the last block is the prompt."""
        return bool(found) and found[-1].blocks[-1] == as_json(_text(PROMPT))

    def taken_over(self, found: Sequence[Turn], wanted: Sequence[Turn]) -> list[Turn]:
        """Without the prompt, and without the context in front of everything."""
        taken = list(found)
        if self.ends_in_prompt(taken):
            last = taken.pop()
            taken += [Turn(last.role, last.blocks[:-1])] if len(last.blocks) > 1 else []
        if taken and self._is_context(taken[0].blocks[0]):
            first = taken.pop(0)
            taken[:0] = [Turn(first.role, first.blocks[1:])] if len(first.blocks) > 1 else []
        return taken

    def _is_context(self, block: str) -> bool:
        return str(json.loads(block).get("text", "")).startswith(self.CONTEXT)

    def _blocks(self, message: Mapping[str, Any]) -> Iterator[Block]:
        for part in message.get("parts") or ():
            if not part.get("thought"):
                yield from self._part(part)

    def _part(self, part: Mapping[str, Any]) -> Iterator[Block]:
        if "functionCall" in part:
            call = part["functionCall"]
            yield _call(call.get("id"), call.get("name"), call.get("args"))
        elif "functionResponse" in part:
            answer = part["functionResponse"]
            yield {"answers": _ident(answer.get("id")), "name": answer.get("name"), **self._said(answer)}
        elif "inlineData" in part:
            yield {"data": part["inlineData"].get("data")}
        else:
            yield _text(part.get("text") or "")

    def _said(self, answer: Mapping[str, Any]) -> Block:
        return {"says": answer.get("response"), "parts": answer.get("parts") or []}


class ChatReading(PartsReading):
    """The same in Chat Completions: a result says what its response does, and has no name."""

    _STANDS_FOR: Final = ("output", "error", "content")
    """Members of a response of which one is sent in its stead."""

    def _blocks(self, message: Mapping[str, Any]) -> Iterator[Block]:
        if "parts" in message:
            yield from super()._blocks(message)
            return
        parts = [block for part in _parts(message.get("content")) for block in self._chat_part(part)]
        if message.get("role") == "tool":
            told = "".join(str(block["text"]) for block in parts if "text" in block)
            yield {"answers": message.get("tool_call_id"), "says": told}
            parts = [block for block in parts if "text" not in block]
        yield from parts
        for call in message.get("tool_calls") or ():
            function = call["function"]
            yield _call(call["id"], function["name"], json.loads(function["arguments"] or "{}"))

    def _chat_part(self, part: Mapping[str, Any]) -> Iterator[Block]:
        if part.get("type") == "image_url":
            yield {"data": part["image_url"]["url"].partition(",")[2]}
        else:
            yield _text(part.get("text") or "")

    def _part(self, part: Mapping[str, Any]) -> Iterator[Block]:
        if "functionResponse" not in part:
            yield from super()._part(part)
            return
        answer = part["functionResponse"]
        yield {"answers": answer.get("id"), "says": self._told(answer.get("response") or {})}
        for inner in answer.get("parts") or ():
            yield from self._part(inner)

    def _told(self, response: Mapping[str, Any]) -> str:
        for name in self._STANDS_FOR:
            if isinstance(response.get(name), str):
                return words_of(response[name])
        return json.dumps(response)


def _parts(content: Any) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def _text(text: str) -> Block:
    words = words_of(text)
    return {"text": words} if words else {}


def _call(ident: Any, name: Any, args: Any) -> Block:
    return {"calls": name, "id": _ident(ident), "with": args or {}}


def _ident(ident: Any) -> Any:
    found = _TWICE_NAMED.fullmatch(ident) if isinstance(ident, str) else None
    return found[2] if found else ident
