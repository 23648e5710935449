"""Pipelines are data: a TOML file names an estimator and a list of stages with their options.

Ours and a person's own are read by the same loader. A pipeline can come from a stranger, so the
loader takes nothing but stage options: no command, endpoint, key or absolute folder.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from app.errors import BadPipeline
from app.settings import config_dir
from app.stages import stage_named
from app.stages.base import Stage
from app.tokens import ESTIMATORS

FIRST = "gentle"
"""The preset that opens first."""


@dataclass(frozen=True, slots=True)
class PipelineStep:
    """One stage of a pipeline; `name` tells two uses of a stage apart."""

    name: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A named list of stages and the measure that their limits are in."""

    name: str
    title: str
    about: str
    estimator: str
    steps: tuple[PipelineStep, ...]
    origin: str = "preset"

    @property
    def titles(self) -> tuple[str, ...]:
        """What people call the steps: the stage's title, or the step's own name where two share that."""
        titles = [step.stage.title for step in self.steps]
        return tuple(
            title if titles.count(title) == 1 else step.name
            for title, step in zip(titles, self.steps, strict=True)
        )

    def with_options(self, changes: Mapping[str, Mapping[str, Any]]) -> Pipeline:
        """The pipeline with options of some steps changed; raises BadPipeline naming what does not fit."""
        names = [step.name for step in self.steps]
        for name in changes:
            if name not in names:
                raise BadPipeline(f"pipeline {self.name} has no stage {name!r}; it has: {', '.join(names)}")
        steps = tuple(
            replace(step, stage=step.stage.with_options(changes[step.name])) if step.name in changes else step
            for step in self.steps
        )
        return replace(self, steps=steps)


def _presets() -> Traversable:
    return resources.files("app").joinpath("pipelines")


def preset_names() -> tuple[str, ...]:
    """The names of our own pipelines, the one that opens first in front."""
    files = _presets().iterdir()
    names = sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))
    return tuple(sorted(names, key=lambda name: name != FIRST))


def known_names() -> tuple[str, ...]:
    """What `load` can be given: our own names, then the paths of a person's own in the config folder."""
    own = sorted((config_dir() / "pipelines").glob("*.toml"))
    return (*preset_names(), *map(str, own))


def load(name_or_path: str) -> Pipeline:
    """A preset by its name, or a pipeline from a TOML file; raises BadPipeline with what is wrong."""
    if name_or_path in preset_names():
        text = _presets().joinpath(f"{name_or_path}.toml").read_text("utf-8")
        return parse(text, origin="preset")
    path = Path(name_or_path)
    if path.suffix != ".toml":
        raise BadPipeline(
            f"there is no pipeline {name_or_path!r}; there are: {', '.join(preset_names())};"
            " your own is given as a path that ends in .toml"
        )
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadPipeline(f"{path} cannot be read ({error}): a pipeline in TOML was expected") from error
    return parse(text, origin=str(path))


def parse(text: str, origin: str) -> Pipeline:
    """A pipeline from TOML text; raises BadPipeline saying where and what was expected."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPipeline(f"{origin} is not TOML: {error}") from error
    unknown = set(data) - {"name", "title", "about", "estimator", "step"}
    if unknown:
        raise BadPipeline(
            f"{origin}: unknown keys {', '.join(sorted(unknown))}; a pipeline has "
            "name, title, about, estimator and [[step]] tables"
        )
    estimator = data.get("estimator", "tokens")
    if estimator not in ESTIMATORS:
        known = ", ".join(ESTIMATORS)
        raise BadPipeline(f"{origin}: there is no estimator {estimator!r}; there are: {known}")
    name = data.get("name")
    if not isinstance(name, str) or not name:
        raise BadPipeline(f"{origin}: a pipeline needs a name")
    steps = tuple(_steps(data.get("step"), origin))
    return Pipeline(name, str(data.get("title", name)), str(data.get("about", "")), estimator, steps, origin)


def _steps(tables: Any, origin: str) -> Iterator[PipelineStep]:
    if not isinstance(tables, list) or not tables:
        raise BadPipeline(f"{origin}: a pipeline needs at least one [[step]] with a stage")
    seen: set[str] = set()
    for number, table in enumerate(tables, 1):
        if not isinstance(table, dict) or not isinstance(table.get("stage"), str):
            raise BadPipeline(f"{origin}: step {number} names no stage")
        options = dict(table)
        kind = stage_named(options.pop("stage"))
        name = options.pop("name", kind.name)
        if name in seen:
            raise BadPipeline(f"{origin}: two steps are called {name!r}: give one of them a name of its own")
        seen.add(name)
        for local in kind.local:
            if local in options:
                raise BadPipeline(
                    f"{origin}: {name}.{local} may not stand in a pipeline, which can come from a stranger:"
                    f" give it as --set {name}.{local}=..."
                )
        yield PipelineStep(name, kind.build(options))
