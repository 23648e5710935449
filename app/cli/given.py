"""The arguments for what stages wait for; who gives nothing waits for none of what deals with it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def add_summary(parser: ArgumentParser, what: str) -> None:
    """The arguments for a summary that a person or a model writes."""
    parser.add_argument("--summary-file", metavar="PATH", help=f"your own summary, for {what}")
    parser.add_argument(
        "--model-command",
        metavar="ARGV",
        help="a program that reads the prompt on standard input and answers",
    )
    parser.add_argument(
        "--ask-model", action="store_true", help="the model that [model] in config.toml names"
    )
    parser.add_argument(
        "--yes-send", action="store_true", help="send it; without this the prompt is only printed (exit 3)"
    )
    parser.add_argument(
        "--add-rules",
        action="store_true",
        help="add the rules of yours that the summary does not tell, word for word",
    )


def add_giving(parser: ArgumentParser) -> None:
    """The arguments for what stages wait for."""
    add_summary(parser, "the stage that writes one")
    parser.add_argument(
        "--memory",
        action="append",
        default=[],
        metavar="PATH",
        help="a memory file (CLAUDE.md ...) that stands for what goes; may be given more than once",
    )
    parser.add_argument(
        "--refusal",
        action="append",
        default=[],
        metavar="TEXT|@FILE",
        help="what the provider said when it refused; each one more is a harder cut",
    )


def is_given(args: Namespace) -> bool:
    """Whether any of these arguments was used."""
    asks = args.ask_model or args.yes_send or args.model_command is not None
    return bool(args.refusal or args.memory or args.summary_file or asks)
