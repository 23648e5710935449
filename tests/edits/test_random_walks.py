"""Whatever a person does, in whatever order, with undo and redo in between: what must hold after each act.

No pair is broken, no rule of the provider that held before is broken, the person's words stay unless they
said yes, and taking everything back gives the very bytes of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from app.export.plan import ExportOptions, make_plan
from app.formats import format_named, open_session
from app.formats.source import Source
from app.model import Message, Session, blocks_of
from app.pipeline import load, preset_names
from app.stages.base import Messages
from app.validity import Options, check, compare, errors
from app.work.checks import CheckLevel, check_pairs, words_gone
from app.work.history import Edited, edit_operation
from app.work.quick_fixes import QUICK_FIXES, offer
from app.work.workspace import Workspace
from tests.edits.test_every_sample import FILES, SMALL, some_edit

ACTS = (
    "edit", "edit", "edit", "replay", "advance", "skip", "back", "refuse", "allow", "pin", "unpin", "fix",
    "undo", "undo", "redo", "run all", "choose",
)  # fmt: skip
SOME = tuple(name for name in SMALL if FILES[name].stat().st_size < 120_000)
"""Files on which a walk takes a fraction of a second."""


@lru_cache(maxsize=4)
def opened(name: str) -> tuple[Session, Source]:
    return open_session(str(FILES[name]))


def keys_in(messages: Messages) -> list[str]:
    return [block.key for _, block in blocks_of(messages)]


def act(workspace: Workspace, random: Random) -> None:
    """One thing that a person can do, or tries to do and is told why not."""
    known = keys_in(workspace.session.live)
    some = random.sample(known, min(len(known), random.choice([1, 2, 5])))
    stage = random.choice(workspace.pipeline.steps).name
    match random.choice(ACTS):
        case "edit":
            edit = some_edit(workspace, random)
            if workspace.why_not_edit(edit) is None:
                workspace.edit(edit)
        case "replay":
            # As from a journal or a recipe: where it may not fit any more.
            workspace.do(edit_operation(some_edit(workspace, random)))
        case "advance":
            workspace.advance()
        case "skip":
            workspace.skip()
        case "back":
            workspace.back()
        case "refuse":
            workspace.refuse(stage, some)
        case "allow":
            workspace.allow(stage, some)
        case "pin":
            workspace.pin(some)
        case "unpin":
            workspace.unpin(some)
        case "fix":
            found = offer(workspace, random.choice([f for f in QUICK_FIXES if not f.looks_at_disk]))
            if found.does_something:
                workspace.edit(found.edit)
        case "undo":
            workspace.undo()
        case "redo":
            workspace.redo()
        case "run all":
            workspace.run_all()
        case "choose":
            workspace.choose(load(random.choice(preset_names())))


def may_lose_words(workspace: Workspace) -> bool:
    """Whether anything was done that may take the person's words: stages that drop turns, or a yes."""
    path = workspace.state.path
    return any(not isinstance(step, Edited) or getattr(step.edit, "allow_words", False) for step in path)


def sound(workspace: Workspace, given: Messages, broken: frozenset[str]) -> None:
    session, messages = workspace.session, workspace.messages
    assert check_pairs(given, messages).level is CheckLevel.OK
    assert newly_broken(session, messages) <= broken
    assert may_lose_words(workspace) or not words_gone(given, messages)
    for key in workspace.state.pins & set(keys_in(given)):
        assert key in keys_in(messages)


def newly_broken(session: Session, messages: Messages) -> frozenset[str]:
    """Rules that these messages break and that the session as it was opened does not."""
    kind = format_named(session.format)
    original = list(kind.request(session, session.live))
    after = check(kind.validity, kind.request(session, messages), Options(before=original))
    found = compare(check(kind.validity, original), after)
    return frozenset(violation.rule for violation in errors(found.broken_by_edit))


def requests(session: Session) -> list[tuple[str, Mapping[str, Any]]]:
    return list(format_named(session.format).request(session, session.live))


def written(workspace: Workspace, source: Source) -> bytes:
    """What an export in place would write."""
    plan = make_plan(workspace, source, ExportOptions(in_place=True))
    return b"".join(plan.rewriting.pieces())


@pytest.mark.parametrize("name", SOME)
@settings(max_examples=2, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(seed=st.integers(0, 2**32))
def test_nothing_that_a_person_does_breaks_it_and_undoing_gives_the_bytes_back(name: str, seed: int) -> None:
    random = Random(seed)
    session, source = opened(name)
    workspace = Workspace(session, load(random.choice(preset_names())), exact=False, root="/saved")
    live: tuple[Message, ...] = tuple(session.live)
    if not live:
        return
    for _ in range(random.choice([3, 8, 16])):
        act(workspace, random)
        sound(workspace, session.live, frozenset())
    after, times = workspace.messages, len(workspace.history.done)
    while workspace.undo():
        pass
    assert workspace.messages is session.live and workspace.messages == live
    untouched = Workspace(session, load("gentle"), exact=False)
    assert written(workspace, source) == written(untouched, source)
    if not session.notices and not check(format_named(session.format).validity, requests(session)):
        assert written(workspace, source) == source.read(0, source.size)
    for _ in range(times):
        workspace.redo()
    assert workspace.messages == after
