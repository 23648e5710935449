"""`handcompact compare`: several pipelines over one session, side by side."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

from app.cli.command import DONE, add_count, add_file, add_json
from app.cli.output import columns, complain, progress, say, say_json
from app.display import human_number
from app.errors import InputError
from app.opening import open_workspace
from app.pipeline import FIRST, known_names
from app.views.compare import Best, ComparedPipeline, Outcome, best, compare, ranked, rule_words
from app.work.workspace import Workspace

HEADER = (
    *("", "pipeline", "~left", "~freed", "gone", "yours", "copies"),
    *("boundary", "first", "cached", "valid"),
)
LEGEND = (
    "left, freed: tokens; gone: messages removed; yours: your messages removed; copies: only copies removed",
    "boundary: marker it writes; first: first message changed; cached: share that stays cached",
)


class Compare:
    """Shows what each pipeline would leave, lose and cost."""

    name = "compare"
    summary = "compare what each pipeline would free, lose and cost"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        add_count(parser)
        parser.add_argument(
            "--pipelines",
            default="",
            metavar="A,B,C",
            help="pipelines to compare, by name (default: all presets and your own)",
        )
        parser.add_argument(
            "--pipeline",
            action="append",
            default=[],
            metavar="P",
            help="pipeline name or .toml file; repeatable",
        )
        add_json(parser)

    def run(self, args: Namespace) -> int:
        names = _names(args)
        exact = args.count == "exact"
        workspace = open_workspace(args.file, leaf=args.leaf, pipeline=FIRST, exact=exact).workspace
        workspace.count_all(progress)
        rows = ranked(_tried(workspace, names))
        progress("")
        found = best(rows)
        if args.json:
            say_json(_as_json(workspace, rows, found))
        else:
            say(*_lines(workspace, rows, found))
        failed = [row for row in rows if row.outcome is None]
        for row in failed:
            complain(f"handcompact: {row.problem}")
        return InputError.exit_code if failed else DONE


def _names(args: Namespace) -> list[str]:
    listed = (name.strip() for name in args.pipelines.split(","))
    return list(dict.fromkeys((*filter(None, listed), *args.pipeline))) or list(known_names())


def _tried(workspace: Workspace, names: Sequence[str]) -> Iterator[ComparedPipeline]:
    tried = compare(workspace, names)
    for number, name in enumerate(names, 1):
        progress(f"Trying {name} ({number} of {len(names)})")
        yield next(tried)


def _as_json(workspace: Workspace, rows: Sequence[ComparedPipeline], found: Best | None) -> dict[str, object]:
    return {
        "source": workspace.session.name,
        "estimator": workspace.estimator.describe(),
        "tokens": workspace.tokens(workspace.session.live),
        "messages": len(workspace.session.live),
        "best": None if found is None else {"pipeline": found.pipeline, "reason": found.reason},
        "pipelines": [row.as_json() for row in rows],
    }


def _lines(workspace: Workspace, rows: Sequence[ComparedPipeline], found: Best | None) -> Iterator[str]:
    live = workspace.session.live
    size = f"~{human_number(workspace.tokens(live))} tokens in {human_number(len(live))} messages"
    yield f"{workspace.session.name}: {size}  ({workspace.estimator.describe()})"
    outcomes = [row.outcome for row in rows if row.outcome is not None]
    chosen = None if found is None else found.pipeline
    table = [HEADER, *(_row(outcome, outcome.pipeline == chosen) for outcome in outcomes)]
    yield from columns(table, right=frozenset({2, 3, 4, 5, 6, 8, 9}))
    yield ""
    if found is None:
        yield "None of them frees anything here."
    else:
        yield f"+ {found.pipeline}: {found.reason}"
    yield from LEGEND
    for outcome in outcomes:
        yield ""
        yield f"{outcome.pipeline}: {outcome.cost.told()}"
        yield from (f"  would break: {rule_words(rule)}" for rule in outcome.broken)
        yield from (f"  {words}" for words in outcome.waiting)


def _row(outcome: Outcome, is_best: bool) -> tuple[str, ...]:
    first = outcome.cost.number
    return (
        "+" if is_best else "",
        outcome.pipeline,
        human_number(outcome.price.after),
        human_number(outcome.freed),
        human_number(outcome.messages_lost),
        human_number(outcome.words_lost),
        human_number(outcome.only_copies_lost),
        outcome.boundary.strategy if outcome.boundary else "-",
        "-" if first is None else f"#{first}",
        f"{outcome.cached_share:.0%}",
        "yes" if outcome.is_valid else f"no: {outcome.broken[0]}",
    )
