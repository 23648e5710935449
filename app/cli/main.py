"""The command line: `handcompact [PATH]` opens the screens, `handcompact VERB ...` does one thing."""

from __future__ import annotations

import gc
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from app import __version__
from app.cli.apply import Apply
from app.cli.command import Command
from app.cli.compact import Compact
from app.cli.compare import Compare
from app.cli.convert import Convert
from app.cli.diff import Diff
from app.cli.edit import EditCommand
from app.cli.listing import List
from app.cli.open import add_open_arguments, open_screens
from app.cli.output import complain
from app.cli.pipelines import Pipelines
from app.cli.repair import Repair
from app.cli.report import Report
from app.cli.restore import Restore
from app.cli.resume_command import ResumeCommand
from app.cli.verify import Verify
from app.errors import HandcompactError, InputError

COMMANDS: tuple[Command, ...] = (
    List(),
    Report(),
    Compact(),
    EditCommand(),
    Apply(),
    Compare(),
    Diff(),
    Convert(),
    Verify(),
    Repair(),
    Restore(),
    ResumeCommand(),
    Pipelines(),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 a check found something, 2 bad input or use,
    3 refused for safety or because something outside failed."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    collect_seldom()
    try:
        return _run(arguments)
    except HandcompactError as error:
        complain(f"handcompact: {error}")
        return error.exit_code
    except BrokenPipeError:
        # Whoever read our output went away, as `head` does; nothing is left to say to them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        complain("handcompact: interrupted; nothing half written was left")
        return 130


def collect_seldom() -> None:
    """Let the collector of circles run seldom: a session is a hundred thousand objects that hold none.

    With its usual limits a fifth of the time that a file takes to read goes to looking through them.
    """
    gc.set_threshold(50_000, 20, 50)


def _run(arguments: list[str]) -> int:
    verbs = {command.name: command for command in COMMANDS}
    if arguments and arguments[0] in verbs:
        command = verbs[arguments[0]]
        parser = _Parser(prog=f"handcompact {command.name}", description=command.summary)
        command.configure(parser)
        return command.run(parser.parse_args(arguments[1:]))
    return _open(arguments)


def _open(arguments: list[str]) -> int:
    lines = "\n".join(f"  {command.name:<10} {command.summary}" for command in COMMANDS)
    parser = _Parser(
        prog="handcompact",
        usage="handcompact [PATH] [options]  |  handcompact VERB ...",
        description="Inspect and hand-compact the conversations of coding agents.",
        epilog=f"verbs (each has its own --help):\n{lines}",
    )
    parser.add_argument("--version", action="version", version=f"handcompact {__version__}")
    add_open_arguments(parser)
    args: Namespace = parser.parse_args(arguments)
    return open_screens(args)


class _Parser(ArgumentParser):
    """An argument parser whose errors are ours: one line, exit code 2."""

    def __init__(self, **settings: object) -> None:
        from argparse import RawDescriptionHelpFormatter

        super().__init__(formatter_class=RawDescriptionHelpFormatter, **settings)  # type: ignore[arg-type]

    def error(self, message: str) -> None:  # type: ignore[override]
        raise InputError(f"{message}; see {self.prog} --help")
