"""What the screens share while a session is open."""

from __future__ import annotations

from dataclasses import dataclass

from app.formats import open_session
from app.formats.source import Source
from app.pipeline import Pipeline
from app.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Work:
    """An open session and the bytes that it was read from; its state is all in the workspace."""

    workspace: Workspace
    source: Source


def open_work(file: str, pipeline: Pipeline, leaf: str | None = None) -> Work:
    """Read a session and open it with a pipeline; raises InputError saying what was expected."""
    session, source = open_session(file, leaf)
    return Work(Workspace(session, pipeline), source)
