"""Words that were rewritten or taken out stand nowhere in the new file, in no copy that is never sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.model import Author, Session, Text, blocks_of
from app.opening import open_workspace
from app.operation_text import do_typed
from app.pipeline import FIRST
from tests.clients.exports import pipeline_of
from tests.clients.pinned import PINNED, Sample

SESSIONS = list(dict.fromkeys(one.sample for one in PINNED))
LONGER = [sample for sample in SESSIONS if not sample.name.startswith("gemini")]
"""Those of more than one turn."""
NEW = "As it was written anew."


def said(session: Session, author: Author) -> list[Text]:
    blocks = (block for _, block in blocks_of(session.live))
    return [block for block in blocks if isinstance(block, Text) and block.author is author]


def export(path: Path, *typed: Sequence[str]) -> tuple[ExportPlan, str]:
    """The plan for what a person typed, and the new file."""
    opened = open_workspace(str(path), pipeline=FIRST, exact=False)
    for words in typed:
        do_typed(opened.workspace, " ".join(f"'{word}'" for word in words), allow_words=True)
    plan = make_plan(opened.workspace, opened.source, ExportOptions(out=path.with_name("new.jsonl")))
    return plan, b"".join(plan.rewriting.pieces()).decode()


def texts(path: Path, author: Author) -> list[Text]:
    opened = open_workspace(str(path), pipeline=FIRST, exact=False)
    return said(opened.workspace.session, author)


def spelled(text: str) -> str:
    return json.dumps(text)[1:-1]


@pytest.mark.parametrize("author", [Author.USER, Author.ASSISTANT])
@pytest.mark.parametrize("sample", SESSIONS, ids=str)
def test_rewritten_words_are_nowhere(sample: Sample, author: Author, tmp_path: Path) -> None:
    path = sample.file(tmp_path)
    block = texts(path, author)[0]
    old = spelled(block.content.read())
    assert old in path.read_text("utf-8")
    plan, new = export(path, ("replace_text", block.key, f"text={NEW}"))
    assert old not in new
    assert NEW in new and old not in str(plan.rewrite.title)


@pytest.mark.parametrize("sample", LONGER, ids=str)
def test_words_that_were_taken_out_are_nowhere(sample: Sample, tmp_path: Path) -> None:
    path = sample.file(tmp_path)
    block = texts(path, Author.USER)[1]
    _, new = export(path, ("drop", block.key))
    assert spelled(block.content.read()) not in new


def test_what_another_message_says_too_stays_in_its_copies(tmp_path: Path) -> None:
    path = Sample("codex-three-turns").file(tmp_path)
    one, other, *_ = texts(path, Author.USER)
    twice = tmp_path / "twice.jsonl"
    twice.write_text(
        path.read_text("utf-8").replace(spelled(other.content.read()), spelled(one.content.read())), "utf-8"
    )
    first, _, *_ = texts(twice, Author.USER)
    _, new = export(twice, ("replace_text", first.key, f"text={NEW}"))
    shown = [line for line in new.splitlines() if '"UserMessage"' in line]
    assert len(shown) == 3 and not any(NEW in line for line in shown)
    assert spelled(one.content.read()) in new


def test_what_a_boundary_hides_stays_as_it_is(tmp_path: Path) -> None:
    path = Sample("codex-three-turns").file(tmp_path)
    first = spelled(texts(path, Author.USER)[0].content.read())
    opened = open_workspace(str(path), pipeline=FIRST, exact=False)
    opened.workspace.choose(pipeline_of("summarize", source="structured", when="always"))
    opened.workspace.run_all()
    plan = make_plan(opened.workspace, opened.source, ExportOptions(out=tmp_path / "new.jsonl"))
    assert plan.rewrite.boundary is not None
    new = b"".join(plan.rewriting.pieces()).decode()
    assert new.count(first) >= path.read_text("utf-8").count(first)
