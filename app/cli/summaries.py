"""A summary that a person or a model writes, on the command line: the prompt, the yes, and the proof."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, structs

from app.cli.command import as_path
from app.cli.output import Told, complain, progress, say, say_json
from app.display import counted
from app.edits import Edit
from app.edits.summarise_range import ANY_TEXT, HAND, MODEL, SummariseRange
from app.errors import InputError, RefusedError
from app.summarizers import SummaryRequest
from app.summarizers.asking import Ask
from app.summarizers.model import obtain
from app.summarizers.proof import Proof
from app.summarizers.provider import Provider, load_provider, settings_file
from app.work.stage_inputs import prompt_tokens, read_small_file
from app.work.summary_requests import ForRange, SummaryTarget
from app.work.workspace import Workspace

NAMED: Final = 10
"""Things and rules that are named one by one."""


class Unsent(Struct, frozen=True):
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
        return [*head, *self.request.prompt.split("\n")]

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


class NotSent(RefusedError):
    """A prompt may not be sent without a yes: nothing was sent, and nothing written."""

    def __init__(self, unsent: Unsent) -> None:
        super().__init__("nothing was sent or written; --yes-send sends it")
        self.unsent = unsent

    def told(self, *, as_json: bool) -> int:
        """Print what would be sent; gives the exit code."""
        if as_json:
            say_json(self.unsent.as_json())
        else:
            say(*self.unsent.lines())
            complain(f"handcompact: {self}")
        return self.exit_code


def provider_of(args: Namespace) -> Provider | None:
    """Whom the arguments ask; None for nobody. Raises InputError where that cannot be told."""
    if args.model_command is None:
        if args.yes_send and not args.ask_model:
            raise InputError("--yes-send needs --ask-model or --model-command")
        if not args.ask_model:
            return None
        provider = load_provider()
        if provider is None:
            raise InputError(f"--ask-model needs a [model] in {settings_file()}")
        return provider
    if args.ask_model:
        raise InputError("--ask-model and --model-command cannot be used together")
    try:
        argv = tuple(shlex.split(args.model_command))
    except ValueError as error:
        raise InputError(f"--model-command: {error}") from error
    if not argv:
        raise InputError("--model-command is empty: give a program")
    return Provider("command", argv=argv)


def ask_of(
    workspace: Workspace, name: str, request: SummaryRequest, provider: Provider, args: Namespace
) -> Ask:
    """The way to ask, after a yes; raises NotSent without it."""
    unsent = Unsent(name, provider.place, request, prompt_tokens(workspace, request))
    if not args.yes_send:
        raise NotSent(unsent)
    ask = provider.ask(told=lambda chars: progress(f"{chars:,} characters so far"))
    complain(f"sent to {unsent.place}: {unsent.size}")
    return ask


def summary_for(workspace: Workspace, edit: Edit, args: Namespace) -> Edit:
    """A summary of rows with the text that the arguments give it; any other edit as it is.

    Raises NotSent for a prompt without a yes, and SummaryFailed where the model gave nothing.
    """
    if not isinstance(edit, SummariseRange) or edit.text.strip():
        return edit
    if args.summary_file:
        return replace(edit, source=HAND, text=read_small_file(path_of(args.summary_file)))
    provider = provider_of(args)
    if provider is None:
        return edit
    asked = replace(edit, source=MODEL, text=ANY_TEXT)
    if reason := workspace.why_not_edit(asked):
        raise RefusedError(f"{edit.name}: {reason}; nothing was sent")
    request = edit.request(workspace.messages, workspace.context)
    ask = ask_of(workspace, edit.name, request, provider, args)
    return replace(asked, text=obtain(request, ask, allowed=True))


def proof_of_newest(workspace: Workspace, edit: Edit, args: Namespace) -> Told:
    """A summary of rows that somebody wrote, held against the session, once it is the newest step."""
    if isinstance(edit, SummariseRange) and edit.text.strip():
        return proved(ForRange(workspace, edit), args)
    return ()


def proved(wish: SummaryTarget, args: Namespace) -> Told:
    """A summary held against the session, told on standard error; what it lacks is added on wish."""
    written, _ = wish.written()
    if written is None:
        return ()
    proof = written.proof()
    added = len(proof.missing) if args.add_rules else 0
    if added:
        wish.add_rules(proof.missing)
        proof = structs.replace(proof, missing=())
    for line in _proof_lines(wish.title, proof, added):
        complain(line)
    invented = [{"thing": str(item.thing), "text": item.text} for item in proof.invented]
    missing = [rule.text for rule in proof.missing]
    return ({"for": wish.title, "made_up": invented, "missing_rules": missing, "added_rules": added},)


def _proof_lines(title: str, proof: Proof, added: int) -> Iterator[str]:
    if proof.invented:
        things = counted(len(proof.invented), "thing")
        yield f"! summary for {title}: {things} not found in the session"
        yield from (f"  {item.thing} {item.text}" for item in proof.invented[:NAMED])
    if proof.missing:
        rules = counted(len(proof.missing), "of your rules is", "of your rules are")
        yield f"! summary for {title}: {rules} missing (--add-rules adds them)"
        yield from (f"  {rule.text}" for rule in proof.missing[:NAMED])
    if added:
        rules = counted(added, "of your rules was", "of your rules were")
        yield f"summary for {title}: {rules} added, word for word"


def path_of(text: str) -> Path:
    path = as_path(text)
    assert path is not None, "a text gives a path"
    return path
