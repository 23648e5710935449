"""`handcompact [PATH]`: the screens."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.command import DONE, add_pipeline


def add_open_arguments(parser: ArgumentParser) -> None:
    """What may be given when the screens open."""
    parser.add_argument(
        "file", nargs="?", metavar="PATH", help="a session file; without one, a list of sessions"
    )
    parser.add_argument("--leaf", metavar="KEY", help="the branch that ends at this record")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII signs only")
    parser.add_argument("--theme", metavar="NAME", help="textual-dark, textual-light, ansi-dark ...")
    add_pipeline(parser)


def open_screens(args: Namespace) -> int:
    """Run the screens until the person quits; raises InputError for a file that cannot be opened."""
    # Textual is imported here only, so that the other commands start at once.
    from app.tui.app import HandcompactApp, Opening

    opening = Opening(
        file=args.file,
        leaf=args.leaf,
        pipeline=args.pipeline,
        settings=tuple(args.settings),
        ascii=args.ascii,
        theme=args.theme,
    )
    HandcompactApp(opening).run()
    return DONE
