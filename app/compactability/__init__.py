"""Judging what would be lost with each block: one verdict and one reason, from the messages alone.

tools         the agents' tool names -> a few kinds, and which of them can be regenerated
shell, paths  what a command reads and writes; which lines of which file a read asks for
calls         each result with its call, and what the call did
placeholders  recognising results that were already compacted
reads         whether a later read contains an earlier one
relations     how later blocks affect each result, in one backward pass
turns         where turns start, and whether one is open
verdicts      the verdict, its cause and its reason
"""

from app.compactability.calls import Call, ResultFacts, answered, call_of
from app.compactability.placeholders import CUT_MIDDLE, CUT_TAIL, Form, compacted_form, is_cut
from app.compactability.tools import REGENERABLE, Kind, tool_kind
from app.compactability.turns import newest_turn, open_turn, starts_turn
from app.compactability.verdicts import (
    REF,
    Cause,
    Judgement,
    State,
    Verdict,
    classify,
    judge_results,
    states,
    with_results,
)

__all__ = [
    "CUT_MIDDLE",
    "CUT_TAIL",
    "REF",
    "REGENERABLE",
    "Call",
    "Cause",
    "Form",
    "Judgement",
    "Kind",
    "ResultFacts",
    "State",
    "Verdict",
    "answered",
    "call_of",
    "classify",
    "compacted_form",
    "is_cut",
    "judge_results",
    "newest_turn",
    "open_turn",
    "starts_turn",
    "states",
    "tool_kind",
    "with_results",
]
