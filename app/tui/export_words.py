"""The texts of the export dialog: an export plan as facts and notes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from app.display import Glyphs, counted, human_number, short_path
from app.export.plan import ExportPlan
from app.export.plan_text import freed_words
from app.export.sharing import Sharing
from app.model import Notice, Text
from app.tui.stage_words import SIGNS
from app.tui.widgets.fact_list import Fact

WHERE_AGENT_LOOKS: Final = "Install it in its agent's folder"
"""The label of the tick box that installs the session."""
BY_TICK: Final = f'press e again, tick "{WHERE_AGENT_LOOKS}" and write'
SHOWN_FILES = 3
"""The most saved files that are named one by one."""


def plan_facts(plan: ExportPlan, size_after: int, not_run: Sequence[str], glyphs: Glyphs) -> list[Fact]:
    """The facts of a plan, most urgent first; `not_run` names the stages that were not accepted."""
    counts = plan.rewriting
    total = counts.kept + counts.changed + counts.dropped
    parts = [f"keep {human_number(counts.kept)} of {human_number(total)} byte for byte"]
    others = (("change", counts.changed), ("add", counts.added), ("leave out", counts.dropped))
    parts += [f"{verb} {human_number(count)}" for verb, count in others if count]
    before, after = human_number(plan.tokens_before), human_number(plan.tokens_after)
    facts = [
        Fact("records", ", ".join(parts), whole=True),
        Fact("tokens", f"~{before} {glyphs.arrow} ~{after}  ({plan.estimator})"),
        Fact("freed", freed_words(plan, size_after)),
    ]
    facts += [Fact("cache", text, "!" if warns else "") for warns, text in plan.cost.facts()]
    if not_run:
        facts.append(Fact("note", f"not accepted, so not included: {', '.join(not_run)}", "!"))
    facts += [Fact("yours", _words(text), "!", (text.key,)) for text in plan.words_gone]
    facts += [Fact("checks", check.text, SIGNS[check.level], check.keys) for check in plan.checks]
    facts += [Fact("repairs", _repair(notice)) for notice in counts.repairs]
    facts += _saved([path for path, _ in plan.files if path != plan.index])
    if plan.index is not None:
        listed = f"{short_path(plan.index)}: how to get each removed result back"
        facts.append(Fact("listed", listed, whole=True))
    if plan.side_folder is not None:
        facts.append(Fact("files", f"{short_path(plan.side_folder[1])}: a copy of the session's folder"))
    return facts


def box_notes(plan: ExportPlan, *, listed: bool) -> dict[str, str]:
    """The notes beside the tick boxes, by the name of the box."""
    folder = "" if plan.backup_folder is None else short_path(plan.backup_folder)
    kept = f"always when the original is replaced: {folder}" if plan.in_place else folder
    has_boundary = plan.rewrite.boundary is not None or bool(plan.session.boundaries)
    return {
        "backup": kept if plan.share is None else "none: the original is not touched",
        "report": "beside the backup" if plan.share is None else "written beside the session",
        "install": f"so that {plan.format.title} finds it" if plan.resuming.is_astray else "",
        "drop-old": "" if has_boundary else "there is no boundary",
        "index": "" if plan.index is not None or not listed else "no result is removed",
    }


def lost_fact(facts: int | None) -> list[Fact]:
    """How many facts are removed though the rest still mentions them; None if not searched for."""
    if facts is None:
        return [Fact("lost", "not searched yet (too much text remains): L searches")]
    if not facts:
        return []
    speaks = "fact that is still mentioned: L shows it"
    several = "facts that are still mentioned: L shows them"
    return [Fact("lost", counted(facts, speaks, several), "!")]


def shared_facts(shared: Sharing | None) -> Iterator[Fact]:
    """What is masked in a session that will be shared, and what masking cannot guarantee."""
    lines = () if shared is None else shared.lines()
    yield from (Fact(line[:9].strip().lower(), line[10:], whole=True) for line in lines)


def _saved(paths: list[Path]) -> list[Fact]:
    """The files that stages save; if there are many, their number and common folder."""
    if len(paths) <= SHOWN_FILES:
        return [Fact("files", short_path(path)) for path in paths]
    folder = Path(os.path.commonpath(paths))
    return [Fact("files", f"{counted(len(paths), 'saved result')} under {short_path(folder)}")]


def _words(text: Text) -> str:
    preview = " ".join(text.content.preview.split())
    more = text.content.chars - len(text.content.preview)
    return f"{preview}  ({human_number(more)} more characters)" if more > 0 else preview


def _repair(notice: Notice) -> str:
    line = "" if notice.line is None else f"line {notice.line}: "
    return f"{line}{notice.word} {notice.detail}".rstrip()
