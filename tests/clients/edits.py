"""Every kind of edit, as an export of a session that lies where its agent looks."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from app.model import Author, Image, Session, Text, ToolResult, ToolUse, blocks_of
from app.pipeline import load, preset_names
from tests.clients.exports import ByHand, Exported, export, lowered, pipeline_of, summarised

Make: TypeAlias = Callable[[Path], Exported]

REWRITTEN: Final = "As it was written anew, in one line."
REFUSAL: Final = "prompt is too long: 9000 tokens > 4000 maximum"


@dataclass(frozen=True, slots=True)
class Edit:
    """A kind of edit."""

    told: str
    """What is done, for the table of what resumes."""
    make: Make
    absent: tuple[str, ...] = ()
    """How the names of agents begin whose sessions hold nothing of the kind."""

    def is_for(self, agent: object) -> bool:
        """Whether the sessions of an agent hold something of the kind."""
        return not str(agent).startswith(self.absent)


def by_stage(stage: str, **options: Any) -> Make:
    """An export through one stage with low limits."""
    return lambda session: export(session, lowered(pipeline_of(stage, **options)))


def by_preset(name: str) -> Make:
    """An export through a preset with low limits, so that every stage has something to do."""
    return lambda session: export(session, lowered(load(name)))


def by_hand(choose: ByHand) -> Make:
    """An export of what a person typed."""
    return lambda session: export(session, by_hand=choose)


def _drop_two_calls(session: Session) -> list[str]:
    calls = [block.key for _, block in blocks_of(session.live) if isinstance(block, ToolUse)]
    return [shlex.join(("drop", *calls[:2]))] if calls else []


def _rewrite_both(session: Session) -> list[str]:
    """The first words of the person, and the first of the model."""
    said = [(block.author, block.key) for _, block in blocks_of(session.live) if isinstance(block, Text)]
    firsts = dict(reversed(said))
    wanted = (firsts[author] for author in (Author.USER, Author.ASSISTANT) if author in firsts)
    return [shlex.join(("replace_text", key, f"text={REWRITTEN}")) for key in wanted]


def _note_pictures(session: Session) -> list[str]:
    results = [block for _, block in blocks_of(session.live) if isinstance(block, ToolResult)]
    held = [block.key for block in results if any(isinstance(part, Image) for part in block.parts)]
    return [shlex.join(("note_image", *held))] if held else []


def _whole_summary(session: Path) -> Exported:
    return export(session, pipeline_of("summarize", source="structured", when="always"))


def _twice(session: Path) -> Exported:
    return by_stage("tool_result_budget")(_whole_summary(session).file)


def _slim(session: Path) -> Exported:
    return export(session, lowered(pipeline_of("microcompact")), slim=True)


def _in_place(session: Path) -> Exported:
    exported = export(session, lowered(load("react-mini")), in_place=True)
    assert exported.file == session
    return exported


def _after_a_refusal(session: Path) -> Exported:
    return export(session, lowered(pipeline_of("recover")), refusal=REFUSAL)


EDITS: Final[Mapping[str, Edit]] = {
    "unchanged": Edit("no edit: a new session with a new id", export),
    "placeholders": Edit("old results cleared to placeholders", by_stage("microcompact")),
    "cut": Edit("long results cut to head and tail", by_stage("tool_result_budget")),
    "saved": Edit(
        "long results saved to files, a preview left", by_stage("tool_result_budget", action="save")
    ),
    "pictures": Edit("images replaced by one line each", by_hand(_note_pictures), absent=("Qwen",)),
    "dropped-pairs": Edit("calls dropped with their results", by_hand(_drop_two_calls)),
    "rewritten": Edit("your words and the agent's rewritten", by_hand(_rewrite_both)),
    "oldest-turns": Edit("the oldest turns dropped", by_stage("retain_tail"), absent=("Gemini",)),
    "snipped": Edit("the middle removed, one line in its place", by_stage("snip")),
    "thinking-dropped": Edit(
        "thinking of older turns dropped",
        by_stage("drop_thinking"),
        absent=("Claude Code 2.0", "Qwen", "Gemini", "opencode"),
    ),
    "summary-and-tail": Edit("a summary, then the newest turn; the old part stays in the file", summarised),
    "old-part-left-out": Edit(
        "the same without the old part (`--drop-old`)", lambda session: summarised(session, drop_old=True)
    ),
    "summarised": Edit("almost everything replaced by a summary", _whole_summary),
    "recovered": Edit("cut harder after the provider refused", _after_a_refusal),
    "slim": Edit("placeholders; second copies of results emptied (`--slim`)", _slim),
    "in-place": Edit("written in place", _in_place, absent=("opencode",)),
    "twice": Edit("an export of an export", _twice),
    **{name: Edit(f"pipeline `{name}`, every stage at work", by_preset(name)) for name in preset_names()},
}
"""By the name in tests and in the record; the order is that of the table."""
