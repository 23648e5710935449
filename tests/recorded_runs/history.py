"""The recorded runs of the stages that cut history and write summaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from msgspec import structs

from app.formats.markers import author_of, boundary_of
from app.model import Author, Block, Boundary, Held, Message, Role, Text, text_of
from app.pipeline import load
from app.refusal import Refusal
from app.stages import stage_named
from app.stages.base import Context, Messages, PlannedFile, Stage, StageResult
from app.stages.cut_points import whole_pairs_before
from app.summarizers import Summaries
from app.summarizers.structured import structured_summary
from app.tokens import Estimator, estimator
from tests.recorded_runs.neutral import Json, Params, Run, answer, to_model
from tests.recorded_runs.results import with_calls, with_params, without_calls


def _preset_stages(pipeline: str, names: Sequence[str], params: Params) -> list[Stage]:
    """Stages with the options that a preset gives them, and with those of a case."""
    return [with_params(step.stage, params) for step in load(pipeline).steps if step.name in names]


def _with_summary(
    stage: Stage, messages: Messages, context: Context, summary: str
) -> tuple[StageResult, str]:
    """A stage with a model's answer, had beforehand as a face has it; also what the model was asked."""
    result = stage(messages, context)
    if result.wanted is None:
        return result, ""
    summaries = structs.replace(context.summaries, models=((result.wanted.key, summary),))
    return stage(messages, replace(context, summaries=summaries)), result.wanted.text


# 000, in its later version. Its boundary is a message of its own, in front of the summary.

_BOUNDARY = "[compact boundary]"


def _react_autocompact(params: Params, messages: Sequence[Json]) -> Json:
    options = {
        "source": ["model"],
        "high_water": 0.8,
        "min_messages": 2,
        "keep_messages": 4,
        "heading": "Conversation summary (compacted):\n",
        "when": "always" if params.get("force") else "high-water",
    }
    stage = with_params(stage_named("summarize").build(options), params)
    context = Context(estimator("utf16"), tokens=estimator("rough"))
    result, _ = _with_summary(stage, to_model(messages), context, params.get("summary", ""))
    report: Json = {"compacted": result.boundary is not None, "reason": _reason(result, len(messages))}
    if result.boundary is not None:
        report["messages_summarised"] = result.boundary.removed
    return answer(tuple(_with_boundaries(result.messages)), report)


def _reason(result: StageResult, count: int) -> str:
    if result.boundary is not None:
        return "success"
    if result.failed:
        return "nothing_to_compact" if count <= 2 else "failed"
    return "failed" if result.wanted is not None else "below_threshold"


def _with_boundaries(messages: Messages) -> Iterator[Message]:
    for message in messages:
        if message.boundary is not None:
            yield structs.replace(message, blocks=(Text("", Held(_BOUNDARY), Author.INJECTED),))
        yield message


def _react_after_boundary(params: Params, messages: Sequence[Json]) -> Json:
    given: list[Message] = []
    boundary: Boundary | None = None
    for neutral, message in zip(messages, to_model(messages), strict=True):
        if (neutral.get("meta") or {}).get("synthetic") and _BOUNDARY in text_of(message.blocks[0]):
            boundary = Boundary(message.key, "auto")
            continue
        given.append(structs.replace(message, boundary=boundary))
        boundary = None
    stage = with_params(stage_named("active_context").build({}), params)
    return answer(stage(tuple(given), Context(estimator("utf16"))).messages, {})


# 001: MiniCode. Its summary is a system message; its estimates are part of each case.


