"""What the commands that export have in common: where to, what may go, a dry run, and what came of it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.command import DONE, as_path
from app.cli.lost_facts import losses_of, lost_as_json, lost_lines
from app.cli.output import complain, progress, say, say_json
from app.errors import InputError, RefusedError
from app.export.plan import ExportOptions, ExportPlan, make_plan
from app.export.plan_json import plan_as_json
from app.export.plan_text import plan_lines, written_lines
from app.export.write import Written, why_refused, write
from app.formats.source import Source
from app.gc_control import collector_paused
from app.work.workspace import Workspace

if TYPE_CHECKING:
    from app.export.sharing import Sharing
    from app.masking import MaskingOptions


def add_exporting(parser: ArgumentParser) -> None:
    """Where the new session goes, and what may be left out of it."""
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--out", metavar="PATH", help="file to write; - for standard output")
    place.add_argument(
        "--install", action="store_true", help="write the new session where its agent looks for sessions"
    )
    place.add_argument("--in-place", action="store_true", help="replace the original, after a backup")
    parser.add_argument(
        "--drop-user-words", action="store_true", help="allow your own messages to be removed"
    )
    parser.add_argument("--drop-old", action="store_true", help="leave out what is before the boundary")
    parser.add_argument(
        "--slim", action="store_true", help="also empty the second copies of results that are never sent"
    )
    parser.add_argument("--backup-dir", metavar="DIR", help="folder for backup, manifest and report")
    parser.add_argument(
        "--no-backup", action="store_true", help="make no backup (--in-place always makes one)"
    )
    parser.add_argument("--no-report", action="store_true", help="write no report")
    parser.add_argument(
        "--no-index",
        action="store_true",
        help="write no list of removed results and how to get each back",
    )
    parser.add_argument("--title", metavar="TEXT", help="title of the new session")
    parser.add_argument(
        "--share",
        action="store_true",
        help="for sharing: mask keys, credentials and user names in paths everywhere",
    )
    parser.add_argument("--mask-emails", action="store_true", help="with --share: also mask e-mail addresses")
    parser.add_argument(
        "--mask",
        action="append",
        default=[],
        metavar="TEXT",
        dest="masked_words",
        help="with --share: also mask this text, ignoring case; repeatable",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the plan and write nothing")


def add_look_at_disk(parser: ArgumentParser) -> None:
    """Whether files that the session names are opened, to see whether they stand as they were read."""
    parser.add_argument(
        "--look-at-disk",
        action="store_true",
        help="allow stages to clear reads whose file on disk is unchanged",
    )


def place_of(args: Namespace) -> Path | None:
    """Where the new session will lie, as far as the arguments tell."""
    return as_path(args.file) if args.in_place else wishes_of(args).out


def _share(args: Namespace) -> MaskingOptions | None:
    if args.share:
        from app.masking import MaskingOptions

        return MaskingOptions(addresses=args.mask_emails, words=tuple(filter(None, args.masked_words)))
    if args.mask_emails or args.masked_words:
        raise InputError("--mask and --mask-emails need --share")
    return None


@collector_paused()
def export(
    workspace: Workspace,
    source: Source,
    args: Namespace,
    *,
    summaries: Sequence[dict[str, Any]] = (),
    told: Mapping[str, object] | None = None,
) -> int:
    """Count, plan, and write unless it is a dry run or refused; gives the exit code.

    `summaries` is what the proofs of written summaries found, for JSON; `told` is what else JSON tells.
    """
    workspace.count_all(progress)
    lost = losses_of(workspace)
    told = {"summaries": summaries, **(told or {}), "lost": lost_as_json(lost)}
    lines = lost_lines(lost)
    plan = make_plan(workspace, source, wishes_of(args))
    refusal = why_refused(plan, drop_user_words=args.drop_user_words)
    if args.dry_run or refusal:
        _print_plan(plan, args, refusal, told, lines)
        return DONE if refusal is None else RefusedError.exit_code
    written = write(plan, drop_user_words=args.drop_user_words, progress=progress)
    _print_written(written, args, told, lines)
    return DONE


def wishes_of(args: Namespace) -> ExportOptions:
    """What the arguments ask of an export."""
    return ExportOptions(
        install=args.install,
        out=None if args.out == "-" else as_path(args.out),
        to_stdout=args.out == "-",
        in_place=args.in_place,
        backup_dir=as_path(args.backup_dir),
        backup=not args.no_backup,
        report=not args.no_report,
        drop_old=args.drop_old,
        slim=args.slim,
        title=args.title,
        share=_share(args),
    )


def _print_plan(
    plan: ExportPlan, args: Namespace, refusal: str | None, told: Mapping[str, object], more: list[str]
) -> None:
    shared = _foreseen(plan) if refusal is None else None
    if args.json:
        came = {"written": False, "dry_run": args.dry_run, "refused": refusal}
        share = None if shared is None else shared.as_json()
        say_json({**plan_as_json(plan), **told, **came, "share": share})
        return
    say(*plan_lines(plan), *more, *(() if shared is None else shared.lines()))
    if refusal:
        complain(f"handcompact: {refusal}")
    elif args.dry_run:
        say("Dry run: nothing was written.")


def _foreseen(plan: ExportPlan) -> Sharing | None:
    if plan.share is None:
        return None
    from app.export.sharing import foreseen

    return foreseen(plan)


def _print_written(written: Written, args: Namespace, told: Mapping[str, object], more: list[str]) -> None:
    to_stdout = written.target is None
    if args.json and not to_stdout:
        say_json({**written.as_json(), **told})
        return
    shared = () if written.shared is None else written.shared.lines()
    lines = [*plan_lines(written.plan, written.size), *more, *shared, *written_lines(written)]
    if to_stdout:
        # The session itself is on standard output.
        for line in lines:
            complain(line)
    else:
        say(*lines)
    sys.stdout.flush()
