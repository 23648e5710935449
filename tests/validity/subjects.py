"""Conversations for a judge: samples, cases, and what each preset makes of a sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from app.formats import format_named, open_session
from app.opening import open_workspace
from app.pipeline import FIRST, load, preset_names
from tests.clients.exports import lowered

ROOT: Final = Path(__file__).parents[2]
SAMPLES: Final = ROOT / "sample_sessions"
CASES: Final = ROOT / "tests" / "data" / "cases"

Pairs = list[tuple[str, Any]]


def files() -> Iterator[Path]:
    """The samples and cases that hold a conversation in a form with rules."""
    yield from sorted(file for file in SAMPLES.glob("*.json*") if file.is_file())
    cases = sorted(CASES.glob("*.json*"))
    yield from (file for file in cases if not file.name.endswith(".expect.json"))


def as_it_is(file: Path) -> tuple[str, Pairs]:
    """The rules of a file's provider, and the conversation as its agent would send it."""
    session, _ = open_session(file)
    kind = format_named(session.format)
    return kind.validity, list(kind.request(session, session.live))


def through_presets(file: Path) -> Iterator[tuple[str, str, Pairs, Pairs]]:
    """Preset, rules, the conversation before and after it with every stage at work."""
    for name in preset_names():
        workspace = open_workspace(str(file), pipeline=FIRST, exact=False).workspace
        workspace.choose(lowered(load(name)))
        workspace.run_all()
        session = workspace.session
        kind = format_named(session.format)
        before = list(kind.request(session, session.live))
        yield name, kind.validity, before, list(kind.request(session, workspace.messages))
