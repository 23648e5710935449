"""What would be lost with each block: one verdict and one reason, from the messages alone.

tools         the agents' tool names -> a few kinds, and which of them can be had again
shell, paths  what a command reads and writes; which lines of which file a read asks for
calls         each result with its call, and what the call was about
placeholders  how a result looks that was compacted already
reads         whether a later read holds an earlier one
relations     what later blocks made of each result, in one pass backwards
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
