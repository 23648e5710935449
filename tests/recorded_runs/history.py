"""The recorded runs of the stages that cut history and write summaries."""

from __future__ import annotations

from collections.abc import Mapping

from tests.recorded_runs.neutral import Run

RUNS: Mapping[tuple[str, str], Run] = {}
