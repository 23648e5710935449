"""`handcompact compare`: several pipelines over one session, side by side."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.command import DONE, add_count, add_file, add_json
from app.cli.output import columns, progress, say, say_json
from app.compare import Outcome, compare
from app.display import human_number
from app.opening import open_workspace
from app.pipeline import FIRST


class Compare:
    """Shows what each pipeline would leave, lose and cost."""

    name = "compare"
    summary = "show what each pipeline would leave, lose and cost, side by side"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        add_count(parser)
        parser.add_argument(
            "--pipeline",
            action="append",
            default=[],
            metavar="P",
            help="a preset or a .toml file; repeatable",
        )
        add_json(parser)

    def run(self, args: Namespace) -> int:
        exact = args.count == "exact"
        workspace = open_workspace(args.file, leaf=args.leaf, pipeline=FIRST, exact=exact).workspace
        workspace.count_all(progress)
        outcomes = list(compare(workspace, args.pipeline))
        if args.json:
            say_json(
                {
                    "source": workspace.session.name,
                    "estimator": workspace.estimator.describe(),
                    "pipelines": [outcome.as_json() for outcome in outcomes],
                }
            )
            return DONE
        header = ("pipeline", "~left", "~freed", "messages", "yours lost", "only copies", "~cached")
        say(
            f"{workspace.session.name}  ({workspace.estimator.describe()})",
            *columns([header, *map(_row, outcomes)], right=frozenset(range(1, 7))),
            "",
        )
        for outcome in outcomes:
            say(f"{outcome.pipeline}: {outcome.price.told()}")
            say(*(f"  {words}" for words in outcome.waiting))
        return DONE


def _row(outcome: Outcome) -> tuple[str, ...]:
    return (
        outcome.pipeline,
        human_number(outcome.price.after),
        human_number(outcome.freed),
        f"{outcome.messages_after} of {outcome.messages_before}",
        human_number(outcome.words_lost),
        human_number(outcome.only_copies_lost),
        human_number(outcome.price.prefix),
    )
