"""Runs recorded compaction cases through our stages.

`run(seed, stage, params, messages)` takes and gives the recording's neutral messages. The modules of
`tests.recorded_runs` alone know how the recording's stage names map onto ours; every other
difference is a plain option. The references protect nothing, so the cases run with `protect` off.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.recorded_runs import history, results
from tests.recorded_runs.neutral import Json, Params

RUNS = {**results.RUNS, **history.RUNS}


def run(seed: str, stage: str, params: Params, messages: Sequence[Json]) -> Json:
    """One recorded case; raises NotImplementedError for a stage that is not there."""
    found = RUNS.get((seed, stage))
    if found is None:
        raise NotImplementedError(f"{seed} {stage}")
    return found(params, messages)
