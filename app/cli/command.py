"""What a command is: one object a file, which names its arguments and runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Protocol

from app.export.plan import typed_path
from app.formats import open_session
from app.formats.source import Source
from app.model import Session
from app.opening import Opened, open_workspace
from app.pipeline import FIRST

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
        "--pipeline", default=FIRST, metavar="P", help=f"a name, or a .toml file (default: {FIRST})"
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
    return open_session(args.file, leaf=args.leaf)


def open_for_work(args: Namespace, out: Path | None = None) -> Opened:
    """The session named by the arguments, with the pipeline they name."""
    return open_workspace(
        args.file,
        leaf=args.leaf,
        pipeline=args.pipeline,
        settings=args.settings,
        exact=args.count == "exact",
        out=out,
        install=getattr(args, "install", False),
    )


def as_path(text: str | None) -> Path | None:
    """A path argument; None stays None."""
    return None if text is None else typed_path(text)
