"""`handcompact [PATH]`: the screens."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from app.cli.arguments import DONE, add_no_cache, add_pipeline
from app.errors import InputError
from app.settings import FIRST

_HEAD = 4096
"""Bytes of a file that are looked at before anything is drawn."""


def add_open_arguments(parser: ArgumentParser) -> None:
    """What may be given when the screens open."""
    parser.add_argument(
        "file",
        nargs="?",
        metavar="PATH",
        help="a session file; without one, list the sessions on this machine",
    )
    parser.add_argument("--leaf", metavar="KEY", help="use the branch that ends at this record")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")
    parser.add_argument(
        "--theme", metavar="NAME", help="colour theme: textual-dark, textual-light, ansi-dark ..."
    )
    add_no_cache(parser)
    add_pipeline(parser)


def has_terminal() -> bool:
    """Whether there is a terminal to draw on and to type into."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def open_screens(args: Namespace) -> int:
    """Run the screens until the person quits.

    Raises InputError, before anything is drawn, for a file, a pipeline or a theme that cannot be
    used, and where there is no terminal to draw on.
    """
    if not has_terminal():
        raise InputError("the program needs a terminal; without one, use: report FILE, compact FILE ...")
    _refuse_what_cannot_be_used(args)

    # Textual is imported here only, so that the other commands start at once.
    from app.tui.app import HandcompactApp, Opening

    app = HandcompactApp(
        Opening(
            file=args.file,
            leaf=args.leaf,
            pipeline=args.pipeline,
            settings=tuple(args.settings),
            ascii=args.ascii,
            theme=args.theme,
            keep_counts=not args.no_cache,
        )
    )
    if args.theme is not None and args.theme not in app.available_themes:
        raise InputError(f"unknown theme {args.theme!r}; available: {', '.join(app.available_themes)}")
    app.run()
    if app.farewell:
        from app.cli.output import complain

        complain(app.farewell)
    return app.return_code or DONE


def _refuse_what_cannot_be_used(args: Namespace) -> None:
    """Raise InputError for a file or a pipeline that is of no use.

    What looks sound is left to the screens: to look closer takes longer than their first paint.
    """
    if args.pipeline != FIRST or args.settings:
        from app.opening import parse_settings
        from app.pipeline import load

        load(args.pipeline).with_options(parse_settings(args.settings))
    if args.file is not None and not _begins_as_json(args.file):
        from app.formats import detect, open_source

        detect(open_source(args.file))


def _begins_as_json(file: str) -> bool:
    """Whether a file can be read and its first sign is that of an object or a list."""
    try:
        path = Path(file)
        if not path.is_file():
            return False
        with path.open("rb") as opened:
            return opened.read(_HEAD).lstrip(b" \t\r\n\0\xef\xbb\xbf")[:1] in (b"{", b"[")
    except (OSError, ValueError):
        return False
