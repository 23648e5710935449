"""An export plan and its outcome, as lines of text."""

from __future__ import annotations

from app.display import counted, human_bytes, human_number
from app.export.plan import ExportPlan
from app.export.resuming import BY_OPTION
from app.export.shell_quoting import quoted
from app.export.write import Written
from app.formats.source import FileSource
from app.pipeline import PRESET
from app.work.checks import CheckLevel


def plan_lines(plan: ExportPlan, size_after: int | None = None) -> list[str]:
    """The plan as text, one fact per line; `size_after` is the new file's size in bytes if known."""
    counts = plan.rewriting
    where = "" if plan.pipeline_from == PRESET else f"  (from {plan.pipeline_from})"
    lines = [
        f"Source    {plan.session.name}  ({plan.format.title})",
        f"Pipeline  {plan.pipeline}{where}",
        f"Target    {plan.target_words}" + ("  (in place)" if plan.in_place else ""),
    ]
    for step in plan.steps:
        done = f"{counted(len(step.changes), 'block')} changed" if step.changes else ""
        words = "; ".join(filter(None, (done, step.result.note)))
        what = f"Stage {step.number}   {step.name}" if step.edit is None else f"Edit      {step.edit.label}"
        lines.append(f"{what}: {words}")
        lines += [f"          {line}" for line in step.result.trace]
    lines += [
        f"Tokens    ~{human_number(plan.tokens_before)} -> ~{human_number(plan.tokens_after)}"
        f"  ({plan.estimator}, live segment)",
        f"Freed     {freed_words(plan, size_after)}",
        *(f"Cache     {'!    ' if warns else ''}{text}" for warns, text in plan.cost.facts()),
        f"Records   {counts.kept} kept byte for byte, {counts.changed} changed,"
        f" {counts.added} added, {counts.dropped} left out",
    ]
    marks = {CheckLevel.OK: "ok", CheckLevel.WARN: "!", CheckLevel.FAIL: "FAIL"}
    lines += [f"Check     {marks[check.level]:4} {check.text}" for check in plan.checks]
    lines += [f"Repair    line {n.line or '?'}: {n.word} {n.detail}".rstrip() for n in counts.repairs]
    if plan.index is not None:
        lines.append(f"Listed    {plan.index}: removed results and how to get each back")
    lines += [f"Yours     would be lost: {text.content.preview}" for text in plan.words_gone]
    return lines


def written_facts(written: Written, way: str = BY_OPTION) -> list[tuple[str, str]]:
    """Where the files are now and what to do next, as pairs of label and text.

    `way` says how to place an export where its agent looks.
    """
    facts = [("Written", written.plan.target_words)]
    if written.backup:
        facts.append(("Backup", str(written.backup)))
    if written.carried:
        facts.append(("Carried", f"{human_bytes(written.carried)} written to it meanwhile, added at the end"))
    if written.still_open:
        facts.append(("Warning", still_open_words(written.still_open)))
    if written.shared is not None and written.manifest:
        facts.append(("Manifest", f"{written.manifest}: what was masked; share it with the session"))
    if written.shared is not None and written.target and isinstance(written.plan.source, FileSource):
        files = written.plan.session.name, str(written.target)
        facts.append(("Compare", f"handcompact diff {' '.join(map(quoted, files))}"))
    if written.report:
        facts.append(("Report", str(written.report)))
    if written.no_report:
        facts.append(("Report", f"missing: {written.no_report}"))
    resuming = written.plan.resuming
    if resuming.command or resuming.obstacle:
        facts.append(("Resume", resuming.command or resuming.why_none(way)))
    if resuming.folder:
        facts.append(("Folder", resuming.folder))
    return facts


def still_open_words(writers: tuple[str, ...]) -> str:
    """The warning that programs still have the replaced file open."""
    have = "has" if len(writers) == 1 else "have"
    return f"{', '.join(writers)} still {have} the old file open: quit it now: what it writes there is lost"


def written_lines(written: Written) -> list[str]:
    """`written_facts` as lines."""
    where, *others = written_facts(written)
    return [f"{label:<10}{text}" for label, text in [where, *others]]


def freed_words(plan: ExportPlan, size_after: int | None = None) -> str:
    """`~61,030 tokens of the window, 1.2 MiB of 1.9 MiB on disk`: neither figure follows from the other."""
    freed = plan.bytes_freed(size_after)
    disk = (
        f"{human_bytes(freed)} of {human_bytes(plan.source.size)} on disk"
        if freed >= 0
        else f"the file grows by {human_bytes(-freed)}"
    )
    return f"~{human_number(plan.tokens_freed)} tokens of the window, {disk}"
