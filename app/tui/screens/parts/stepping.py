"""Background work of the stepper: running the current stage and counting its output. It touches no widget."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message
from textual.worker import get_current_worker

from app.errors import HandcompactError
from app.tui.in_thread import in_thread
from app.tui.screens.base import WorkScreen
from app.tui.stage_words import change_rows, facts
from app.tui.widgets.change_list import Row
from app.tui.widgets.fact_list import Fact
from app.views.stage_view import StageView, stage_view


class Walked(Message):
    """The current stage was run; holds its rows and facts with the tokens counted so far."""

    def __init__(self, view: StageView, facts: Sequence[Fact], rows: Sequence[Row]) -> None:
        super().__init__()
        self.view = view
        self.facts = facts
        self.rows = rows


class Failed(Message):
    """The stage could not be run."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.reason = reason


class WalksStages(WorkScreen):
    """A screen that receives `Walked`, again whenever more is counted, or `Failed`."""

    @in_thread(exclusive=True, group="stage")
    def walk(self) -> None:
        """Compute the state of the pipeline: estimated at first, then counted."""
        worker, workspace = get_current_worker(), self.workspace
        try:
            view = self._tell()
            if view.counted or not workspace.estimator.exact:
                return
            changes = [block.change for block in view.comparison.blocks]
            sides = [side for change in changes for side in (change.before, change.after) if side is not None]
            for blocks in (sides, workspace.to_count()):
                workspace.count(blocks, lambda: worker.is_cancelled)
                if worker.is_cancelled:
                    return
                self._tell()
        except (HandcompactError, OSError) as error:
            self.post_message(Failed(str(error)))

    def _tell(self) -> StageView:
        workspace = self.workspace
        view = stage_view(workspace)
        told = Walked(view, facts(view, workspace.steps), change_rows(workspace, view))
        if not get_current_worker().is_cancelled:
            self.post_message(told)
        return view
