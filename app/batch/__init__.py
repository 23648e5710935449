"""One job done with every session below a folder, a process per core; a broken file costs itself alone."""

from __future__ import annotations

from app.batch.job import Compacting, Job, Outcome, Result
from app.batch.pool import run
from app.batch.tree import Entry, sessions_below

__all__ = ["Compacting", "Entry", "Job", "Outcome", "Result", "run", "sessions_below"]
