"""The command line: `handcompact [PATH]` opens the screens, `handcompact VERB ...` does one thing."""

from __future__ import annotations

import gc
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

from app import __version__
from app.errors import HandcompactError, InputError, RefusedError

if TYPE_CHECKING:
    from app.cli.command import Command

COMMANDS: Final[Mapping[str, str]] = {
    "list": "app.cli.listing:List",
    "report": "app.cli.report:Report",
    "compact": "app.cli.compact:Compact",
    "edit": "app.cli.edit:EditCommand",
    "apply": "app.cli.apply:Apply",
    "compare": "app.cli.compare:Compare",
    "diff": "app.cli.diff:Diff",
    "convert": "app.cli.convert:Convert",
    "verify": "app.cli.verify:Verify",
    "repair": "app.cli.repair:Repair",
    "restore": "app.cli.restore:Restore",
    "resume-command": "app.cli.resume_command:ResumeCommand",
    "pipelines": "app.cli.pipelines:Pipelines",
}
"""Each verb with the class that does it, imported when it is asked for: a command starts with no more."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 a check found something, 2 bad input or use,
    3 refused for safety or because something outside failed."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    collect_seldom()
    try:
        return _run(arguments)
    except HandcompactError as error:
        _complain(f"handcompact: {error}")
        return error.exit_code
    except BrokenPipeError:
        # Whoever read our output went away, as `head` does; nothing is left to say to them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        _complain("handcompact: interrupted; no partial file was left behind")
        return 130
    except Exception as error:
        from app.crash_log import note
        from app.settings import lets_errors_through

        if lets_errors_through():
            raise
        # Never what the error says: it can hold session text.
        _complain(f"handcompact: {note(error, {'command': _verb_of(arguments)}).words}")
        return RefusedError.exit_code


def collect_seldom() -> None:
    """Let the collector of circles run seldom: a session is a hundred thousand objects that hold none.

    With its usual limits a fifth of the time that a file takes to read goes to looking through them. Nor
    does it look at many at once: screens and all stand still meanwhile, for 0.25 s where it is a million.
    """
    gc.set_threshold(50_000, 1, 500)


def command(verb: str) -> Command:
    """The command that a verb stands for; raises KeyError for a word that is none."""
    module, _, name = COMMANDS[verb].partition(":")
    made: Command = getattr(import_module(module), name)()
    return made


def _verb_of(arguments: Sequence[str]) -> str:
    return arguments[0] if arguments and arguments[0] in COMMANDS else "screens"


def _complain(line: str) -> None:
    from app.cli.output import complain

    complain(line)


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        sys.stdout.write(f"handcompact {__version__}\n")
        return 0
    if arguments and arguments[0] in COMMANDS:
        chosen = command(arguments[0])
        parser = _Parser(prog=f"handcompact {chosen.name}", description=chosen.summary)
        chosen.configure(parser)
        args = parser.parse_args(arguments[1:])
        if getattr(args, "count", None) == "exact":
            _keep_counts(args)
        return chosen.run(args)
    return _open(arguments)


def _keep_counts(args: Namespace) -> None:
    from app.settings import cache_dir
    from app.tokens.encode import keep_counts

    keep_counts(None if args.no_cache else cache_dir())


def _open(arguments: list[str]) -> int:
    from app.cli.open import add_open_arguments, open_screens

    _refuse_misspelt(arguments)
    parser = _Parser(
        prog="handcompact",
        usage="handcompact [PATH] [options]  |  handcompact VERB ...",
        description="Inspect and hand-compact the conversations of coding agents.",
        epilog=_verbs() if {"-h", "--help"}.intersection(arguments) else None,
    )
    parser.add_argument("--version", action="version", version=f"handcompact {__version__}")
    add_open_arguments(parser)
    args: Namespace = parser.parse_args(arguments)
    return open_screens(args)


def _refuse_misspelt(arguments: list[str]) -> None:
    """A verb that is none would be taken for a file, and what follows it for a mistake."""
    word = arguments[0] if arguments else ""
    if word.replace("-", "").isalpha() and not word.startswith("-") and not os.path.lexists(word):
        from app.stages.options import meant

        if near := meant(word, COMMANDS):
            raise InputError(f"{word!r} is neither a verb{near} nor a file; see handcompact --help")


def _verbs() -> str:
    lines = "\n".join(f"  {verb:<14} {command(verb).summary}" for verb in COMMANDS)
    return f"verbs (each has its own --help):\n{lines}"


class _Parser(ArgumentParser):
    """An argument parser whose errors are ours: one line, exit code 2."""

    def __init__(self, **settings: object) -> None:
        from argparse import RawDescriptionHelpFormatter

        super().__init__(formatter_class=RawDescriptionHelpFormatter, **settings)  # type: ignore[arg-type]

    def error(self, message: str) -> None:  # type: ignore[override]
        raise InputError(f"{message}; see {self.prog} --help")
