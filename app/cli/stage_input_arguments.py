"""The arguments for what stages wait for; who gives nothing waits for none of what deals with it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def add_summary(parser: ArgumentParser, what: str) -> None:
    """The arguments for a summary that a person or a model writes."""
    parser.add_argument("--summary-file", metavar="PATH", help=f"your own summary, for {what}")
    parser.add_argument(
        "--model-command",
        metavar="ARGV",
        help="program that reads the prompt on standard input and prints a summary",
    )
    parser.add_argument(
        "--ask-model", action="store_true", help="ask the model set under [model] in config.toml"
    )
    parser.add_argument(
        "--yes-send",
        action="store_true",
        help="send the prompt; without this it is only printed (exit code 3)",
    )
    parser.add_argument(
        "--add-rules",
        action="store_true",
        help="add your rules that the summary lacks, word for word",
    )


def add_giving(parser: ArgumentParser) -> None:
    """The arguments for what stages wait for."""
    add_summary(parser, "the stage that writes one")
    parser.add_argument(
        "--memory",
        action="append",
        default=[],
        metavar="PATH",
        help="memory file (CLAUDE.md ...) to use as the summary; repeatable",
    )
    parser.add_argument(
        "--refusal",
        action="append",
        default=[],
        metavar="TEXT|@FILE",
        help="the provider's error when it refused; each further one cuts more",
    )


def is_given(args: Namespace) -> bool:
    """Whether any of these arguments was used."""
    asks = args.ask_model or args.yes_send or args.model_command is not None
    return bool(args.refusal or args.memory or args.summary_file or asks)
