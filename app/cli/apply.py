"""`handcompact apply`: do the steps of a recipe on a session, and write it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.command import FOUND, add_count, add_file, add_json, as_path, lists_results
from app.cli.exporting import add_exporting, export, place_of
from app.cli.output import complain
from app.errors import RefusedError
from app.opening import open_workspace
from app.persistence.applying import Applied, apply_recipe, open_recipe
from app.pipeline import FIRST


class Apply:
    """Does what was done before again, as far as it fits, and exports the outcome."""

    name = "apply"
    summary = "apply the steps of a recipe to a session and write the result"

    def configure(self, parser: ArgumentParser) -> None:
        parser.add_argument("recipe", metavar="RECIPE", help="a recipe, as written by `edit --save-recipe`")
        add_file(parser)
        add_count(parser)
        add_exporting(parser)
        add_json(parser)
        parser.epilog = (
            "Steps that no longer fit the session are listed and skipped; the exit code is then 1.\n"
            "Removing your own messages needs --drop-user-words."
        )

    def run(self, args: Namespace) -> int:
        path = as_path(args.recipe)
        assert path is not None
        recipe = open_recipe(path)
        opened = open_workspace(
            args.file,
            leaf=args.leaf,
            pipeline=recipe.pipeline or FIRST,
            exact=args.count == "exact",
            out=place_of(args),
            install=args.install,
            index=lists_results(args),
        )
        applied = apply_recipe(recipe, opened.workspace)
        if not args.json:
            _complain(applied)
        if not applied.done:
            raise RefusedError(f"no step of {path} fits {args.file}: nothing was written")
        code = export(opened.workspace, opened.source, args, told={"not_applied": list(applied.misfits)})
        return code or (FOUND if applied.misfits else code)


def _complain(applied: Applied) -> None:
    for line in applied.misfits:
        complain(f"! {line}")
    if applied.misfits:
        complain(f"! {applied.told}")
