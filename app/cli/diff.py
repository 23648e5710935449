"""`handcompact diff`: two sessions message by message, or an export beside its source."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from app.cli.colours import say_lines
from app.cli.command import DONE, FOUND, add_count, add_json
from app.cli.output import complain, progress, say_json
from app.formats import open_session
from app.session_diff.lines import contrast_lines
from app.session_diff.sessions import blocks_to_count, contrast, contrast_json
from app.session_diff.source import origin_of
from app.tokens import token_estimator
from app.tokens.counter import Counter


class Diff:
    """Shows what two sessions send alike and what only one of them does."""

    name = "diff"
    summary = "compare two sessions message by message, or an export with its source"

    def configure(self, parser: ArgumentParser) -> None:
        parser.add_argument("a", metavar="A", help="a session or an export")
        parser.add_argument(
            "b", metavar="B", nargs="?", help="another session, in any format (default: the source of A)"
        )
        add_count(parser)
        parser.add_argument("--brief", action="store_true", help="show no text")
        parser.add_argument("--full", action="store_true", help="show all text, with nothing folded")
        add_json(parser)

    def run(self, args: Namespace) -> int:
        before, after = _files(args)
        old, _ = open_session(before)
        new, _ = open_session(after)
        is_exact = args.count == "exact"
        counter = Counter(token_estimator(old.model, exact=is_exact), token_estimator(old.model, exact=False))
        progress("Comparing")
        found = contrast(old, new)
        if is_exact:
            for counted in counter.run(blocks_to_count(found), lambda: False):
                progress(f"Counting tokens {counted.share:.0%}")
        progress("")
        if args.json:
            say_json(contrast_json(found, counter, full=args.full))
        else:
            say_lines(contrast_lines(found, counter, brief=args.brief, full=args.full))
        return DONE if found.is_same else FOUND


def _files(args: Namespace) -> tuple[str, str]:
    if args.b is not None:
        return args.a, args.b
    origin = origin_of(Path(args.a).expanduser())
    if origin.note:
        complain(f"handcompact: {origin.note}")
    return str(origin.path), args.a
