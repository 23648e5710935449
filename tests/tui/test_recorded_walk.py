"""The walk in the README: its keys are pressed here, and its numbers are the ones that come out."""

from __future__ import annotations

import re
from pathlib import Path

from app.tui.app import HandcompactApp, Opening
from app.tui.screens.inspect import InspectScreen
from app.work.checks import CheckLevel
from app.work.pricing import pricing
from tests.plain_session import SAMPLES
from tests.tui.on_screen import press, settle

README = Path(__file__).parents[2] / "README.md"
ROW = re.compile(r"\| (?P<keys>(?:`[^`]+` ?)*)\|.*\| (?P<tokens>[\d,]+) \|")


def recorded() -> list[tuple[list[str], int]]:
    """The keys of each row, and the tokens that are left then."""
    title = "### From 161k to 43k tokens in nine keys"
    section = README.read_text("utf-8").partition(title)[2].partition("\n## ")[0]
    rows = [found for line in section.splitlines() if (found := ROW.fullmatch(line))]
    return [(re.findall(r"`([^`]+)`", row["keys"]), int(row["tokens"].replace(",", ""))) for row in rows]


async def test_nine_keys_free_three_quarters_of_the_window_and_nothing_for_good() -> None:
    steps = recorded()
    assert sum(len(keys) for keys, _ in steps) == 9
    assert (round(steps[0][1] / 1000), round(steps[-1][1] / 1000)) == (161, 43)
    app = HandcompactApp(Opening(file=str(SAMPLES / "claude-code-long.jsonl")))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, InspectScreen)
        workspace = screen.workspace
        for keys, tokens in steps:
            text = await press(pilot, *("escape" if key == "esc" else key for key in keys))
            assert workspace.tokens(workspace.messages) == tokens
        assert f"~{steps[-1][1]:,} of 200,000" in text
        assert not workspace.words_gone
        assert {check.level for check in workspace.checks()} == {CheckLevel.OK}
        turns = pricing(workspace).price.turns
        assert turns is not None and round(turns) == 3
