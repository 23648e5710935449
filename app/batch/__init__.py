"""Running one job on every session below a folder, one process per core; a broken file fails alone."""

from __future__ import annotations

from app.batch.job import Compacting, Job, Outcome, Result
from app.batch.pool import run
from app.batch.tree import Entry, sessions_below

__all__ = ["Compacting", "Entry", "Job", "Outcome", "Result", "run", "sessions_below"]
