"""The recorded runs of the stages that shorten or clear results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from app.pipeline import Pipeline, load
from app.stages.base import Context, Messages, StageResult
from app.tokens import estimator
from tests.recorded_runs.neutral import Json, Params, Run, answer, to_model

_SHORT = {"tool_result_budget": "budget", "microcompact": "micro", "retain_tail": "retain"}


def _react_mini(names: Sequence[str], params: Params, messages: Sequence[Json]) -> Json:
    pipeline = _with_params(load("react-mini"), names, params)
    measure = estimator(pipeline.estimator)
    given = to_model(messages)
    current, steps = given, []
    for step in pipeline.steps:
        result = step.stage(current, Context(measure))
        if result.messages is not current and result.messages != current:
            steps.append(_step_report(_SHORT[step.name], current, result))
        current = result.messages
    report = {"steps": steps, "size_before": measure.total(given), "size_after": measure.total(current)}
    return answer(current, report)


def _step_report(name: str, before: Messages, result: StageResult) -> Json:
    report: Json = {"stage": name, "messages_before": len(before), "messages_after": len(result.messages)}
    if name == "retain":
        report["messages_dropped"] = len(before) - len(result.messages)
    else:
        report["blocks_changed"] = len(result.changes)
    if name != "budget":
        report["size_before"] = result.size_before
    return report


def _with_params(pipeline: Pipeline, names: Sequence[str], params: Params) -> Pipeline:
    changes: dict[str, dict[str, Any]] = {}
    for step in pipeline.steps:
        known = {option.name for option in step.stage.options()}
        own = {name: value for name, value in params.items() if name in known}
        changes[step.name] = {**own, "protect": False}
    if "micro_enabled" in params:
        changes["microcompact"]["enabled"] = params["micro_enabled"]
    if "enabled" in params:
        for own in changes.values():
            own["enabled"] = params["enabled"]
    ready = pipeline.with_options(changes)
    kept = tuple(step for step in ready.steps if step.stage.enabled and step.name in names)
    return Pipeline(ready.name, ready.title, ready.about, ready.estimator, kept, ready.origin)


RUNS: Mapping[tuple[str, str], Run] = {
    ("000", "budget"): partial(_react_mini, ("tool_result_budget",)),
    ("000", "micro"): partial(_react_mini, ("microcompact",)),
    ("000", "retain"): partial(_react_mini, ("retain_tail",)),
    ("000", "pipeline"): partial(_react_mini, ("tool_result_budget", "microcompact", "retain_tail")),
}
