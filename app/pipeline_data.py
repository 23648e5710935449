"""A pipeline as saved with steps: a preset as its name and changed options, any other in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.errors import BadPipeline
from app.pipeline import Pipeline, check_strange, from_table, load, preset_names
from app.stages.base import Stage
from app.stages.options import meant, told


def as_reference(pipeline: Pipeline, *, local: bool = False) -> dict[str, Any]:
    """The table that `from_reference` reads; without `local`, options a stranger may not set are left out."""
    if not pipeline.is_preset:
        return _as_table(pipeline, local=local)
    presets = {step.name: step.stage for step in load(pipeline.name).steps}
    changed = {}
    for step in pipeline.steps:
        if options := changed_options(step.stage, presets[step.name], local=local):
            changed[step.name] = options
    return {"name": pipeline.name, **({"set": changed} if changed else {})}


def _as_table(pipeline: Pipeline, *, local: bool) -> dict[str, Any]:
    steps = []
    for step in pipeline.steps:
        kind = type(step.stage)
        named = {} if step.name == kind.name else {"name": step.name}
        steps.append({"stage": kind.name, **named, **changed_options(step.stage, kind(), local=local)})
    about = {"title": pipeline.title, "about": pipeline.about, "estimator": pipeline.estimator}
    return {"name": pipeline.name, **about, "step": steps}


def changed_options(stage: Stage, preset: Stage, *, local: bool) -> dict[str, Any]:
    """The options in which a stage differs from its preset, as JSON and TOML values."""
    return {
        option.name: plain_value(getattr(stage, option.name))
        for option in stage.options()
        if getattr(stage, option.name) != getattr(preset, option.name)
        and (local or option.name not in stage.local)
    }


def plain_value(value: Any) -> Any:
    """An option's value as stored in files: a list for a tuple, an empty string for None."""
    return "" if value is None else list(value) if isinstance(value, tuple) else value


def from_reference(
    table: Mapping[str, Any], origin: str, *, local: bool = False
) -> tuple[Pipeline, list[str]]:
    """The pipeline that `as_reference` saved, and a message for each part that no longer fits.

    `local` also accepts options that a stranger's file may not set: only for tables this program wrote.
    Raises BadPipeline, without the file's name, if the table is no pipeline or names an unknown preset.
    """
    if "step" in table:
        return from_table(table, origin, local=local), []
    for key in table:
        if key not in ("name", "set"):
            raise BadPipeline(
                f"unknown key {key!r}{meant(key, ('name', 'set'))}; a preset is given by name and set"
            )
    name = table.get("name")
    if not isinstance(name, str) or name not in preset_names():
        raise BadPipeline(f"unknown pipeline {told(name)}; available: {', '.join(preset_names())}")
    pipeline, misfits = load(name), []
    for step, option, value in _settings(table.get("set", {})):
        for planned in pipeline.steps if not local else ():
            if planned.name == step:
                check_strange(type(planned.stage), step, option, value)
        try:
            pipeline = pipeline.with_options({step: {option: value}})
        except BadPipeline as error:
            misfits.append(str(error))
    return pipeline, misfits


def _settings(table: Any) -> Iterable[tuple[str, str, Any]]:
    if not isinstance(table, Mapping) or not all(isinstance(options, Mapping) for options in table.values()):
        raise BadPipeline(f"set must be a table of stages with their options, not {told(table)}")
    return [(step, option, value) for step, options in table.items() for option, value in options.items()]
