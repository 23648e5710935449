"""`handcompact repair`: show what would be mended in a damaged session, and write the mended one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.command import DONE, FOUND, add_file, add_json, as_path
from app.cli.output import notice_lines, progress, say, say_json
from app.export.plan import ExportOptions
from app.export.write import write
from app.opening import open_workspace
from app.pipeline import FIRST
from app.repair import RepairPlan, plan_repair


class Repair:
    """Shows each repair as a diff; writes a new file only when told to."""

    name = "repair"
    summary = "show repairs for a damaged session; --write writes them to a new file"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        parser.add_argument("--write", action="store_true", help="write the repaired session to a new file")
        parser.add_argument("--out", metavar="PATH", help="file to write")
        parser.add_argument("--backup-dir", metavar="DIR", help="folder for backup, manifest and report")
        add_json(parser)

    def run(self, args: Namespace) -> int:
        out = as_path(args.out)
        opened = open_workspace(args.file, leaf=args.leaf, pipeline=FIRST, exact=False, out=out)
        options = ExportOptions(out=out, backup_dir=as_path(args.backup_dir))
        plan = plan_repair(opened.workspace, opened.source, options)
        written = write(plan.export, progress=progress) if args.write and plan.repairs else None
        target = None if written is None else str(written.target)
        if args.json:
            say_json(_as_json(plan, target))
        else:
            say(*_lines(plan, target))
        return FOUND if plan.repairs and written is None else DONE


def _lines(plan: RepairPlan, target: str | None) -> list[str]:
    lines = notice_lines(plan.repairs)
    for change in plan.changes:
        lines.append(f"@ line {change.line}")
        lines += [f"- {line}" for line in change.before]
        lines += [f"+ {line}" for line in change.after]
    if not plan.repairs:
        lines.append("nothing to repair")
    elif target is None:
        lines.append("nothing was written: --write writes the repaired session to a new file")
    else:
        lines.append(f"Written   {target}")
    return lines


def _as_json(plan: RepairPlan, target: str | None) -> dict[str, object]:
    return {
        "source": plan.export.session.name,
        "repairs": [{"word": n.word, "line": n.line, "detail": n.detail} for n in plan.repairs],
        "changes": [
            {"line": change.line, "before": list(change.before), "after": list(change.after)}
            for change in plan.changes
        ],
        "target": target,
        "written": target is not None,
    }
