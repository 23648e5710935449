"""`handcompact compact`: run a pipeline and write the compacted session."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.arguments import add_folder, is_folder
from app.cli.command import add_count, add_file, add_json, add_pipeline, open_for_work
from app.cli.exporting import add_exporting, add_look_at_disk, export, place_of
from app.cli.output import Told
from app.cli.stage_input_arguments import add_giving, is_given


class Compact:
    """Runs every stage of a pipeline and exports the outcome."""

    name = "compact"
    summary = "run a pipeline on a session and write the result to a new file"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        add_pipeline(parser)
        add_count(parser)
        add_exporting(parser)
        add_look_at_disk(parser)
        add_giving(parser)
        add_folder(parser)
        parser.add_argument(
            "--write", action="store_true", help="for a folder: write each result beside its original"
        )
        add_json(parser)

    def run(self, args: Namespace) -> int:
        if is_folder(args.file):
            # Imported here: one session needs no other processes.
            from app.cli.folders import compact_folder

            return compact_folder(args)
        opened = open_for_work(args, place_of(args))
        workspace = opened.workspace
        if args.look_at_disk:
            workspace.look_at_disk()
        told: Told = ()
        if is_given(args):
            # Imported here: most pipelines write no summary.
            from app.cli.stage_inputs import give
            from app.cli.summaries import NotSent

            try:
                told = give(workspace, args)
            except NotSent as refusal:
                return refusal.told(as_json=args.json)
        workspace.run_all()
        return export(workspace, opened.source, args, summaries=told)
