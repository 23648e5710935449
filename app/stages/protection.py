"""Which blocks no stage may change unless the person allows it: pins, answers, instructions, the open turn.

There are two kinds. A block whose text is kept may not be cut, cleared or saved; one whose place is kept
may not be dropped. The results of the newest assistant message keep their place only,
so that the pair stays whole while a stage may still shorten them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from app.compactability import Kind, ResultFacts, answered, open_turn
from app.model import Message, Role, Thinking, ToolResult, ToolUse


@dataclass(frozen=True)
class Protection:
    """Why blocks must stay: block key -> reason.

    `text` keeps a block's words (it is not cut, cleared or saved), `place` keeps it from being
    dropped; what keeps the words keeps the place too. `pinned` is the person's part of both.
    """

    text: Mapping[str, str] = field(default_factory=dict)
    place: Mapping[str, str] = field(default_factory=dict)
    pinned: frozenset[str] = frozenset()

    def keeps_text(self, key: str) -> str | None:
        """The reason why this block's text may not be changed, or None."""
        return self.text.get(key)

    def keeps_place(self, key: str) -> str | None:
        """The reason why this block may not be dropped, or None."""
        return self.text.get(key) or self.place.get(key)

    @cached_property
    def kept(self) -> frozenset[str]:
        """Keys of all blocks that may not be dropped."""
        return frozenset(self.text).union(self.place)

    def only_pinned(self) -> Protection:
        """The protection of a stage with `protect` off: only the person's pins."""
        return Protection(
            text={key: reason for key, reason in self.text.items() if key in self.pinned},
            pinned=self.pinned,
        )


UNPROTECTED: Final = Protection()


def protected(messages: Sequence[Message], *, pinned: Collection[str] = ()) -> Protection:
    """What of `messages` must stay, with the reason for each block.

    `pinned` holds keys of blocks, or of messages for all their blocks. Arguments of shell commands
    are read from the file where they are longer than a preview.
    """
    return with_pins(unpinned(messages, answered(messages)), messages, pinned)


def unpinned(messages: Sequence[Message], answers: Iterable[ResultFacts]) -> Protection:
    """The protection of `messages` without pins; `answers` are the facts of their results."""
    text: dict[str, str] = {}
    place: dict[str, str] = {}
    _keep_words_in_results(answers, text)
    _keep_open_thinking(messages, text)
    _keep_newest_reply(messages, text, place)
    return Protection(text, place)


def with_pins(protection: Protection, messages: Sequence[Message], pinned: Collection[str]) -> Protection:
    """The protection with the pinned blocks, or those of the pinned messages, kept too."""
    if not pinned:
        return protection
    pins = {
        block.key: "pinned by you"
        for message in messages
        for block in message.blocks
        if block.key in pinned or message.key in pinned
    }
    return Protection({**protection.text, **pins}, protection.place, frozenset(pins))


def _keep_words_in_results(answers: Iterable[ResultFacts], text: dict[str, str]) -> None:
    for answer in answers:
        if answer.holds_answer:
            text.setdefault(answer.result.key, "contains your answer")
        elif answer.named_kind is Kind.SKILL:
            text.setdefault(answer.result.key, "instructions of a skill")
        elif answer.asked and answer.asked.is_about_instructions and not answer.result.is_error:
            text.setdefault(answer.result.key, "instruction file")


def _keep_open_thinking(messages: Sequence[Message], text: dict[str, str]) -> None:
    start = open_turn(messages)
    for message in messages[start:] if start is not None else ():
        for block in message.blocks:
            if isinstance(block, Thinking):
                text.setdefault(block.key, "thinking of the unfinished turn")


def _keep_newest_reply(messages: Sequence[Message], text: dict[str, str], place: dict[str, str]) -> None:
    newest = next((i for i in reversed(range(len(messages))) if messages[i].role is Role.ASSISTANT), None)
    if newest is None:
        return
    calls = set()
    for block in messages[newest].blocks:
        text.setdefault(block.key, "newest reply of the model")
        if isinstance(block, ToolUse):
            calls.add(block.id)
    for message in messages[newest + 1 :]:
        for block in message.blocks:
            if isinstance(block, ToolResult) and block.tool_use_id in calls:
                place.setdefault(block.key, "answers a call of the newest reply")
