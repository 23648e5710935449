"""`handcompact convert`: move a session to another agent's format, and say what could not come along."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.command import DONE, add_file, add_json, as_path, open_plain
from app.cli.output import complain, say, say_json
from app.convert import TARGETS, Destination, plan_conversion, target_named, write_conversion
from app.convert.plan import report_lines, why_not
from app.errors import RefusedError


class Convert:
    """Writes a whole new file in the target's format; the original is only read."""

    name = "convert"
    summary = "convert a session to another agent's format and list what is lost"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        names = "|".join(target.name for target in TARGETS)
        parser.add_argument("--to", required=True, metavar="FORMAT", help=names)
        place = parser.add_mutually_exclusive_group()
        place.add_argument("--out", metavar="PATH", help="file to write; - for standard output")
        place.add_argument(
            "--install",
            action="store_true",
            help="write the new session where the target agent looks for sessions",
        )
        parser.add_argument("--cwd", metavar="DIR", help="working folder of the new session")
        parser.add_argument("--title", metavar="TEXT", help="title of the new session")
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would be written, and write nothing"
        )
        add_json(parser)

    def run(self, args: Namespace) -> int:
        target = target_named(args.to)
        session, source = open_plain(args)
        folder = as_path(args.cwd)
        place = Destination(
            out=None if args.out == "-" else as_path(args.out),
            to_stdout=args.out == "-",
            install=args.install,
            cwd=None if folder is None else str(folder.absolute()),
            title=args.title,
        )
        plan = plan_conversion(session, source, target, place)
        refusal = why_not(plan)
        written = refusal is None and not args.dry_run
        if written:
            write_conversion(plan)
        lines = report_lines(plan)
        if plan.path is None and written:
            # The session itself is on standard output.
            for line in lines:
                complain(line)
        elif args.json:
            say_json({**plan.as_json(), "written": written, "dry_run": args.dry_run, "refused": refusal})
        else:
            say(*lines, *(["Dry run: nothing was written."] if args.dry_run and refusal is None else []))
        if refusal is not None:
            complain(f"handcompact: {refusal}")
            return RefusedError.exit_code
        return DONE
