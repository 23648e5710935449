"""The pipelines side by side, and taking one of them."""

from __future__ import annotations

from pathlib import Path

from app.model import Message
from app.pipeline import known_names, load, preset_names
from app.tui.screens.compare import CompareScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.stepper import StepperScreen
from app.tui.widgets.outcome_list import OutcomeList
from app.workspace import Workspace
from tests.build import assistant, result, use, user
from tests.test_workspace import busy_session, session
from tests.tui.on_screen import OnScreen, kind_of_screen, opened, press, settle
from tests.tui.screen_text import assert_golden


def workspace(turns: int = 24) -> Workspace:
    return Workspace(busy_session(turns), load("react-mini"), exact=False)


def compare(work: Workspace) -> OnScreen:
    return OnScreen(CompareScreen, opened(work))


def rows_of(text: str) -> dict[str, list[str]]:
    """The figures of each pipeline's row."""
    lines = (line.lstrip(" >*").split() for line in text.splitlines())
    return {words[0]: words[1:] for words in lines if words and words[0] in preset_names() and len(words) > 6}


def flat(text: str) -> str:
    """A screen's words without where its lines end."""
    return " ".join(text.split())


async def test_how_it_looks() -> None:
    app = compare(workspace())
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert_golden(app, "compare")
        await pilot.resize_terminal(120, 36)
        await settle(pilot)
        assert_golden(app, "compare")


async def test_every_pipeline_has_a_row_and_nothing_is_changed(tmp_path: Path) -> None:
    own = tmp_path / "config" / "pipelines"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text(
        'name = "mine"\n[[step]]\nstage = "snip"\nmax_messages = 10\nhead_messages = 2'
    )
    (own / "broken.toml").write_text('name = "broken"\n[[step]]\nstage = "\\u001b]0;x"')
    work = workspace()
    work.run_all()
    before = work.history.done
    app = compare(work)
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        assert set(rows_of(text)) == set(preset_names())
        assert work.history.done == before and work.pipeline.name == "react-mini"
        assert app.screen.query_one(OutcomeList).row_count == len(known_names()) == len(preset_names()) + 2
        assert "mine" in text and "\x1b" not in text
        await press(pilot, "g", *["j"] * len(preset_names()))
        text = await press(pilot, "enter")
        assert "broken" in text and "there is no stage" in flat(text)
        assert "'mine'" not in await press(pilot, "j") and work.pipeline.name == "react-mini"


async def test_what_is_lost_is_said_of_the_row_under_the_cursor() -> None:
    messages: list[Message] = []
    for n in range(40):
        messages += [
            user(f"Question {n}?"),
            assistant(use(f"w{n}", "WebFetch", {"url": f"https://x.test/{n}"})),
        ]
        messages += [user(result(f"w{n}", "page\n" * 900)), assistant(f"Answer {n}.")]
    app = compare(Workspace(session(*messages), load("gentle"), exact=False))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await settle(pilot)
        left, freed, gone, *_ = rows_of(text)["layered"]
        assert left.startswith("~") and freed.startswith("~") and gone != "0"
        text = await press(pilot, "slash", *"layered", "enter")
        assert "that you typed would go" in text and "cannot be had again" in text
        assert "is the first that changes" in flat(text) and "recover: no provider refused" in flat(text)


async def test_enter_takes_a_pipeline_and_asks_when_stages_ran() -> None:
    work = workspace()
    app = OnScreen(StepperScreen, opened(work))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "C")
        assert kind_of_screen(app) is CompareScreen
        assert "it is the present one" in await press(pilot, "enter")
        await press(pilot, "g", "enter")
        assert kind_of_screen(app) is StepperScreen and work.pipeline.name == "gentle"
        work.advance()
        await press(pilot, "C", "j", "enter")
        assert kind_of_screen(app) is ConfirmScreen
        await press(pilot, "escape")
        assert kind_of_screen(app) is CompareScreen and work.pipeline.name == "gentle"
        await press(pilot, "enter", "right", "enter")
        assert kind_of_screen(app) is StepperScreen and work.pipeline.name == "gate-8k"
        await press(pilot, "C", "escape")
        assert kind_of_screen(app) is StepperScreen
