"""A conversation in the plain form that every target can write.

Messages of the person and of the assistant take turns, the first is the person's; each call has one
result, in the message behind it and before all else; ids are unique and safe for every provider.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from app.convert.blocks import BlockMover, leading
from app.convert.losses import Losses
from app.convert.targets import Target
from app.formats.markers import EARLIER_TEXT, ORPHAN_TEXT, UNANSWERED_TEXT
from app.model import Author, Block, Boundary, Held, Message, Role, Text, ToolResult, ToolUse

_safe_id: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""Anthropic takes these signs, Chat Completions at most 40 of them."""


def moved(messages: Sequence[Message], target: Target, losses: Losses) -> tuple[Message, ...]:
    """The live messages of a session as `target` can hold them; what is lost is counted in `losses`."""
    prompts = [m for m in messages if m.role is Role.SYSTEM and not _is_marker(m)]
    talk = [m for m in messages if m.role is not Role.SYSTEM or _is_marker(m)]
    turns = list(_turns(talk, losses))
    made = list(_Mover(target, losses, turns).messages())
    return (*_kept_prompts(prompts, target, losses), *_from_person(made, losses))


def _is_marker(message: Message) -> bool:
    return any(isinstance(block, Text) and block.author is Author.MARKER for block in message.blocks)


def _kept_prompts(prompts: Sequence[Message], target: Target, losses: Losses) -> Iterator[Message]:
    for message in prompts:
        texts = tuple(leading(message.blocks))
        if not target.keeps_system:
            losses.add("system-prompt")
        elif texts:
            yield Message(message.key, Role.SYSTEM, texts, time=message.time)


class _Turn(Struct):
    """Messages of one side that follow each other."""

    first: Message
    assistant: bool
    blocks: list[Block] = field(default_factory=list)
    boundary: Boundary | None = None


def _turns(messages: Sequence[Message], losses: Losses) -> Iterator[_Turn]:
    """Runs of messages of one role. A result that stands in the assistant's message is the other side's."""
    open_turn: _Turn | None = None
    for message in messages:
        for is_assistant, blocks in _sides(message):
            if open_turn is None or open_turn.assistant is not is_assistant:
                if open_turn is not None:
                    yield open_turn
                open_turn = _Turn(message, is_assistant, boundary=message.boundary)
            elif not _are_results(open_turn.blocks) and not _are_results(blocks):
                losses.add("joined")
            open_turn.blocks += blocks
    if open_turn is not None:
        yield open_turn


def _sides(message: Message) -> Iterator[tuple[bool, list[Block]]]:
    """Runs of a message's blocks, each with whether it is the assistant's; results never are."""
    if message.role is not Role.ASSISTANT:
        yield False, list(message.blocks)
        return
    for are_results, run in groupby(message.blocks, key=lambda block: isinstance(block, ToolResult)):
        yield not are_results, list(run)


def _are_results(blocks: Sequence[Block]) -> bool:
    return all(isinstance(block, ToolResult) for block in blocks)


class _Mover:
    """Gives every call its result, and every pair its id."""

    def __init__(self, target: Target, losses: Losses, turns: Sequence[_Turn]) -> None:
        self._blocks = BlockMover(target, losses)
        self._losses = losses
        self._turns = turns
        self._used: set[str] = set()
        self._called: set[str] = set()
        self._results = self._answers()
        self._taken: set[int] = set()

    def _answers(self) -> dict[str, list[tuple[int, ToolResult]]]:
        """The results by their id, each with the number of its turn, in order."""
        found: dict[str, list[tuple[int, ToolResult]]] = defaultdict(list)
        for number, turn in enumerate(self._turns):
            for block in turn.blocks:
                if isinstance(block, ToolResult):
                    found[block.tool_use_id].append((number, block))
        return found

    def messages(self) -> Iterator[Message]:
        """The new messages; two of one side may stand together where one between them fell away."""
        answers: list[ToolResult] = []
        for number, turn in enumerate(self._turns):
            if turn.assistant:
                said, answers = self._assistant(number, turn)
                yield from self._message(turn, said)
            else:
                yield from self._message(turn, [*answers, *self._person(turn)])
                answers = []
        if answers:
            last = self._turns[-1].first
            yield Message(f"{last.key}/results", Role.USER, tuple(answers), time=last.time)

    def _message(self, turn: _Turn, blocks: Sequence[Block]) -> Iterator[Message]:
        if blocks:
            first = turn.first
            role = Role.ASSISTANT if turn.assistant else Role.USER
            model = first.model if turn.assistant else None
            yield Message(
                first.key, role, tuple(blocks), time=first.time, model=model, boundary=turn.boundary
            )

    def _assistant(self, number: int, turn: _Turn) -> tuple[list[Block], list[ToolResult]]:
        """What the assistant says, its calls last as some providers demand, and their results."""
        said: list[Block] = []
        calls: list[Block] = []
        answers: list[ToolResult] = []
        for block in turn.blocks:
            if isinstance(block, ToolUse):
                ident = self._ident(block.id)
                self._called.add(block.id)
                calls.append(self._blocks.call(block, ident))
                answers.append(self._answer(number, block, ident))
            elif (made := self._blocks.said(block, assistant=True)) is not None:
                self._losses.add("text-after-call", 1 if calls else 0)
                said.append(made)
        return said + calls, answers

    def _ident(self, ident: str) -> str:
        made, number = ident, 1
        while made in self._used or not _safe_id.fullmatch(made):
            made = f"{re.sub('[^A-Za-z0-9_-]', '_', ident)[:32] or 'call'}_{number}"
            number += 1
        if made != ident:
            self._losses.add("call-id")
        self._used.add(made)
        return made

    def _answer(self, number: int, call: ToolUse, ident: str) -> ToolResult:
        """The first result behind the call that no other call has; a made one where there is none."""
        for turn, result in self._results.get(call.id, ()):
            if turn > number and id(result) not in self._taken:
                self._taken.add(id(result))
                return self._blocks.result(result, ident)
        self._losses.add("open-call")
        text = Text(f"{call.key}/unanswered/0", Held(UNANSWERED_TEXT), Author.INJECTED)
        return ToolResult(f"{call.key}/unanswered", ident, (text,))

    def _person(self, turn: _Turn) -> Iterator[Block]:
        for block in turn.blocks:
            if not isinstance(block, ToolResult):
                if (made := self._blocks.said(block, assistant=False)) is not None:
                    yield made
            elif id(block) in self._taken:
                continue
            elif block.tool_use_id in self._called:
                self._losses.add("second-result")
            else:
                yield self._blocks.orphan(block, ORPHAN_TEXT)


def _from_person(messages: Sequence[Message], losses: Losses) -> list[Message]:
    """The messages taking turns, the person's first."""
    made: list[Message] = []
    for message in messages:
        if not made and message.role is Role.ASSISTANT:
            losses.add("beginning")
            text = Text(f"{message.key}/before", Held(EARLIER_TEXT), Author.INJECTED)
            made.append(Message(f"{message.key}/beginning", Role.USER, (text,), time=message.time))
        if made and made[-1].role is message.role:
            made[-1] = replace(made[-1], blocks=(*made[-1].blocks, *message.blocks))
        else:
            made.append(message)
    return made
