"""Choosing another pipeline for the open session."""

from __future__ import annotations

import os
from pathlib import Path

from app.display import counted, short_path
from app.errors import HandcompactError
from app.pipeline import known_names, load, own_folder
from app.tui.screens.base import WorkScreen, acts
from app.tui.screens.choose import Choice, ChooseScreen


class ChoosesPipeline(WorkScreen):
    """A screen on which another pipeline can be chosen."""

    def did(self, words: str) -> None:
        """Report what a key did, and refresh the screen."""
        raise NotImplementedError

    @acts
    def action_pipeline(self) -> None:
        known = known_names()
        present = self.workspace.pipeline
        choices = [_pipeline_choice(name) for name in known]
        lost = len(self.workspace.state.taken)
        goes = f"Choosing another undoes the {counted(lost, 'stage')} that ran; pins stay. "
        yours = f"Your own pipelines are in {short_path(own_folder())}."

        def choose(position: int | None) -> None:
            if position is None or known[position] == present.reference:
                return
            try:
                self.workspace.choose(load(known[position]))
            except HandcompactError as error:
                self.did(str(error).removeprefix(f"{own_folder()}{os.sep}"))
            else:
                self.did(f"pipeline {self.workspace.pipeline.name}")

        current = known.index(present.reference) if present.reference in known else None
        self.app.push_screen(
            ChooseScreen("Pipeline", choices, about=f"{goes if lost else ''}{yours}", current=current), choose
        )


def _pipeline_choice(name: str) -> Choice:
    try:
        pipeline = load(name)
    except HandcompactError as error:
        return Choice(str(error).removeprefix(f"{own_folder()}{os.sep}"), "unusable")
    whose = "preset" if pipeline.is_preset else f"yours, {Path(pipeline.origin).name}"
    title = pipeline.title.removeprefix(f"{pipeline.name}: ")
    stages = counted(len(pipeline.steps), "stage")
    return Choice(f"{pipeline.name}: {title}", f"{stages}  {whose}", pipeline.about)
