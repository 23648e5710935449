"""`handcompact verify`: what is damaged, which rules are broken, and whether an export is still whole."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from app.cli.command import DONE, FOUND, add_file, add_json, open_plain
from app.cli.output import notice_lines, say, say_json
from app.export.manifests import Manifest, manifests_of, paper_of
from app.export.resuming import resuming
from app.formats import format_named
from app.formats.source import FileSource, Source, sha256
from app.model import Session
from app.validity import RULES, Violation, check
from app.views.problems import DAMAGE
from app.views.report import sent_unit


class Verify:
    """Lists damage and broken rules; a file that we wrote is compared with its manifest."""

    name = "verify"
    summary = "list damage and broken rules; check an export against its manifest"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        parser.add_argument("--strict", action="store_true", help="count risks as broken rules")
        add_json(parser)

    def run(self, args: Namespace) -> int:
        session, source = open_plain(args)
        kind = format_named(session.format)
        violations = check(kind.validity, kind.request(session, session.live))
        broken = [v for v in violations if v.level == "error" or args.strict]
        manifest = _manifest(session, source)
        how = resuming(session, kind, source.path if isinstance(source, FileSource) else None)
        damaged = [notice for notice in session.notices if notice.word in DAMAGE]
        found = bool(broken or damaged or (manifest and not manifest["same"]))
        if args.json:
            say_json({**_as_json(session, violations, manifest, ok=not found), "resume": how.as_json()})
        else:
            is_shared = manifest is not None and manifest["shared"]
            gone = how.folder if how.folder_is_there is False and not is_shared else ""
            _say(session, violations, manifest, gone, len(damaged), ok=not found)
        return FOUND if found else DONE


def _manifest(session: Session, source: Source) -> dict[str, Any] | None:
    if session.name == "-":
        return None
    manifest: Manifest | None = next(manifests_of(Path(session.name)), None)
    if manifest is None:
        paper = paper_of(Path(session.name))
        if paper is None:
            return None
        return _told(paper.path, sha256(source) == paper.target_sha256, None, shared=True)
    return _told(manifest.path, sha256(source) == manifest.target_sha256, manifest.backup)


def _told(path: Path, same: bool, backup: Path | None, *, shared: bool = False) -> dict[str, Any]:
    return {
        "shared": shared,
        "path": str(path),
        "same": same,
        "backup": None if backup is None else str(backup),
        "backup_there": backup is not None and backup.is_file(),
    }


def _say(
    session: Session,
    violations: list[Violation],
    manifest: dict[str, Any] | None,
    gone: str,
    damaged: int,
    *,
    ok: bool,
) -> None:
    say(f"{session.name}  ({session.format}, {session.facts.messages} {sent_unit(session)})")
    say(*notice_lines(session.notices))
    for violation in violations:
        say(f"  {violation.where:<12} {violation.level}  {violation.rule}: {RULES[violation.rule].text}")
    if manifest:
        same = "unchanged since it was written" if manifest["same"] else "CHANGED since it was written"
        say(f"  manifest     {same} ({manifest['path']})")
    if gone:
        say(f"  resume       {gone}")
    errors = sum(violation.level == "error" for violation in violations)
    say("ok" if ok else f"found: {damaged} kinds of damage, {errors} broken rules")


def _as_json(
    session: Session, violations: list[Violation], manifest: dict[str, Any] | None, *, ok: bool
) -> dict[str, Any]:
    return {
        "source": session.name,
        "format": session.format,
        "ok": ok,
        "bad_lines": list(session.facts.bad_lines),
        "notices": [
            {"word": notice.word, "line": notice.line, "detail": notice.detail} for notice in session.notices
        ],
        "violations": [
            {
                "rule": violation.rule,
                "level": violation.level,
                "where": violation.where,
                "key": violation.key,
                "detail": violation.detail,
            }
            for violation in violations
        ],
        "manifest": manifest,
    }
