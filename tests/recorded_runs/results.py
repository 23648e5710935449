"""The recorded runs of the stages that shorten or clear results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from msgspec import structs

from app.compactability import compacted_form
from app.model import Block, HeldValue, Message, ToolResult, ToolUse, chars_of
from app.pipeline import Pipeline, load
from app.stages.base import Context, Messages, Stage, StageResult
from app.stages.cut_middle import cut_middle
from app.stages.fit import Fit
from app.stages.prompt_sizes import PromptSize
from app.stages.result_gate import ResultGate
from app.stages.survey import Survey
from app.tokens import estimator
from app.tokens.pipeline_measures import MiniCodeEstimator
from tests.recorded_runs.neutral import Json, Params, Run, answer, to_model

_SHORT = {"tool_result_budget": "budget", "microcompact": "micro", "retain_tail": "retain"}


def _of(preset: str, step: str) -> Stage:
    """A stage as a preset has it."""
    return next(planned.stage for planned in load(preset).steps if planned.name == step)


def with_params(stage: Stage, params: Params) -> Stage:
    """A stage with those params that are options of it; the references protect nothing."""
    known = {option.name for option in stage.options()}
    return stage.with_options(
        {**{name: value for name, value in params.items() if name in known}, "protect": False}
    )


# 000: react-mini


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
    steps = [
        structs.replace(step, stage=with_params(step.stage, params))
        for step in pipeline.steps
        if step.name in names
    ]
    if not params.get("micro_enabled", True):
        steps = [step for step in steps if step.name != "microcompact"]
    kept = tuple(step for step in steps if step.stage.enabled)
    return structs.replace(pipeline, steps=kept)


# 001: MiniCode. Its log names the tool on the result itself; ours knows it from the call alone.


def with_calls(given: Sequence[Json]) -> Messages:
    """The messages, with a call in front of each result whose tool only the result itself names."""
    called = {block["id"] for m in given for block in _blocks(m) if block["type"] == "tool_use"}
    return tuple(
        structs.replace(message, blocks=(*_calls(neutral, called), *message.blocks))
        for neutral, message in zip(given, to_model(given), strict=True)
    )


def _calls(neutral: Json, called: set[str]) -> list[ToolUse]:
    return [
        ToolUse(f"call:{block['tool_use_id']}", block["tool_use_id"], block["name"], HeldValue({}))
        for block in _blocks(neutral)
        if block["type"] == "tool_result" and "name" in block and block["tool_use_id"] not in called
    ]


def _blocks(neutral: Json) -> list[Json]:
    content = neutral.get("content")
    return content if isinstance(content, list) else []


def without_calls(messages: Messages) -> Messages:
    """The messages without the calls that `with_calls` put into users' mouths."""
    return tuple(
        message
        if message.role == "assistant"
        else structs.replace(message, blocks=tuple(b for b in message.blocks if not isinstance(b, ToolUse)))
        for message in messages
    )


def _minicode_budget(params: Params, messages: Sequence[Json]) -> Json:
    stage = with_params(_of("minicode", "tool_result_budget"), params)
    result = stage(with_calls(messages), _context("minicode", params))
    report = {
        "results_saved": len(result.changes),
        "chars_original": sum(_chars(change.before) for change in result.changes),
        "chars_freed": sum(_chars(change.before) - _chars(change.after) for change in result.changes),
    }
    return answer(without_calls(result.messages), report, result.files)


def _minicode_micro(params: Params, messages: Sequence[Json]) -> Json:
    stage = with_params(_of("minicode", "microcompact"), {"last_run": 0.0, **params})
    result = stage(with_calls(messages), _context("minicode", params))
    fired = bool(result.changes)
    last_run = params.get("last_run", 0.0)
    report = {
        "fired": fired,
        "results_cleared": len(result.changes),
        "last_run": params.get("now", params["env"]["now"]) if fired else last_run,
    }
    return answer(without_calls(result.messages), report)


def _minicode_dedup(params: Params, messages: Sequence[Json]) -> Json:
    stage = with_params(_of("minicode", "read_dedup"), params)
    result = stage(to_model(messages), _context("minicode", params))
    return answer(result.messages, {})


def _minicode_estimate(params: Params, messages: Sequence[Json]) -> Json:
    measure = MiniCodeEstimator()
    return answer((), {"tokens": [measure.text(text) for text in params["texts"]]})


# 002: learn-claude-code


