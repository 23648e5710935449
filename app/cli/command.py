"""What a command is: one object a file, which names its arguments and runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Protocol

from app.cli.settings_argument import parse_settings
from app.formats import detect, open_source
from app.formats.source import Source
from app.model import Session
from app.pipeline import FIRST, load
from app.workspace import Workspace

DONE = 0
FOUND = 1
"""A check found something."""


class Command(Protocol):
    """One verb of the command line."""

    name: str
    summary: str

    def configure(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, args: Namespace) -> int:
        """Do it and return the exit code; errors are raised as HandcompactError."""


def add_file(parser: ArgumentParser) -> None:
    """The session file and which branch of it."""
    parser.add_argument("file", metavar="FILE", help="a session file, or - for standard input")
    parser.add_argument("--leaf", metavar="KEY", help="the branch that ends at this record")


def add_json(parser: ArgumentParser) -> None:
    """Machine-readable output."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_count(parser: ArgumentParser) -> None:
    """How tokens are counted."""
    parser.add_argument(
        "--count",
        choices=("rough", "exact"),
        default="exact",
        help="rough: by length, at once; exact: with the tokenizer (default)",
    )


def add_pipeline(parser: ArgumentParser) -> None:
    """Which pipeline, with which options."""
    parser.add_argument(
        "--pipeline", default=FIRST, metavar="P", help=f"a preset or a .toml file (default: {FIRST})"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="STAGE.OPTION=VALUE",
        dest="settings",
        help="change an option of a stage; may be given more than once",
    )


def open_plain(args: Namespace) -> tuple[Session, Source]:
    """The session named by the arguments."""
    source = open_source(args.file)
    return detect(source).read(source, leaf=args.leaf), source


def open_workspace(args: Namespace) -> tuple[Workspace, Source]:
    """The session named by the arguments, opened with the pipeline they name."""
    pipeline = load(args.pipeline).with_options(parse_settings(args.settings))
    session, source = open_plain(args)
    return Workspace(session, pipeline, exact=args.count == "exact"), source


def as_path(text: str | None) -> Path | None:
    """A path argument; None stays None."""
    return None if text is None else Path(text).expanduser()
