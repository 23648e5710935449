"""`handcompact compact`: run a pipeline and write the compacted session."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.command import add_count, add_file, add_json, add_pipeline, open_for_work
from app.cli.exporting import add_exporting, add_look_at_disk, export, place_of
from app.cli.giving import Unsent, add_giving, give
from app.cli.output import complain, say, say_json
from app.errors import RefusedError


class Compact:
    """Runs every stage of a pipeline and exports the outcome."""

    name = "compact"
    summary = "run a pipeline over a session and write the result, the original untouched"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        add_pipeline(parser)
        add_count(parser)
        add_exporting(parser)
        add_look_at_disk(parser)
        add_giving(parser)
        add_json(parser)

    def run(self, args: Namespace) -> int:
        opened = open_for_work(args, place_of(args))
        workspace = opened.workspace
        if args.look_at_disk:
            workspace.look_at_disk()
        unsent = give(workspace, args)
        if unsent is not None:
            _print_unsent(unsent, args)
            return RefusedError.exit_code
        workspace.run_all()
        return export(workspace, opened.source, args)


def _print_unsent(unsent: Unsent, args: Namespace) -> None:
    if args.json:
        say_json(unsent.as_json())
    else:
        say(*unsent.lines())
        complain("handcompact: nothing was sent and nothing written; --yes-send sends it")
