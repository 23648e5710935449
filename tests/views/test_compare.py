"""Pipelines side by side: the same session, the same counts, nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.edits import make_edit
from app.opening import open_workspace
from app.pipeline import load, preset_names
from app.views.compare import Outcome, best, compare, ranked
from app.work.workspace import Workspace

SAMPLE = Path(__file__).parents[2] / "sample_sessions" / "claude-code-long.jsonl"


def outcomes_of(workspace: Workspace, *names: str) -> dict[str, Outcome]:
    return {row.name: row.outcome for row in compare(workspace, names) if row.outcome is not None}


def test_every_preset_is_tried_and_the_workspace_stays_as_it_was() -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    workspace.pin(["nothing"])
    before = workspace.history.done
    outcomes = outcomes_of(workspace)
    assert tuple(outcomes) == preset_names()
    assert workspace.history.done == before and workspace.messages is workspace.session.live
    assert len({outcome.price.before for outcome in outcomes.values()}) == 1
    assert outcomes["gentle"].words_lost == 0 and outcomes["react-mini"].words_lost > 0
    assert outcomes["gate-8k"].price.prefix > outcomes["gentle"].price.prefix
    waits_for_a_summary = {"openhands"}
    assert {name for name, outcome in outcomes.items() if outcome.freed <= 0} == waits_for_a_summary


def test_a_pin_holds_in_every_pipeline() -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    free = outcomes_of(workspace, "react-mini")["react-mini"]
    workspace.pin([block.key for message in workspace.session.live for block in message.blocks])
    pinned = outcomes_of(workspace, "react-mini")["react-mini"]
    assert pinned.freed == 0 < free.freed
    assert pinned.price.first_changed is None and pinned.cached_share == 1


def test_edits_by_hand_hold_in_every_pipeline_as_they_do_when_one_is_chosen() -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    workspace.edit(make_edit("keep_last_turns", options={"turns": 1, "allow_words": True}))
    found = outcomes_of(workspace, "gate-8k")["gate-8k"]
    workspace.choose(load("gate-8k"))
    workspace.run_all()
    assert found.messages_after == len(workspace.messages) < found.messages_before
    assert found.price.after == workspace.tokens(workspace.messages)


def test_the_best_loses_the_least_and_a_reason_is_given() -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    rows = list(compare(workspace))
    found = best(rows)
    assert found is not None and found.pipeline == "gentle" == ranked(rows)[0].name
    assert found.reason == "loses nothing for good; frees the most of the 2 that do"
    lossy = [row for row in rows if row.name in ("minicode", "react-mini")]
    found = best(lossy)
    assert found is not None and found.pipeline == "minicode"
    assert found.reason == "keeps all your words, loses 12 only copies; every other loses more"
    assert best([]) is None


def test_what_breaks_a_rule_is_named_and_never_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    real = Workspace.run_all

    def without_results(self: Workspace) -> None:
        """A stage as it should not be: it takes a result and leaves its call."""
        real(self)
        if self.pipeline.name == "react-mini":
            halved = tuple(m for m in self.messages if not any(b.kind == "tool_result" for b in m.blocks))
            monkeypatch.setattr(Workspace, "messages", property(lambda _: halved))

    monkeypatch.setattr(Workspace, "run_all", without_results)
    rows = list(compare(workspace, ["gentle", "react-mini"]))
    broken = rows[1].outcome
    assert broken is not None and not broken.is_valid
    assert "anthropic.open-call" in broken.broken
    found = best(rows)
    assert found is not None and found.pipeline == "gentle" and ranked(rows)[-1] is rows[1]
