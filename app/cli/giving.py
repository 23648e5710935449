"""What a stage waits for, given on the command line: a summary, a memory, a refusal, a model."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.cli.command import as_path
from app.cli.output import complain, progress
from app.display import counted
from app.errors import InputError
from app.giving import (
    ask_model,
    give_memory,
    give_refusal,
    give_summary,
    prefer,
    prompt_tokens,
    read_small_file,
    recovering_step,
    summarizing_steps,
    wanted,
)
from app.summarizers import SummaryRequest
from app.summarizers.provider import Provider, load_provider, settings_file
from app.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Unsent:
    """A prompt that waits for a yes."""

    step: str
    place: str
    request: SummaryRequest
    tokens: int

    @property
    def size(self) -> str:
        """How much it is, and what may be secret in it."""
        look = "looks" if self.request.secrets == 1 else "look"
        secrets = f"{counted(self.request.secrets, 'string')} in it {look} like a key or a password"
        return f"~{self.tokens:,} tokens, {self.request.chars:,} characters; {secrets}"

    def lines(self) -> list[str]:
        """What would be sent, for people; the prompt itself comes last."""
        head = [f"For {self.step}, this would be sent to {self.place}:", f"{self.size}.", ""]
        return [*head, *self.request.prompt.splitlines()]

    def as_json(self) -> dict[str, Any]:
        """What would be sent."""
        return {
            "sent": False,
            "stage": self.step,
            "to": self.place,
            "tokens": self.tokens,
            "characters": self.request.chars,
            "secret_like_strings": self.request.secrets,
            "prompt": self.request.prompt,
        }


def add_giving(parser: ArgumentParser) -> None:
    """The arguments for what stages wait for."""
    parser.add_argument(
        "--summary-file", metavar="PATH", help="your own summary, for the stage that writes one"
    )
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


def give(workspace: Workspace, args: Namespace) -> Unsent | None:
    """Give the pipeline's stages what the arguments hold; a prompt that may not be sent comes back.

    Raises InputError for what no stage of the pipeline takes, SummaryFailed where the model gave nothing.
    """
    for answer in args.refusal:
        step = recovering_step(workspace)
        if step is None:
            raise InputError(f"{workspace.pipeline.name} has no stage that deals with a refusal")
        give_refusal(workspace, step, _text_or_file(answer))
    if args.memory:
        step = _summarizing(workspace, args)
        prefer(workspace, step, "memory")
        give_memory(workspace, step, map(read_small_file, map(_path, args.memory)))
    if args.summary_file:
        step = _summarizing(workspace, args)
        prefer(workspace, step, "hand")
        give_summary(workspace, step, "hand", read_small_file(_path(args.summary_file)))
    provider = provider_of(args)
    return None if provider is None else _model(workspace, _summarizing(workspace, args), provider, args)


def provider_of(args: Namespace) -> Provider | None:
    """Whom the arguments ask; None for nobody. Raises InputError where that cannot be told."""
    if args.model_command is None:
        if args.yes_send and not args.ask_model:
            raise InputError("--yes-send needs somebody to send to: --ask-model, or --model-command")
        if not args.ask_model:
            return None
        provider = load_provider()
        if provider is None:
            raise InputError(f"--ask-model needs a [model] in {settings_file()}")
        return provider
    if args.ask_model:
        raise InputError("--ask-model and --model-command name two models: one can be asked")
    try:
        argv = tuple(shlex.split(args.model_command))
    except ValueError as error:
        raise InputError(f"--model-command: {error}") from error
    if not argv:
        raise InputError("--model-command names no program")
    return Provider("command", argv=argv)


def _model(workspace: Workspace, step: str, provider: Provider, args: Namespace) -> Unsent | None:
    prefer(workspace, step, "model")
    request = wanted(workspace, step)
    if request is None:
        raise InputError(f"{step} wants no summary from a model here")
    unsent = Unsent(step, provider.place, request, prompt_tokens(workspace, request))
    if not args.yes_send:
        return unsent
    complain(f"sent to {unsent.place}: {unsent.size}")
    ask = provider.ask(told=lambda chars: progress(f"{chars:,} characters so far"))
    ask_model(workspace, step, ask, allowed=True)
    return None


def _summarizing(workspace: Workspace, args: Namespace) -> str:
    """The stage that a summary is for: the one that recovers if a refusal is given, else the first."""
    steps = summarizing_steps(workspace)
    recovering = recovering_step(workspace)
    if args.refusal and recovering is not None:
        return recovering
    if not steps:
        raise InputError(f"{workspace.pipeline.name} has no stage that writes a summary")
    return steps[0]


def _text_or_file(text: str) -> str:
    return read_small_file(_path(text[1:])) if text.startswith("@") else text


def _path(text: str) -> Path:
    path = as_path(text)
    assert path is not None, "a text gives a path"
    return path
