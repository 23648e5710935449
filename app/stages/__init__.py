"""The stages, in the order in which pipelines use them."""

from __future__ import annotations

from app.errors import BadPipeline
from app.stages.active_context import ActiveContext
from app.stages.base import Stage
from app.stages.drop_superseded import DropSuperseded
from app.stages.drop_thinking import DropThinking
from app.stages.fit import Fit
from app.stages.microcompact import Microcompact
from app.stages.options import meant, told
from app.stages.read_dedup import ReadDedup
from app.stages.recover import Recover
from app.stages.result_gate import ResultGate
from app.stages.retain_tail import RetainTail
from app.stages.snip import Snip
from app.stages.summarize import Summarize
from app.stages.tool_result_budget import ToolResultBudget

STAGES: tuple[type[Stage], ...] = (
    ActiveContext,
    ToolResultBudget,
    ReadDedup,
    Microcompact,
    ResultGate,
    DropSuperseded,
    DropThinking,
    Snip,
    RetainTail,
    Fit,
    Summarize,
    Recover,
)


def stage_named(name: str) -> type[Stage]:
    """The stage of this name; raises BadPipeline with the names there are."""
    for stage in STAGES:
        if stage.name == name:
            return stage
    names = [stage.name for stage in STAGES]
    raise BadPipeline(f"unknown stage {told(name)}{meant(name, names)}; available: {', '.join(names)}")
