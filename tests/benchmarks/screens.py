"""The screens without a terminal: how long they take to show rows, to paint a key, and how long they stop."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Final

from textual.pilot import Pilot

from app.tui.app import HandcompactApp, Opening
from app.tui.screens.export import ExportScreen
from app.tui.screens.inspect import InspectScreen
from app.tui.screens.stepper import StepperScreen
from app.tui.widgets.message_list import MessageList

SIZE: Final = (120, 36)
MESSAGES: Final = 100_000
PRESSES: Final = ("down",) * 60 + ("pagedown",) * 20 + ("up",) * 20 + ("G", "g") * 10
_LOOK: Final = 0.004


class _Pulse:
    """Wakes up again and again, and notes how late it was."""

    def __init__(self) -> None:
        self.late: list[float] = []

    async def beat(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(_LOOK)
            self.late.append(time.perf_counter() - began - _LOOK)


async def watched(path: Path, patience: float = 900) -> Mapping[str, float]:
    """Milliseconds to the first rows, until rows that come into view are counted, and of the two longest
    stops, until everything is counted; seconds for the rest.
    """
    app = HandcompactApp(Opening(file=str(path)))
    began = time.perf_counter()
    async with app.run_test(size=SIZE) as pilot:
        pulse = _Pulse()
        beating = asyncio.create_task(pulse.beat())
        painted = time.perf_counter()
        rows = await _until(lambda: _has_rows(app), patience)
        opened = await _until(lambda: isinstance(app.screen, InspectScreen), patience)
        await _until(lambda: _counts(app), patience)
        in_view = await _counted_in_view(app, patience)
        counted = await _until(lambda: _is_counted(app), patience)
        await pilot.pause()
        beating.cancel()
        late = sorted(pulse.late, reverse=True)
    return {
        "rows": 1000 * (rows - painted),
        "in view": 1000 * in_view,
        "opened": opened - began,
        "counted": counted - began,
        "stop": 1000 * late[0],
        "second stop": 1000 * late[1],
    }


async def stepped(path: Path, patience: float = 900) -> Mapping[str, float]:
    """Milliseconds of the longest stop while the next stage is tried, while all are run, and while an
    export is planned, once everything is counted.
    """
    app = HandcompactApp(Opening(file=str(path)))
    steps = (("right_square_bracket", "next", _has_run), ("a", "all", _has_run), ("e", "plan", _has_planned))
    stops: dict[str, float] = {}
    async with app.run_test(size=SIZE) as pilot:
        await _until(lambda: _is_counted(app), patience)
        pulse = _Pulse()
        beating = asyncio.create_task(pulse.beat())
        for key, name, is_done in steps:
            await pilot.pause()
            pulse.late.clear()
            await pilot.press(key)
            await _until(partial(is_done, app), patience)
            await pilot.pause()
            stops[name] = 1000 * max(pulse.late)
        beating.cancel()
    return stops


def _has_run(app: HandcompactApp) -> bool:
    screen = app.screen
    return isinstance(screen, StepperScreen) and screen._shown is not None and not screen.is_waiting


def _has_planned(app: HandcompactApp) -> bool:
    return isinstance(app.screen, ExportScreen) and app.screen._planned is not None


def _counts(app: HandcompactApp) -> bool:
    """Whether counting has begun: the vocabulary is there, and the rows that came first are counted."""
    return isinstance(app.screen, InspectScreen) and _has_rows(app) and _is_counted_in_view(app.screen)


def _is_counted_in_view(screen: InspectScreen) -> bool:
    known = screen.workspace.counter.exact.known
    return all(known(block) is not None for block in screen._in_view())


async def _counted_in_view(app: HandcompactApp, patience: float) -> float:
    """Seconds until rows in the middle are counted, once they are shown."""
    screen = app.screen
    assert isinstance(screen, InspectScreen)
    screen.rows.cursor = len(screen.shown) // 2
    await _until(lambda: screen.rows.scroll_y > 0, patience)
    began = time.perf_counter()
    return await _until(lambda: _is_counted_in_view(screen), patience) - began


def _has_rows(app: HandcompactApp) -> bool:
    return any(view.row_count > 0 for view in app.screen.query(MessageList))


def _is_counted(app: HandcompactApp) -> bool:
    screen = app.screen
    # Asked of the screen: the workspace would look at every block, and so hold the screen up itself.
    return isinstance(screen, InspectScreen) and screen.problems is not None and screen._share == 1


async def _until(is_so: Callable[[], bool], patience: float) -> float:
    ends = time.perf_counter() + patience
    while not is_so():
        if time.perf_counter() > ends:
            raise TimeoutError(f"{is_so} did not come true")
        await asyncio.sleep(0.02)
    return time.perf_counter()


async def pressed() -> Mapping[str, float]:
    """Milliseconds of processor time from a key to its paint in a list of 100,000 messages: the median, and
    the 95th of 100. The time that passes holds rests of the test driver's own.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.json"
        roles = ("user", "assistant")
        each = [{"role": roles[n % 2], "content": f"message {n} of many"} for n in range(MESSAGES)]
        path.write_text(json.dumps({"messages": each}))
        app = HandcompactApp(Opening(file=str(path)))
        async with app.run_test(size=SIZE) as pilot:
            await _until(lambda: _is_counted(app), 300)
            await pilot.pause()
            took = [await _press(pilot, key) for key in PRESSES]
    return {"median": median(took), "p95": quantiles(took, n=20)[-1]}


async def _press(pilot: Pilot[None], key: str) -> float:
    began = time.process_time()
    await pilot.press(key)
    return 1000 * (time.process_time() - began)
