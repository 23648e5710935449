"""Recipes: a history as a file that a person can read and edit, and apply to a session that went on.

A recipe names a pipeline and the steps taken under it. Steps that were chosen by what they are about stay
rules (`do = "clear tool:Bash larger_than:2000"`), others name blocks by key, each with how it looked, so
that a key never hits another block. It can come from a stranger, as a pipeline can: it holds nothing that
is run, fetched or opened, and what it does to a person's own words still needs their yes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from app.display import counted
from app.edits import EDITS
from app.errors import BadPipeline, BadRecipe, HandcompactError, RefusedError
from app.export import files
from app.pipeline import Pipeline, PipelineStep, check_strange
from app.pipeline_data import as_reference, from_reference, plain_value
from app.stages.options import meant, told
from app.toml_text import can_be_said, toml_key, toml_line, toml_pairs, toml_value
from app.work.history import Operation, OpKind, edit_of, edit_operation
from app.work.replaying import looks_of
from app.work.workspace import Workspace

VERSION: Final = 1
MOST_BYTES: Final = 8 << 20
MOST_STEPS: Final = 10_000
MOST_CHARS: Final = 1 << 20
"""Of one text."""

_KEYS: Final = ("recipe", "about", "pipeline", "step", "blocks")
_STEP_KEYS: Final = ("do", "stage", "keys", "options")
_EDITS: Final = tuple(edit.name for edit in EDITS)
_SOURCES: Final = ("memory", "hand", "model")
_DEEDS: Final = tuple(kind for kind in OpKind if kind is not OpKind.EDIT)
_STAGED: Final = {
    kind for kind in _DEEDS if kind not in (OpKind.BACK, OpKind.PIN, OpKind.UNPIN, OpKind.UNCHANGED)
}
"""Operations that name a stage."""
_KEYED: Final = {OpKind.REFUSE, OpKind.ALLOW, OpKind.PIN, OpKind.UNPIN}
"""Operations that do nothing without keys."""
_TOLD: Final[Mapping[OpKind, tuple[str, ...]]] = {
    OpKind.SUMMARY: ("source", "text", "key"),
    OpKind.REFUSAL: ("text",),
    OpKind.FAILURE: ("reason",),
}
"""The options of deeds that are texts."""


@dataclass(frozen=True)
class Recipe:
    """Steps to do, and what they were done under."""

    pipeline: Pipeline | None
    """None if the named one does not exist, as `misfits` says."""
    steps: tuple[Operation, ...]
    """Rules have no keys yet."""
    looks: Mapping[str, str]
    """How the blocks looked that are named, by key."""
    misfits: tuple[str, ...] = ()
    """What of its pipeline does not fit here, in words."""
    about: str = ""
    origin: str = ""


def recipe_of(workspace: Workspace) -> tuple[Recipe, list[str]]:
    """What was done in a workspace as a recipe, and what a recipe cannot hold of it, in words.

    Raises RefusedError where it would be too large, or holds a text that no recipe can.
    """
    stages = _kinds(workspace.pipeline)
    left_out: list[str] = []
    steps = [
        kept
        for operation in workspace.history.done
        if (kept := _without_strange(operation, stages, left_out)) is not None
    ]
    reference = as_reference(workspace.pipeline, local=True)
    pipeline, _ = from_reference(as_reference(workspace.pipeline), workspace.pipeline.origin)
    if as_reference(pipeline, local=True) != reference:
        left_out.append("options of the pipeline that no file may set")
    for operation in steps:
        if not all(map(can_be_said, _texts(operation))):
            raise RefusedError(
                f"{operation.words}: its text contains half of a character, which a recipe cannot hold"
            )
    keys = (key for operation in steps if not operation.rule for key in operation.keys)
    return Recipe(pipeline, tuple(steps), looks_of(workspace.session, keys)), left_out


def _without_strange(
    operation: Operation, stages: Mapping[str, PipelineStep], left_out: list[str]
) -> Operation | None:
    """An operation without options that no file may set; None where it has no others."""
    if operation.kind is not OpKind.OPTIONS or operation.step not in stages:
        return operation
    kept = []
    for name, value in operation.options:
        try:
            check_strange(type(stages[operation.step].stage), operation.step, name, value)
        except BadPipeline:
            left_out.append(f"{operation.step}.{name}, which a file is not allowed to set")
        else:
            kept.append((name, value))
    return replace(operation, options=tuple(kept)) if kept else None


def _kinds(pipeline: Pipeline) -> dict[str, PipelineStep]:
    return {step.name: step for step in pipeline.steps}


def _texts(operation: Operation) -> Iterator[str]:
    yield from (operation.rule, *operation.keys)
    for _, value in operation.options:
        yield from (
            item for item in (value if isinstance(value, tuple) else (value,)) if isinstance(item, str)
        )


# Writing


def as_toml(recipe: Recipe) -> str:
    """A recipe as the text of its file; raises RefusedError if that would be too large."""
    text = "\n".join(_lines(recipe)) + "\n"
    if len(text.encode()) > MOST_BYTES or len(recipe.steps) > MOST_STEPS:
        raise RefusedError(f"{counted(len(recipe.steps), 'step')} are too many for a recipe")
    return text


def save_recipe(workspace: Workspace, path: Path) -> list[str]:
    """Write what was done to a new private file; what it cannot hold of that, in words.

    It can hold texts that a person wrote. Raises RefusedError, WriteFailed where it cannot be written.
    """
    recipe, left_out = recipe_of(workspace)
    if not recipe.steps:
        raise RefusedError("no steps yet: there is nothing to save")
    files.publish_new(files.stage(path.absolute().parent, [as_toml(recipe).encode()]), path)
    return left_out


def _lines(recipe: Recipe) -> Iterator[str]:
    yield "# A recipe of handcompact: steps done to a session, to apply to it again or to another one:"
    yield "#     handcompact apply RECIPE FILE"
    yield "# Steps are applied in order; remove, change or add steps as you like. A step says what to do like"
    yield '# `edit --do`, and names rows by their keys or chooses them: do = "clear tool:Bash".'
    yield f"recipe = {VERSION}"
    if recipe.about:
        yield f"about = {toml_line(recipe.about)}"
    if recipe.pipeline is not None:
        yield from _pipeline_lines(as_reference(recipe.pipeline))
    for operation in recipe.steps:
        yield ""
        yield from _step_lines(operation)
    if recipe.looks:
        yield ""
        yield "# How the blocks named above looked: kind, characters, a hash of the beginning."
        yield "# A key whose block looks different is skipped and reported."
        yield "[blocks]"
        yield from toml_pairs(recipe.looks.items())


def _pipeline_lines(reference: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield "[pipeline]"
    yield from toml_pairs((key, value) for key, value in reference.items() if key not in ("set", "step"))
    for stage, options in reference.get("set", {}).items():
        yield f"[pipeline.set.{toml_key(stage)}]"
        yield from toml_pairs(options.items())
    for table in reference.get("step", ()):
        yield "[[pipeline.step]]"
        yield from toml_pairs(table.items())


def _step_lines(operation: Operation) -> Iterator[str]:
    yield "[[step]]"
    if operation.rule:
        yield f"do = {toml_value(operation.rule)}"
        return
    is_edit = operation.kind is OpKind.EDIT
    yield f"do = {toml_line(operation.step if is_edit else str(operation.kind))}"
    if operation.step and not is_edit:
        yield f"stage = {toml_line(operation.step)}"
    if operation.keys:
        yield f"keys = {toml_value(operation.keys)}"
    if operation.options:
        yield "[step.options]"
        yield from toml_pairs((name, plain_value(value)) for name, value in operation.options)


# Reading


def load_recipe(path: Path, check_rule: Callable[[str], None]) -> Recipe:
    """The recipe in a file; raises BadRecipe naming the file, the key, its value and what was expected.

    `check_rule` raises for a rule that cannot be done, or must not be.
    """
    try:
        if not path.is_file():
            why = "not a file" if path.exists() else "no such file"
            raise BadRecipe(f"{path} cannot be read ({why}): expected a recipe in TOML")
        if path.stat().st_size > MOST_BYTES:
            raise BadRecipe(f"{path} is larger than {MOST_BYTES >> 20} MiB, too long for a recipe")
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise BadRecipe(f"{path} cannot be read ({error}): expected a recipe in TOML") from error
    return parse_recipe(text, str(path), check_rule)


def parse_recipe(text: str, origin: str, check_rule: Callable[[str], None]) -> Recipe:
    """The recipe in a TOML text; see `load_recipe`."""
    try:
        return _parsed(tomllib.loads(text), origin, check_rule)
    except HandcompactError as error:
        raise BadRecipe(f"{origin}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise BadRecipe(f"{origin} is not TOML: {error}") from error


def _parsed(data: Mapping[str, Any], origin: str, check_rule: Callable[[str], None]) -> Recipe:
    _check_keys(data, _KEYS, "a recipe")
    version = data.get("recipe")
    if version != VERSION or isinstance(version, bool):
        raise BadRecipe(f"recipe must be {VERSION}, the form that this version knows, not {told(version)}")
    pipeline, misfits = _pipeline(data.get("pipeline"), origin)
    tables = data.get("step")
    if not isinstance(tables, list) or not 0 < len(tables) <= MOST_STEPS:
        raise BadRecipe(f"a recipe needs [[step]] tables, at most {MOST_STEPS:,}")
    stages = {} if pipeline is None else _kinds(pipeline)
    steps = []
    for number, table in enumerate(tables, 1):
        try:
            steps.append(_operation(table, stages, check_rule))
        except HandcompactError as error:
            raise BadRecipe(f"step {number}: {error}") from error
    looks = _table(data, "blocks")
    for key, look in looks.items():
        _checked_text(f"blocks.{told(key)}", look)
    about = _checked_text("about", data.get("about", ""))
    return Recipe(pipeline, tuple(steps), looks, tuple(misfits), about, origin)


def _pipeline(table: Any, origin: str) -> tuple[Pipeline | None, list[str]]:
    """The named pipeline; if it does not exist, the hand edits are applied all the same."""
    if table is None:
        return None, []
    if not isinstance(table, dict):
        raise BadRecipe(f"pipeline must be a table, not {told(table)}")
    if "step" not in table and isinstance(table.get("name"), str) and set(table) <= {"name", "set"}:
        try:
            from_reference({"name": table["name"]}, origin)
        except BadPipeline as error:
            return None, [str(error)]
    try:
        return from_reference(table, origin)
    except BadPipeline as error:
        raise BadRecipe(f"pipeline: {error}") from error


def _operation(
    table: Any, stages: Mapping[str, PipelineStep], check_rule: Callable[[str], None]
) -> Operation:
    if not isinstance(table, dict):
        raise BadRecipe(f"expected a table, not {told(table)}")
    _check_keys(table, _STEP_KEYS, "a step")
    do = _checked_text("do", table.get("do"))
    keys = _list(table, "keys")
    options = _table(table, "options")
    about = _checked_text("stage", table.get("stage", ""))
    if " " in do.strip():
        if len(table) > 1:
            raise BadRecipe(
                f"do = {told(do)} chooses its rows itself: stage, keys and options are not allowed with it"
            )
        check_rule(do)
        return Operation(OpKind.EDIT, rule=do)
    if do in _EDITS:
        if about:
            raise BadRecipe(f"do = {told(do)} is about no stage of the pipeline, not {told(about)}")
        return edit_operation(edit_of(Operation(OpKind.EDIT, do, keys, tuple(options.items()))))
    if do in _DEEDS:
        return _deed(OpKind(do), about, keys, options, stages)
    known = (*_DEEDS, *_EDITS)
    raise BadRecipe(f"do must be one of {', '.join(known)}, or a rule, not {told(do)}{meant(do, known)}")


def _deed(
    kind: OpKind,
    stage: str,
    keys: tuple[str, ...],
    options: dict[str, Any],
    stages: Mapping[str, PipelineStep],
) -> Operation:
    if stage and kind not in _STAGED:
        raise BadRecipe(f"{kind} takes no stage, but has {told(stage)}")
    if keys and kind not in (*_KEYED, OpKind.UNCHANGED):
        raise BadRecipe(f"{kind} takes no keys")
    if kind in _KEYED and not keys:
        raise BadRecipe(f"{kind} needs keys")
    if kind is OpKind.OPTIONS:
        if not (stage and options):
            raise BadRecipe("options needs a stage, and options for it")
        for name, value in options.items():
            _check_option(stages.get(stage), stage, name, value)
    elif kind in _TOLD:
        _check_told(kind, options)
    elif options:
        raise BadRecipe(f"{kind} takes no options")
    return Operation(kind, stage, keys, tuple(options.items()))


def _check_option(step: PipelineStep | None, stage: str, name: str, value: Any) -> None:
    """Raise for an option that no stage has or no file may set; a value out of range is told when applied."""
    if step is None:
        return
    kind = type(step.stage)
    known = [option.name for option in kind.options()]
    if name not in known:
        there = f"{meant(name, known)}; it has: {', '.join(sorted(known))}"
        raise BadRecipe(f"stage {stage} has no option {told(name)}{there}")
    check_strange(kind, stage, name, value)


def _check_told(kind: OpKind, options: Mapping[str, Any]) -> None:
    _check_keys(options, _TOLD[kind], f"what {kind} tells")
    for name, value in options.items():
        _checked_text(name, value)
    if kind is OpKind.SUMMARY and options.get("source") not in _SOURCES:
        raise BadRecipe(f"source must be one of {', '.join(_SOURCES)}, not {told(options.get('source'))}")


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in table:
        if key not in known:
            raise BadRecipe(f"unknown key {told(key)}{meant(key, known)}; {what} has: {', '.join(known)}")


def _checked_text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > MOST_CHARS:
        raise BadRecipe(f"{name} must be a string of up to {MOST_CHARS:,} characters, not {told(value)}")
    return value


def _list(table: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadRecipe(f"{name} must be a list of strings, not {told(value)}")
    return tuple(value)


def _table(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A table of plain values; lists become tuples, as operations have them."""
    value = table.get(name, {})
    if not isinstance(value, dict):
        raise BadRecipe(f"{name} must be a table, not {told(value)}")
    check = partial(_plain, name)
    return {key: check(key, item) for key, item in value.items()}


def _plain(table: str, key: str, value: Any) -> Any:
    items: Iterable[Any] = value if isinstance(value, list) else (value,)
    if not all(isinstance(item, str | bool | int | float) for item in items):
        raise BadRecipe(
            f"{table}.{key} must be a string, a number, true, false, or a list, not {told(value)}"
        )
    return tuple(value) if isinstance(value, list) else value