def _layered(stage: Stage, params: Params, messages: Sequence[Json]) -> Json:
    result = with_params(stage, params)(to_model(messages), _context("json-chars", params))
    report = {"messages_after": len(result.messages), "results_changed": len(result.changes)}
    return answer(result.messages, report, result.files)


# 003: the 8K gate


def _gate_stage(params: Params) -> ResultGate:
    stage = _of("gate-8k", "result_gate").with_options(
        {name: value for name, value in params.items() if name not in ("env", "gates")}
    )
    assert isinstance(stage, ResultGate)
    return stage


def _gate(params: Params, messages: Sequence[Json]) -> Json:
    stage = replace(_gate_stage(params), protect=False)
    readings = [
        PromptSize(gate["after_messages"], gate["tokens"], restarted=bool(gate.get("fresh_state")))
        for gate in params["gates"]
    ]
    result = stage.walk(to_model(messages), readings, _context("chars", params))
    ids = {at.result.key: at.result.tool_use_id for at in Survey(result.messages).results}
    assert result.replay is not None
    gates = [
        {"opened": call.is_open, "pruned": [ids[key] for key in call.cut]} for call in result.replay.calls
    ]
    return answer(result.messages, {"gates": gates})


def _gate_cut(params: Params, messages: Sequence[Json]) -> Json:
    stage = _gate_stage(params)
    given = to_model(messages)
    cut = tuple(structs.replace(m, blocks=tuple(_cut(block, stage) for block in m.blocks)) for m in given)
    before, after = _result(given), _result(cut)
    report = {
        "chars_before": chars_of(before),
        "chars_after": chars_of(after),
        "changed": before is not after,
    }
    return {**answer(cut, report), "messages": _with_extras(answer(cut, report)["messages"], messages)}


def _cut(block: Block, stage: ResultGate) -> Block:
    if not isinstance(block, ToolResult) or chars_of(block) <= stage.max_result_chars:
        return block
    return cut_middle(block, stage.head_chars, stage.tail_chars, whole_graphemes=stage.whole_graphemes)


def _with_extras(messages: list[Json], given: Sequence[Json]) -> list[Json]:
    """The messages with what the neutral form's text parts hold beside their text (citations)."""
    extras = [
        {name: value for name, value in part.items() if name not in ("type", "text")}
        for message in given
        for block in _blocks(message)
        for part in _blocks(block)
        if part["type"] == "text"
    ]
    parts = [
        part
        for message in messages
        for block in message["content"]
        for part in _blocks(block)
        if part["type"] == "text"
    ]
    if len(extras) == len(parts):
        for part, extra in zip(parts, extras, strict=True):
            part.update(extra)
    return messages


def _gate_config(params: Params, messages: Sequence[Json]) -> Json:
    stage = _gate_stage(params)
    names = ("max_result_chars", "head_chars", "tail_chars")
    return answer((), {"config": {name: getattr(stage, name) for name in names}})


def _gate_already_cut(params: Params, messages: Sequence[Json]) -> Json:
    given = to_model(messages)
    return answer(given, {"already_cut": compacted_form(_result(given)) is not None})


# What they share


def _context(measure: str, params: Params) -> Context:
    env = params["env"]
    return Context(
        estimator(measure),
        now=env.get("now"),
        root=env["root"],
        files=params.get("existing_files", {}),
    )


def _chars(block: Block | None) -> int:
    return 0 if block is None else chars_of(block)


def _result(messages: Sequence[Message]) -> ToolResult:
    return next(at.result for at in Survey(tuple(messages)).results)


RUNS: Mapping[tuple[str, str], Run] = {
    ("000", "budget"): partial(_react_mini, ("tool_result_budget",)),
    ("000", "micro"): partial(_react_mini, ("microcompact",)),
    ("000", "retain"): partial(_react_mini, ("retain_tail",)),
    ("000", "pipeline"): partial(_react_mini, ("tool_result_budget", "microcompact", "retain_tail")),
    ("001", "budget"): _minicode_budget,
    ("001", "micro"): _minicode_micro,
    ("001", "dedup"): _minicode_dedup,
    ("001", "estimate"): _minicode_estimate,
    ("002", "budget"): partial(_layered, _of("layered", "tool_result_budget")),
    ("002", "micro"): partial(_layered, _of("layered", "microcompact")),
    ("002", "fit"): partial(_layered, Fit()),
    ("003", "cut"): _gate_cut,
    ("003", "config"): _gate_config,
    ("003", "already_cut"): _gate_already_cut,
    ("003", "gate"): _gate,
}
