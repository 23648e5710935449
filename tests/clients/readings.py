"""A conversation as a list of turns that can be compared, without what a client says by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from tests.clients.mock import PROMPT

_reminder = re.compile(r"<system-reminder>(.*?)</system-reminder>", re.DOTALL)


class Turn(NamedTuple):
    """A role, or the type of an item, and its blocks as JSON in one spelling."""

    role: str
    blocks: tuple[str, ...]


class Reading(Protocol):
    """How the conversations of one interface are compared."""

    def turns(self, conversation: Iterable[Any]) -> list[Turn]:
        """The conversation without what is worded anew at each resume."""

    def ends_in_prompt(self, found: Sequence[Turn]) -> bool:
        """Whether the newest words are the test's own."""

    def taken_over(self, found: Sequence[Turn], wanted: Sequence[Turn]) -> list[Turn]:
        """What the client took from the session: without the prompt, and what it puts before and behind."""


class MessagesReading:
    """Requests of Claude Code, pi and opencode: runs of one role are joined."""

    _PROMPTS: Final = (PROMPT, f'"{PROMPT}"')
    """The prompt, and as opencode says it."""

    _NO_ANSWER: Final = "No response requested."
    """What stands between a turn that was never answered and the next prompt."""
    _RENAMED: Final[Mapping[str, str]] = {"Task": "Agent"}
    """Tools that 2.1 calls by a new name."""

    def turns(self, conversation: Iterable[Any]) -> list[Turn]:
        """Without messages from the system, reminders, white space behind texts, marks of the cache."""
        joined: list[Turn] = []
        for message in conversation:
            role, blocks = str(message.get("role")), tuple(self._blocks(message.get("content")))
            if role == "system" or not blocks:
                continue
            if joined and joined[-1].role == role:
                blocks = joined.pop().blocks + blocks
            joined.append(Turn(role, blocks))
        return joined

    def ends_in_prompt(self, found: Sequence[Turn]) -> bool:
        """Whether the last block is the prompt: a request for a summary goes on."""
        return bool(found) and found[-1].blocks[-1] in map(self._text, self._PROMPTS)

    def taken_over(self, found: Sequence[Turn], wanted: Sequence[Turn]) -> list[Turn]:
        """Without the prompt, and without the answer that stands in for one that was never given."""
        taken = list(found)
        if self.ends_in_prompt(taken):
            last = taken.pop()
            taken += [Turn(last.role, last.blocks[:-1])] if len(last.blocks) > 1 else []
        if taken and taken[-1].blocks == (self._text(self._NO_ANSWER),) and wanted[-1:] != taken[-1:]:
            taken.pop()
        return taken

    def _blocks(self, content: Any) -> Iterator[str]:
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
            kept = {name: value for name, value in block.items() if name != "cache_control"}
            if block.get("type") == "text":
                kept["text"] = words_of(block["text"])
                if not kept["text"]:
                    continue
            elif block.get("type") == "tool_result":
                kept["content"] = self._result(block.get("content"))
            elif block.get("type") == "tool_use":
                kept["name"] = self._RENAMED.get(block["name"], block["name"])
            yield as_json(kept)

    def _result(self, content: Any) -> list[Any]:
        """The parts of a result; the client writes reminders behind its text."""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        told = [
            {**part, "text": words_of(part["text"])} if part.get("type") == "text" else part for part in parts
        ]
        return [part for part in told if part.get("type") != "text" or part["text"]]

    def _text(self, words: str) -> str:
        return as_json({"type": "text", "text": words})


class ItemsReading:
    """Codex's requests: a turn is an item."""

    _OWN_FIELDS: Final = (
        "id",
        "status",
        "annotations",
        "detail",
        "internal_chat_message_metadata_passthrough",
    )
    """What a version of the client leaves out or makes anew."""
    _CONTEXT: Final = ("<environment_context>", "# AGENTS.md instructions")
    """How the messages begin that the client puts before each prompt."""

    def turns(self, conversation: Iterable[Any]) -> list[Turn]:
        """Without ids and other fields that the model does not read."""
        items = map(self._plain, conversation)
        return [Turn(str(item.get("role", item.get("type"))), (as_json(item),)) for item in items]

    def ends_in_prompt(self, found: Sequence[Turn]) -> bool:
        """Whether the last item is the prompt."""
        return bool(found) and found[-1].role == "user" and PROMPT in found[-1].blocks[0]

    def taken_over(self, found: Sequence[Turn], wanted: Sequence[Turn]) -> list[Turn]:
        """Without the prompt, the context before it, and the instructions in front of everything."""
        taken = list(found)
        if self.ends_in_prompt(taken):
            taken.pop()
        while taken and self._is_context(taken[-1]) and wanted[-1:] != taken[-1:]:
            taken.pop()
        while taken and taken[0].role == "developer" and wanted[:1] != taken[:1]:
            taken.pop(0)
        return taken

    def _is_context(self, turn: Turn) -> bool:
        text = json.loads(turn.blocks[0]).get("content") or [{}]
        begins = str(text[0].get("text", "")).startswith(self._CONTEXT)
        return turn.role == "developer" or (turn.role == "user" and begins)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, dict):
            kept = {name: inner for name, inner in value.items() if name not in self._OWN_FIELDS}
            return {name: self._plain(inner) for name, inner in kept.items() if inner is not None}
        return [self._plain(inner) for inner in value] if isinstance(value, list) else value


def reminders_in(text: str) -> list[str]:
    """The words inside the reminders of a text."""
    return [words.strip() for words in _reminder.findall(text)]


def words_of(text: str) -> str:
    """A text without reminders and the white space behind it."""
    return _reminder.sub("", text).rstrip()


def as_json(value: Any) -> str:
    """A value in one spelling; a client knows no difference between 0, 0.0 and -0.0."""
    numbers = json.loads(json.dumps(value), parse_float=lambda text: _whole(float(text)))
    return json.dumps(numbers, ensure_ascii=False, sort_keys=True)


def _whole(number: float) -> float | int:
    return int(number) if number.is_integer() else number
