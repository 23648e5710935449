"""Choosing another pipeline for the open session."""

from __future__ import annotations

from pathlib import Path

from app.display import counted
from app.errors import HandcompactError
from app.pipeline import known_names, load
from app.tui.screens.base import WorkScreen, acts
from app.tui.screens.choose import Choice, ChooseScreen


class ChoosesPipeline(WorkScreen):
    """A screen on which another pipeline can be chosen."""

    def did(self, words: str) -> None:
        """Say what a key did, and show everything anew."""
        raise NotImplementedError

    @acts
    def action_pipeline(self) -> None:
        known = known_names()
        present = self.workspace.pipeline
        choices = [_pipeline_choice(name) for name in known]
        lost = len(self.workspace.state.taken)
        goes = f"Taking another one takes back the {counted(lost, 'stage')} that ran; pins stay."

        def choose(position: int | None) -> None:
            if position is None or known[position] in (present.name, present.origin):
                return
            try:
                self.workspace.choose(load(known[position]))
            except HandcompactError as error:
                self.status(str(error))
            else:
                self.did(f"pipeline {self.workspace.pipeline.name}")

        current = known.index(present.name) if present.name in known else None
        self.app.push_screen(
            ChooseScreen("Pipeline", choices, about=goes if lost else "", current=current), choose
        )


def _pipeline_choice(name: str) -> Choice:
    try:
        pipeline = load(name)
    except HandcompactError as error:
        return Choice(f"{Path(name).name}: {error}")
    return Choice(f"{pipeline.name}  {pipeline.title}", counted(len(pipeline.steps), "stage"))
