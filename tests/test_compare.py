"""Pipelines side by side: the same session, the same counts, nothing changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.compare import compare
from app.opening import open_workspace
from app.pipeline import preset_names

SAMPLE = Path(__file__).parent.parent / "sample_sessions" / "claude-code-long.jsonl"


def test_every_preset_is_tried_and_the_workspace_stays_as_it_was() -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    workspace.pin(["nothing"])
    before = workspace.history.done
    outcomes = {outcome.pipeline: outcome for outcome in compare(workspace)}
    assert tuple(outcomes) == preset_names()
    assert workspace.history.done == before and workspace.messages is workspace.session.live
    assert len({outcome.price.before for outcome in outcomes.values()}) == 1
    assert outcomes["gentle"].words_lost == 0 and outcomes["react-mini"].words_lost > 0
    assert outcomes["gate-8k"].price.prefix > outcomes["gentle"].price.prefix
    assert all(outcome.freed > 0 for outcome in outcomes.values())


def test_a_pin_holds_in_every_pipeline() -> None:
    workspace = open_workspace(str(SAMPLE), pipeline="gentle", exact=False).workspace
    free = {o.pipeline: o.freed for o in compare(workspace, ["react-mini"])}
    workspace.pin([block.key for message in workspace.session.live for block in message.blocks])
    pinned = {o.pipeline: o.freed for o in compare(workspace, ["react-mini"])}
    assert pinned["react-mini"] == 0 < free["react-mini"]


def test_the_outcome_is_the_figure_that_compact_gives(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from app.cli.main import main

    assert main(["compare", str(SAMPLE), "--count", "rough", "--json"]) == 0
    compared = {o["pipeline"]: o for o in json.loads(capsys.readouterr().out)["pipelines"]}
    main(["compact", str(SAMPLE), "--count", "rough", "--pipeline", "gentle", "--dry-run", "--json"])
    planned = json.loads(capsys.readouterr().out)
    assert compared["gentle"]["tokens_after"] == planned["tokens_after"]
    assert compared["gentle"]["tokens_before"] == planned["tokens_before"]
