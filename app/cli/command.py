"""What a command is: one object a file, which names its arguments and runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.cli.arguments import DONE, FOUND, add_count, add_file, add_json, add_pipeline

if TYPE_CHECKING:
    from app.formats.source import Source
    from app.model import Session
    from app.opening import Opened

__all__ = [
    "DONE",
    "FOUND",
    "Command",
    "add_count",
    "add_file",
    "add_json",
    "add_pipeline",
    "as_path",
    "open_for_work",
    "open_plain",
]


class Command(Protocol):
    """One verb of the command line."""

    name: str
    summary: str

    def configure(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, args: Namespace) -> int:
        """Do it and return the exit code; errors are raised as HandcompactError."""


def open_plain(args: Namespace) -> tuple[Session, Source]:
    """The session named by the arguments."""
    # Imported here, as below: not every command opens a session, and none does to tell its arguments.
    from app.formats import open_session

    return open_session(args.file, leaf=args.leaf)


def open_for_work(args: Namespace, out: Path | None = None) -> Opened:
    """The session named by the arguments, with the pipeline they name."""
    from app.opening import open_workspace

    return open_workspace(
        args.file,
        leaf=args.leaf,
        pipeline=args.pipeline,
        settings=args.settings,
        exact=args.count == "exact",
        out=out,
        install=getattr(args, "install", False),
        index=lists_results(args),
    )


def lists_results(args: Namespace) -> bool:
    """Whether an export lists the results that are gone; one to standard output writes no other file."""
    return not getattr(args, "no_index", False) and getattr(args, "out", None) != "-"


def as_path(text: str | None) -> Path | None:
    """A path argument; None stays None."""
    if text is None:
        return None
    from app.export.plan import typed_path

    return typed_path(text)
