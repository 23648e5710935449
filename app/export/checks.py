"""The checks on an export plan: the provider's rules, and the file it would be written to."""

from __future__ import annotations

from app.export.resuming import passed_over
from app.formats.base import Format, Rewriting
from app.formats.source import FileSource, Source
from app.running import users_of
from app.validity import Violation, errors
from app.work.checks import Check, CheckLevel, Faults


def rule_checks(kind: Format, found: Faults, rewriting: Rewriting) -> tuple[Check, ...]:
    """Check the plan against the provider's rules; faults of the input are reported apart from new ones."""
    checks = []
    broken = errors(found.broken_by_edit)
    if broken:
        checks.append(Check(CheckLevel.FAIL, _told("this edit would break", broken), _keys(broken)))
    else:
        checks.append(Check(CheckLevel.OK, f"{kind.title} accepts it: the edit breaks no rule"))
    old = errors(found.already_broken)
    if old:
        checks.append(Check(CheckLevel.WARN, _told("already broken in the original", old), _keys(old)))
    if rewriting.repairs:
        words = ", ".join(sorted({notice.word for notice in rewriting.repairs}))
        checks.append(Check(CheckLevel.WARN, f"{len(rewriting.repairs)} repairs while writing: {words}"))
    return tuple(checks)


def place_checks(source: Source, kind: Format, *, in_place: bool) -> tuple[Check, ...]:
    """Warnings on the file itself: a symlink, open in another program, or ignored by its agent."""
    if not isinstance(source, FileSource):
        return ()
    checks = []
    if source.path.is_symlink():
        checks.append(Check(CheckLevel.WARN, f"{source.path} is a link to {source.path.resolve()}"))
    if in_place and (users := users_of(source.path)):
        checks.append(Check(CheckLevel.WARN, f"another program has the file open: {', '.join(users)}"))
    if in_place and (why := passed_over(kind)):
        checks.append(Check(CheckLevel.WARN, why))
    return tuple(checks)


def _told(what: str, violations: list[Violation]) -> str:
    rules = ", ".join(dict.fromkeys(violation.rule for violation in violations))
    return f"{what}: {rules}"


def _keys(violations: list[Violation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(violation.key for violation in violations))
