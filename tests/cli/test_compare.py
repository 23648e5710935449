"""`handcompact compare`: what is printed, and what a failure costs."""

from __future__ import annotations

from pathlib import Path

from tests.cli.run import Handcompact

SAMPLE = Path(__file__).parent.parent.parent / "sample_sessions" / "claude-code-long.jsonl"


def test_a_bad_pipeline_costs_only_its_own_row(handcompact: Handcompact, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("name = 3")
    done = handcompact("compare", SAMPLE, "--count", "rough", "--pipelines", "gentle,nope", "--pipeline", bad)
    assert done.code == 2
    assert "gentle" in done.out and "loses nothing for good" in done.out
    assert "'nope'" in done.err and "bad.toml: name must be" in done.err
    done = handcompact("compare", SAMPLE, "--count", "rough", "--pipelines", "nope,gentle", "--json")
    assert done.code == 2
    assert [row["pipeline"] for row in done.json["pipelines"]] == ["gentle", "nope"]
    assert "unknown pipeline 'nope'" in done.json["pipelines"][1]["problem"]
    assert done.json["best"]["pipeline"] == "gentle"


def test_nothing_to_free_is_said(handcompact: Handcompact, tmp_path: Path) -> None:
    short = tmp_path / "short.json"
    short.write_text('{"messages": [{"role": "user", "content": "hello"}]}')
    done = handcompact("compare", short, "--count", "rough", "--pipelines", "gentle,layered")
    assert done.code == 0 and "None of them frees anything here." in done.out


def test_the_outcome_is_the_figure_that_compact_gives(handcompact: Handcompact) -> None:
    done = handcompact("compare", SAMPLE, "--count", "rough", "--json")
    assert done.code == 0
    compared = {o["pipeline"]: o for o in done.json["pipelines"]}
    planned = handcompact(
        "compact", SAMPLE, "--count", "rough", "--pipeline", "gentle", "--dry-run", "--json"
    ).json
    assert compared["gentle"]["tokens_after"] == planned["tokens_after"]
    assert compared["gentle"]["tokens_before"] == planned["tokens_before"]
