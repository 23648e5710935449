"""The pipelines side by side, and taking one of them."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

from app.model import Message
from app.opening import Opened
from app.pipeline import known_names, preset_names
from app.tui.screens.compare import CompareScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.stepper import StepperScreen
from app.tui.widgets.outcome_list import OutcomeList
from app.work.workspace import Workspace
from tests.plain_messages import call_turn, open_messages, reading_turns
from tests.tui.on_screen import OnScreen, kind_of_screen, press, settle
from tests.tui.screen_text import assert_golden


def busy(turns: int = 24) -> Opened:
    return open_messages(reading_turns(turns))


def compare(work: Opened) -> OnScreen:
    return OnScreen(CompareScreen, work)


def rows_of(text: str) -> dict[str, list[str]]:
    """The figures of each pipeline's row, from the top."""
    lines = (line.lstrip(" >*+").split() for line in text.splitlines())
    return {words[0]: words[1:] for words in lines if words and words[0] in preset_names() and len(words) > 6}


def flat(text: str) -> str:
    """A screen's words without where its lines end."""
    return " ".join(text.split())


async def test_how_it_looks() -> None:
    app = compare(busy())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert_golden(app, "compare")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "compare")


async def test_the_screen_itself_adds_up_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    in_screen, tokens = list[int](), Workspace.tokens
    main = threading.current_thread()

    def noted(workspace: Workspace, messages: Iterable[Message]) -> int:
        found = tokens(workspace, messages)
        if threading.current_thread() is main:
            in_screen.append(found)
        return found

    monkeypatch.setattr(Workspace, "tokens", noted)
    app = compare(busy())
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        await press(pilot, "S", "j")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert re.search(r"Pipelines compared  \d+ messages, ~\d", text)
    assert not in_screen


async def test_every_pipeline_has_a_row_and_nothing_is_changed(tmp_path: Path) -> None:
    own = tmp_path / "config" / "pipelines"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text(
        'name = "mine"\n[[step]]\nstage = "snip"\nmax_messages = 10\nhead_messages = 2'
    )
    (own / "broken.toml").write_text('name = "broken"\n[[step]]\nstage = "\\u001b]0;x"')
    opened = busy()
    work = opened.workspace
    work.run_all()
    before = work.history.done
    app = compare(opened)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert set(rows_of(text)) == set(preset_names())
        assert work.history.done == before and work.pipeline.name == "react-mini"
        assert app.screen.query_one(OutcomeList).row_count == len(known_names()) == len(preset_names()) + 2
        assert "mine" in text and "\x1b" not in text
        # What failed comes last and says why when it is to be opened.
        text = await press(pilot, "G")
        assert "broken" in text and "unknown stage" in flat(text)
        assert "unknown stage" in flat(await press(pilot, "enter"))
        assert work.pipeline.name == "react-mini"


async def test_what_is_lost_is_said_of_the_row_under_the_cursor() -> None:
    pages = [call_turn(n, "WebFetch", {"url": f"https://x.test/{n}"}, "page\n" * 900) for n in range(40)]
    app = compare(open_messages([message for turn in pages for message in turn], "gentle"))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        left, gone, yours, *_ = rows_of(text)["layered"]
        assert left.startswith("~") and gone != "0" and yours != "0"
        text = await press(pilot, "slash", *"layered", "enter")
        assert "you typed would be removed" in text and "cannot be regenerated" in text
        assert "cached again once" in flat(text) and "recover: no provider refused" in flat(text)
        assert "boundary snip:" in flat(text)


async def test_the_least_to_regret_stands_first_and_is_marked_with_its_reason() -> None:
    app = compare(busy())
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert next(iter(rows_of(text))) == "minicode"
        assert "+ minicode: loses nothing for good; frees the most of the 2 that do" in text
        assert app.screen.query_one(OutcomeList).cursor == 1, "the cursor stays on the present pipeline"
        text = await press(pilot, "S")
        left = [int(figures[0].strip("~").replace(",", "")) for figures in rows_of(text).values()]
        assert left == sorted(left) and "sorted by tokens left" in text


async def test_enter_opens_a_pipeline_and_asks_when_stages_ran() -> None:
    opened = busy()
    work = opened.workspace
    app = OnScreen(StepperScreen, opened)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "C")
        assert kind_of_screen(app) is CompareScreen
        await press(pilot, "enter")
        assert kind_of_screen(app) is StepperScreen and work.pipeline.name == "react-mini"
        await press(pilot, "C", "slash", *"gentle", "enter", "enter")
        assert kind_of_screen(app) is StepperScreen and work.pipeline.name == "gentle"
        work.advance()
        await press(pilot, "C", "slash", *"gate", "enter", "enter")
        assert kind_of_screen(app) is ConfirmScreen
        await press(pilot, "escape")
        assert kind_of_screen(app) is CompareScreen and work.pipeline.name == "gentle"
        await press(pilot, "enter", "right", "enter")
        assert kind_of_screen(app) is StepperScreen and work.pipeline.name == "gate-8k"
        await press(pilot, "C", "escape")
        assert kind_of_screen(app) is StepperScreen


async def test_from_the_main_list_it_goes_on_into_the_stepper() -> None:
    opened = busy()
    app = OnScreen(lambda work: InspectScreen(work), opened)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "C", "g", "enter")
        assert kind_of_screen(app) is StepperScreen and opened.workspace.pipeline.name == "minicode"
        await press(pilot, "escape")
        assert kind_of_screen(app) is InspectScreen