class RecordedTokens:
    """The reference's own estimate of each message; of others a guess by their characters."""

    name = "recorded"
    unit = "tokens"
    length_unit = "characters"

    def __init__(self, given: Sequence[Json]) -> None:
        self._measure = estimator("minicode")
        self._tokens = {str(i): tokens for i, m in enumerate(given) if (tokens := _tokens(m)) is not None}
        self._chars = {message.key: _chars(message) for message in to_model(given)}

    def describe(self) -> str:
        return "recorded"

    def length(self, text: str) -> int:
        return len(text)

    def cut(self, text: str, length: int) -> str:
        return text[:length]

    def block(self, block: Block) -> int:
        return self._measure.block(block)

    def message(self, message: Message) -> int:
        tokens = self._tokens.get(message.key)
        if tokens is None:
            return -(-_chars(message) // 4) + 12
        return tokens - (self._chars[message.key] - _chars(message)) // 4

    def total(self, messages: Iterable[Message]) -> int:
        return sum(map(self.message, messages))


def _tokens(neutral: Json) -> int | None:
    tokens = (neutral.get("meta") or {}).get("tokens")
    return tokens if isinstance(tokens, int) else None


def _chars(message: Message) -> int:
    return sum(len(text_of(block)) for block in message.blocks)


def _minicode_context(params: Params, measure: Estimator, **more: Any) -> Context:
    hours, minutes, seconds = map(int, params["env"]["clock_text"].split(":"))
    frozen = 3600 * hours + 60 * minutes + seconds
    return Context(measure, now=frozen, root=params["env"]["root"], **more)


def _minicode_params(params: Params) -> Params:
    more: Json = {"when": "always"} if params.get("force") else {}
    if "min_messages" in params:
        more["keep_messages"] = params["min_messages"]
    if "max_tail_tokens" not in params:
        more["max_tail_tokens"] = 40_000
    return {**params, **more}


def _as_system(messages: Messages) -> Messages:
    return tuple(
        structs.replace(message, role=Role.SYSTEM)
        if message.boundary is not None and message.boundary.key.endswith("/boundary")
        else message
        for message in messages
    )


def _minicode_summary(sources: Sequence[str], params: Params, messages: Sequence[Json]) -> Json:
    [stage] = _preset_stages("minicode", ["summarize"], {**_minicode_params(params), "source": sources})
    given = to_model(messages)
    failures = params.get("failures_before", 0)
    context = _minicode_context(
        params,
        RecordedTokens(messages),
        failures=failures,
        summaries=Summaries(memory=params.get("memory", "")),
    )
    result = stage(given, context)
    report: Json = {"failures": failures + result.failed, "breaker_open": failures + result.failed >= 3}
    if result.boundary is not None:
        report["messages_removed"] = result.boundary.removed
    return answer(_as_system(result.messages), report)


def _minicode_memory(params: Params, messages: Sequence[Json]) -> Json:
    return _minicode_summary(["memory"], {"force": True, **params}, messages)


def _minicode_rules(params: Params, messages: Sequence[Json]) -> Json:
    given = to_model(messages)
    return answer(given, {"summary": structured_summary(given)})


def _minicode_pair_cut(params: Params, messages: Sequence[Json]) -> Json:
    given = to_model(messages)
    return answer(given, {"cut": whole_pairs_before(given, params["cut"])})


def _minicode_reactive(params: Params, messages: Sequence[Json]) -> Json:
    [stage] = _preset_stages("minicode", ["recover"], params)
    attempt = params.get("attempts_before", 0) + 1
    context = _minicode_context(params, RecordedTokens(messages), refusal=Refusal("", attempt=attempt))
    result = stage(to_model(messages), context)
    truncated = result.boundary is not None and result.changes[-1].after is not None
    cut = truncated and "aggressively truncated" in text_of(_made(result))
    report = {"attempts": attempt if cut or result.failed else 0, "gave_up": result.failed}
    return answer(_as_system(result.messages), report)


def _made(result: StageResult) -> Block:
    block = result.changes[-1].after
    assert block is not None
    return block


def _minicode_pipeline(params: Params, messages: Sequence[Json]) -> Json:
    switches = {
        "enable_budget": "tool_result_budget",
        "enable_micro": "microcompact",
        "enable_full": "summarize",
    }
    off = {name for switch, name in switches.items() if not params.get(switch, True)}
    names = [step.name for step in load("minicode").steps if step.name not in {"recover", *off}]
    measure = RecordedTokens(messages)
    current, files, saved = with_calls(messages), list[PlannedFile](), 0
    for stage in _preset_stages("minicode", names, {"last_run": 0.0, **_minicode_params(params)}):
        clock = replace(_minicode_context(params, measure), now=params.get("now", params["env"]["now"]))
        context = _minicode_context(params, measure) if stage.name == "summarize" else clock
        if stage.name == "summarize":
            current = without_calls(current)
        result = stage(current, context)
        saved += len(result.files)
        files += result.files
        current = result.messages
    return answer(_as_system(without_calls(current)), {"results_saved": saved}, files)


# 002: learn-claude-code


def _layered_context(params: Params, **more: Any) -> Context:
    env = params["env"]
    files = params.get("existing_files", {})
    return Context(estimator("json-chars"), now=env.get("now"), root=env["root"], files=files, **more)


def _with_markers(messages: Messages) -> Messages:
    """The messages, with what earlier compactions left told as the formats tell it."""
    return tuple(map(_with_marker, messages))


def _with_marker(message: Message) -> Message:
    first = message.blocks[0] if message.blocks else None
    if message.role is not Role.USER or not isinstance(first, Text):
        return message
    text = first.content.read()
    boundary = boundary_of(text, message.key, None)
    if boundary is None:
        return message
    told = structs.replace(first, author=author_of(text, first.author))
    return structs.replace(message, blocks=(told, *message.blocks[1:]), boundary=boundary)


def _layered_params(params: Params) -> Params:
    return {**params, "request": params.get("active_request", "")}


def _layered_snip(params: Params, messages: Sequence[Json]) -> Json:
    [stage] = _preset_stages("layered", ["snip"], params)
    result = stage(_with_markers(to_model(messages)), _layered_context(params))
    return answer(result.messages, {"messages_after": len(result.messages)}, result.files)


def _layered_summary(name: str, params: Params, messages: Sequence[Json]) -> Json:
    more = {"when": "always"} if name == "summarize" else {}
    [stage] = _preset_stages("layered", [name], {**_layered_params(params), **more})
    context = _layered_context(params, refusal=Refusal("prompt is too long"))
    result, asked = _with_summary(stage, to_model(messages), context, params["summary"])
    report: Json = {"messages_after": len(result.messages), "summary_input": asked}
    if result.boundary is not None:
        report["messages_summarised"] = result.boundary.removed
    return answer(result.messages, report, result.files)


def _layered_pipeline(params: Params, messages: Sequence[Json]) -> Json:
    names = ["tool_result_budget", "snip", "microcompact", "summarize"]
    stages = _preset_stages("layered", names, _layered_params(params))
    limit = params["max_total_chars"]
    if params.get("order") == "late_micro":
        late = {"when": "over-threshold", "max_total_chars": limit, "target_chars": limit * 4 // 5}
        stages[2] = stages[2].with_options({**late, "save_before_clear": True})
        stages.insert(3, stage_named("fit").build({"target_chars": limit, "protect": False}))
    current, files, opened = _with_markers(to_model(messages)), list[PlannedFile](), False
    for stage in stages:
        result, _ = _with_summary(stage, current, _layered_context(params), params.get("summary", ""))
        files += result.files
        current = result.messages
        opened = stage.name == "summarize" and result.boundary is not None
    return answer(current, {"messages_after": len(current), "l4": opened}, files)


RUNS: Mapping[tuple[str, str], Run] = {
    ("000", "autocompact"): _react_autocompact,
    ("000", "after_boundary"): _react_after_boundary,
    ("001", "full"): partial(_minicode_summary, ["structured"]),
    ("001", "session_memory"): _minicode_memory,
    ("001", "auto"): partial(_minicode_summary, ["memory", "structured"]),
    ("001", "summary"): _minicode_rules,
    ("001", "pair_cut"): _minicode_pair_cut,
    ("001", "reactive"): _minicode_reactive,
    ("001", "pipeline"): _minicode_pipeline,
    ("002", "snip"): _layered_snip,
    ("002", "history"): partial(_layered_summary, "summarize"),
    ("002", "reactive"): partial(_layered_summary, "recover"),
    ("002", "pipeline"): _layered_pipeline,
}
