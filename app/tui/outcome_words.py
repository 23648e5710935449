"""The result of trying a pipeline on a session, as a table row and as facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from app.display import counted, human_number
from app.tui.widgets.fact_list import Fact
from app.tui.widgets.outcome_list import OutcomeRow
from app.views.compare import ComparedPipeline, Outcome, rule_words


def title_of(tried: ComparedPipeline) -> str:
    """The title of the pipeline, as shown to users."""
    return Path(tried.name).name if tried.pipeline is None else tried.pipeline.name


def outcome_row(tried: ComparedPipeline, *, about: str, present: bool, best: bool) -> OutcomeRow:
    """The row of one pipeline; `about` is the sign put before an estimate."""
    found = tried.outcome
    if found is None:
        return OutcomeRow(title_of(tried), note=tried.problem or "being tried ...", present=present)
    first = found.cost.number
    figures = {
        "left": f"{about}{human_number(found.price.after)}",
        "freed": f"{about}{human_number(found.freed)}",
        "gone": human_number(found.messages_lost),
        "yours": human_number(found.words_lost),
        "copies": human_number(found.only_copies_lost),
        "boundary": found.boundary.strategy if found.boundary else "-",
        "first": "-" if first is None else f"#{first}",
        "cached": f"{found.cached_share:.0%}",
        "pays": _pays(found),
        "valid": "yes" if found.is_valid else "NO",
    }
    warnings = {
        "yours": found.words_lost > 0,
        "copies": found.only_copies_lost > 0,
        "valid": not found.is_valid,
    }
    losses = frozenset(heading for heading, is_loss in warnings.items() if is_loss)
    return OutcomeRow(title_of(tried), figures, present=present, best=best, warnings=losses)


def _pays(found: Outcome) -> str:
    turns = found.price.turns
    if found.price.first_changed is None:
        return "-"
    if turns is None:
        return "never"
    return counted(round(turns), "turn") if turns >= 1 else "at once"


def facts(tried: ComparedPipeline, *, present: bool) -> Iterator[Fact]:
    """The details for which the row has no room."""
    if tried.problem:
        yield Fact("wrong", tried.problem, "!", whole=True)
        return
    if tried.pipeline is None or tried.outcome is None:
        yield Fact("", "being tried ...")
        return
    found = tried.outcome
    yield Fact("is", tried.pipeline.title + (" (* the current one)" if present else ""), whole=True)
    yield Fact("does", tried.pipeline.about, whole=True)
    if lost := found.words_lost:
        yield Fact("yours", f"{counted(lost, 'text')} you typed would be removed", "!", whole=True)
    if copies := found.only_copies_lost:
        yield Fact(
            "copies",
            f"{counted(copies, 'result')} that cannot be regenerated would be removed",
            "!",
            whole=True,
        )
    yield from (Fact("breaks", rule_words(rule), "FAIL", whole=True) for rule in found.broken)
    if boundary := found.boundary:
        hides = "nothing before it is sent any more" if boundary.hides else "a plain message replaces it"
        removed = "" if boundary.removed is None else f"{counted(boundary.removed, 'message')} removed; "
        yield Fact("boundary", f"{boundary.strategy}: {removed}{hides}", whole=True)
    yield Fact("cache", found.cost.told(), whole=True)
    yield from (Fact("waits", words, whole=True) for words in found.waiting)
