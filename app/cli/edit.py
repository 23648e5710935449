"""`handcompact edit`: change single blocks by hand, in order, and write the session."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from app.cli.command import DONE, add_count, add_file, add_json, add_pipeline, as_path, open_for_work
from app.cli.exporting import add_exporting, add_look_at_disk, export, place_of
from app.cli.output import Told, columns, complain, progress, say, say_json
from app.cli.stage_input_arguments import add_summary
from app.cli.summaries import NotSent, proof_of_newest, provider_of, summary_for
from app.display import human_number
from app.edits import EDITS, Edit
from app.edits.summarise_range import SummariseRange
from app.errors import InputError
from app.operation_text import OTHER_VERBS, do_typed
from app.persistence.recipe import save_recipe
from app.work.quick_fixes import QUICK_FIXES, QuickFixOffer, offers
from app.work.workspace import Workspace


class EditCommand:
    """Does operations in the order in which they are given, and exports the outcome."""

    name = "edit"
    summary = "drop, clear, cut, save, rewrite or summarise blocks and write the result"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        parser.add_argument(
            "--do",
            action="append",
            default=[],
            metavar="'VERB KEY ... NAME=VALUE ...'",
            dest="operations",
            help="one operation, quoted; repeatable, applied in order; without --do, list the quick fixes",
        )
        parser.add_argument(
            "--save-recipe", metavar="FILE", help="save the operations as a recipe for `apply`"
        )
        add_pipeline(parser)
        add_count(parser)
        add_exporting(parser)
        add_look_at_disk(parser)
        add_summary(parser, "a summarise_range without text=")
        add_json(parser)
        parser.epilog = "\n".join(_help())

    def run(self, args: Namespace) -> int:
        if not args.operations:
            _refuse_what_needs_operations(args)
        opened = open_for_work(args, place_of(args))
        workspace = opened.workspace
        if not args.operations:
            _list_fixes(workspace, args)
            return DONE
        if args.look_at_disk:
            workspace.look_at_disk()
        try:
            told = _done(workspace, args)
        except NotSent as refusal:
            return refusal.told(as_json=args.json)
        recipe = {} if args.save_recipe is None else _save_recipe(workspace, args)
        return export(workspace, opened.source, args, summaries=told, told=recipe)


def _refuse_what_needs_operations(args: Namespace) -> None:
    """Without operations nothing is written: whoever asks for that would believe it was."""
    for word in ("save_recipe", "out", "install", "in_place", "share"):
        if getattr(args, word):
            option = f"--{word.replace('_', '-')}"
            raise InputError(f"{option} needs at least one --do (without it, the quick fixes are listed)")


def _done(workspace: Workspace, args: Namespace) -> Told:
    """Do every operation in order; gives what the proofs of written summaries found."""
    told: list[dict[str, Any]] = []
    is_asked = provider_of(args) is not None or args.summary_file is not None
    finished: list[SummariseRange] = []

    def finish(edit: Edit) -> Edit:
        with_text = summary_for(workspace, edit, args)
        if isinstance(with_text, SummariseRange):
            finished.append(with_text)
        return with_text

    for text in args.operations:
        finished.clear()
        do_typed(workspace, text, allow_words=args.drop_user_words, finish=finish)
        told += (found for edit in finished for found in proof_of_newest(workspace, edit, args))
    if is_asked and not told:
        raise InputError("there is no summarise_range without text= to use the summary")
    return tuple(told)


def _save_recipe(workspace: Workspace, args: Namespace) -> dict[str, object]:
    """Write the recipe, also where the export is a dry run or is refused: it is what was asked for."""
    path = as_path(args.save_recipe)
    assert path is not None
    if args.save_recipe == "-":
        raise InputError("a recipe cannot go to standard output: name a file")
    left_out = save_recipe(workspace, path)
    if not args.json:
        complain(f"recipe: {path}")
        for words in left_out:
            complain(f"! not in the recipe: {words}")
    return {"recipe": str(path), "not_in_recipe": left_out}


def _help() -> Iterator[str]:
    yield "verbs for --do (a KEY is a key from `report --json`, or the number that `report` prints):"
    for kind in EDITS:
        about = (kind.__doc__ or "").splitlines()[0]
        names = " ".join(f"{option.name}={_shown(option.default)}" for option in kind.options())
        yield f"  {kind.name:<16} {about}"
        yield f"  {'':<16} {names}"
    yield from (f"  {verb:<16} {about}" for verb, about in OTHER_VERBS.items())
    yield ""
    yield "choose rows also by verdict:V tool:T role:R before_turn:N larger_than:TOKENS path:GLOB text:W"
    yield "text=@PATH reads a text from a file; changing your own words needs --drop-user-words"
    yield ""
    yield "quick fixes:"
    yield from (f"  {fix.name:<16} {fix.about}" for fix in QUICK_FIXES)


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return "" if default == () else str(default)


def _list_fixes(workspace: Workspace, args: Namespace) -> None:
    """What each quick fix would free; nothing is opened but the session."""
    workspace.count_all(progress)
    found = offers(workspace)
    if args.json:
        say_json({"source": workspace.session.name, "fixes": [_as_json(told) for told in found]})
        return
    rows = [("quick fix", "blocks", "~tokens", "what")]
    rows += [
        (told.fix.name, human_number(told.blocks), human_number(told.tokens), told.fix.about)
        for told in found
    ]
    say(*columns(rows, right=frozenset({1, 2})))
    say("", "Apply one with --do 'fix NAME'; nothing has been written.")


def _as_json(told: QuickFixOffer) -> dict[str, object]:
    return {
        "name": told.fix.name,
        "about": told.fix.about,
        "blocks": told.blocks,
        "tokens": told.tokens,
        "note": told.note,
    }
