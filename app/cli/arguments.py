"""Arguments that more than one command has. Nothing of the program is imported for them."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from app.settings import FIRST

DONE = 0
FOUND = 1
"""A check found something."""


def add_file(parser: ArgumentParser) -> None:
    """The session file and which branch of it."""
    parser.add_argument("file", metavar="FILE", help="a session file, or - for standard input")
    parser.add_argument("--leaf", metavar="KEY", help="use the branch that ends at this record")


def add_json(parser: ArgumentParser) -> None:
    """Machine-readable output."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_count(parser: ArgumentParser) -> None:
    """How tokens are counted."""
    parser.add_argument(
        "--count",
        choices=("rough", "exact"),
        default="exact",
        help="rough: fast, from lengths; exact: with the tokenizer (default)",
    )
    add_no_cache(parser)


def add_no_cache(parser: ArgumentParser) -> None:
    """Whether counts of earlier runs are used and new ones kept."""
    parser.add_argument(
        "--no-cache", action="store_true", help="do not read or write the cache of token counts"
    )


def add_pipeline(parser: ArgumentParser) -> None:
    """Which pipeline, with which options."""
    parser.add_argument(
        "--pipeline", default=FIRST, metavar="P", help=f"pipeline name or .toml file (default: {FIRST})"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="STAGE.OPTION=VALUE",
        dest="settings",
        help="set an option of a stage; repeatable",
    )


def add_folder(parser: ArgumentParser) -> None:
    """What holds for a folder alone."""
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="worker processes for a folder (default: one per core)"
    )


def is_folder(text: str) -> bool:
    """Whether a command is given a folder and no session."""
    try:
        return text != "-" and Path(text).is_dir()
    except (OSError, ValueError):
        return False
