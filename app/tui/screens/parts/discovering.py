"""Discovering the sessions of this machine in the background: names at once, heads as they are read."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from textual.message import Message
from textual.worker import get_current_worker

from app.discovery.catalogue import Catalogue
from app.discovery.found_session import FoundSession, SearchedFolder
from app.display import counted, short_path
from app.tui.in_thread import in_thread
from app.tui.responsive import importing
from app.tui.screens.base import BaseScreen

FIRST_HEADS = 40
"""Heads in the first batch: about one screenful."""
BATCH_SECONDS = 0.25
"""Time between later batches."""


class LooksForSessions(BaseScreen):
    """A screen that receives `Came` as sessions are found."""

    class Came(Message):
        """A batch of sessions or heads; `shelves` is set with the last one."""

        def __init__(
            self,
            found: Sequence[FoundSession],
            shelves: Sequence[SearchedFolder] = (),
            at_work: Mapping[str, Sequence[str]] | None = None,
        ) -> None:
            super().__init__()
            self.found = found
            self.shelves = shelves
            self.at_work = at_work
            """The programs that use a session, by its name."""

    class Left(Message):
        """The number of leftover steps by session name."""

        def __init__(self, steps: Mapping[str, int]) -> None:
            super().__init__()
            self.steps = steps

    @in_thread(exit_on_error=False, exclusive=True, group="left")
    def look_for_steps(self, names: Sequence[str]) -> None:
        """Find which of these sessions have steps that were neither exported nor discarded."""
        with importing:
            from app.persistence.recovery import left_behind

        by_file = left_behind()
        # Resolving paths is slow, so only those with a matching file name are resolved.
        called = {Path(file).name for file in by_file}
        same = {name: str(Path(name).resolve()) for name in names if Path(name).name in called}
        self.post_message(self.Left({name: by_file[file] for name, file in same.items() if file in by_file}))

    @in_thread(exit_on_error=False, exclusive=True, group="look")
    def look_for_sessions(self) -> None:
        """List the folders first, then read the heads, newest first."""
        # Imported lazily, to not delay the first paint.
        with importing:
            from app.discovery.folders import AgentFolders, samples
            from app.running import running

        worker = get_current_worker()

        def tell(found: Sequence[FoundSession]) -> None:
            if not worker.is_cancelled:
                self.post_message(self.Came(found))

        look = AgentFolders(tell)
        tell(samples())
        batch: list[FoundSession] = []
        due = time.monotonic() + BATCH_SECONDS
        for number, found in enumerate(look.listed, 1):
            if worker.is_cancelled:
                return
            batch.append(look.read(found))
            if number == FIRST_HEADS or time.monotonic() > due:
                tell(batch)
                batch, due = [], time.monotonic() + BATCH_SECONDS
        now = running()
        at_work = {found.name: users for found in look.listed if (users := now.on(found.name))}
        if not worker.is_cancelled:
            self.post_message(self.Came(batch, look.shelves, at_work))


def places_words(catalogue: Catalogue, shelves: Sequence[SearchedFolder]) -> str:
    """The folders searched, and how many sessions were found in each."""
    few = counted(sum(found.is_sample for found in catalogue), "sample")
    full = [shelf for shelf in shelves if shelf.found]
    if not full:
        # The samples come first: the line may be cut off at its end.
        return f"{few} below; no sessions in {', '.join(short_path(s.folder) for s in shelves)}"
    places = [f"{counted(s.found, 'session')} in {short_path(s.folder)} ({s.agent})" for s in full]
    if len(full) > 1:
        places = [f"{s.found:,} of {s.agent}" for s in full]
    return f"{', '.join(places)}; {few} below"
