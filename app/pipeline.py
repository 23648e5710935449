"""Pipelines are data: a TOML file names an estimator and a list of stages with their options.

Presets and a person's own pipelines are read by the same loader. A pipeline can come from a stranger,
so the loader accepts only stage options: no command, endpoint, key or absolute folder.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from app.errors import BadPipeline
from app.settings import FIRST as FIRST
from app.settings import config_dir
from app.stages import stage_named
from app.stages.base import Stage
from app.stages.options import meant, told
from app.tokens import ESTIMATORS

PRESET: Final = "preset"
"""The origin of the presets that come with the program."""

_MOST_BYTES: Final = 1 << 20
_MOST_STEPS: Final = 100
_MOST_CHARS: Final = 1_000
"""Code points of a name, a title or the description of a pipeline."""
_LINE_CHARS: Final = 200
"""Code points of a text that a pipeline may put into a conversation."""
_KEYS: Final = ("name", "title", "about", "estimator", "step")
_NAME: Final = re.compile(r"[^\W_][\w-]{0,59}")
_ELSEWHERE: Final = frozenset(
    {
        "api_key", "argv", "base_url", "command", "endpoint", "env", "key", "key_variable", "model",
        "provider", "token", "url",
    }
)  # fmt: skip
"""Keys that decide what is run, sent or trusted: only the person may set them."""


class PipelineStep(Struct, frozen=True):
    """One stage of a pipeline; `name` tells two uses of a stage apart."""

    name: str
    stage: Stage


class Pipeline(Struct, frozen=True):
    """A named list of stages and the estimator that measures their limits."""

    name: str
    title: str
    about: str
    estimator: str
    steps: tuple[PipelineStep, ...]
    origin: str = PRESET
    """`preset`, or the file it was read from."""

    @property
    def is_preset(self) -> bool:
        """Whether it comes with the program."""
        return self.origin == PRESET

    @property
    def reference(self) -> str:
        """The argument with which `load` returns this pipeline: its name if it is listed, else its file."""
        return self.name if self.is_preset or Path(self.origin) == _own_file(self.name) else self.origin

    @property
    def titles(self) -> tuple[str, ...]:
        """Display names of the steps: the stage's title, or the step's own name if two share a title."""
        titles = [step.stage.title for step in self.steps]
        return tuple(
            title if titles.count(title) == 1 else step.name
            for title, step in zip(titles, self.steps, strict=True)
        )

    def with_options(self, changes: Mapping[str, Mapping[str, Any]]) -> Pipeline:
        """The pipeline with options of some steps changed; raises BadPipeline naming what is invalid."""
        names = [step.name for step in self.steps]
        for name in changes:
            if name not in names:
                there = f"{meant(name, names)}; it has: {', '.join(names)}"
                raise BadPipeline(f"pipeline {self.name} has no stage {name!r}{there}")
        steps = tuple(
            replace(step, stage=step.stage.with_options(changes[step.name])) if step.name in changes else step
            for step in self.steps
        )
        return replace(self, steps=steps)


_PRESETS: Final = Path(__file__).with_name("pipelines")


def preset_names() -> tuple[str, ...]:
    """The names of the presets, the default one first."""
    files = _PRESETS.iterdir()
    names = sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))
    return tuple(sorted(names, key=lambda name: name != FIRST))


def own_folder() -> Path:
    """The folder of the person's own pipelines, which are listed by file name."""
    return config_dir() / "pipelines"


def known_names() -> tuple[str, ...]:
    """All names `load` accepts: the presets, then the person's own in the settings folder.

    A file that cannot be loaded by name is listed by its path, so that loading it says why.
    """
    presets = preset_names()
    own = sorted(own_folder().glob("*.toml"))
    return (*presets, *(str(f) if f.stem in presets or not _NAME.fullmatch(f.stem) else f.stem for f in own))


def _own_file(name: str) -> Path:
    return own_folder() / f"{name}.toml"


def load(name_or_path: str) -> Pipeline:
    """A preset or a person's own pipeline by name, or a pipeline from a TOML file.

    Raises BadPipeline with the file, the key, its value and what was expected.
    """
    if name_or_path in preset_names():
        text = _PRESETS.joinpath(f"{name_or_path}.toml").read_text("utf-8")
        return parse(text, origin=PRESET)
    if _NAME.fullmatch(name_or_path) and _own_file(name_or_path).exists():
        return _read(_own_file(name_or_path))
    path = Path(name_or_path)
    if path.suffix != ".toml":
        known = known_names()
        there = f"{meant(name_or_path, known)}; available: {', '.join(known)}"
        in_file = "give a file as a path that ends in .toml"
        raise BadPipeline(f"unknown pipeline {told(name_or_path)}{there}; {in_file}")
    return _read(path)


def _read(path: Path) -> Pipeline:
    try:
        if not path.is_file():
            why = "not a file" if path.exists() else "no such file"
            raise BadPipeline(f"{path} cannot be read ({why}): expected a pipeline in TOML")
        if path.stat().st_size > _MOST_BYTES:
            raise BadPipeline(f"{path} is larger than {_MOST_BYTES >> 20} MiB, too long for a pipeline")
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise BadPipeline(f"{path} cannot be read ({error}): expected a pipeline in TOML") from error
    return parse(text, origin=str(path))


def parse(text: str, origin: str) -> Pipeline:
    """A pipeline from TOML text; raises BadPipeline saying where and what was expected.

    `origin` is `preset` or a file; its name is used if the pipeline does not name itself.
    """
    try:
        return from_table(tomllib.loads(text), origin)
    except BadPipeline as error:
        raise BadPipeline(f"{origin}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise BadPipeline(f"{origin} is not TOML: {error}") from error


def from_table(data: Mapping[str, Any], origin: str, *, local: bool = False) -> Pipeline:
    """A pipeline from a parsed TOML table; raises BadPipeline, without the file's name.

    `local` also accepts options that a stranger's file may not set: only for tables this program wrote.
    """
    if not data:
        raise BadPipeline("the file is empty: a pipeline needs at least one [[step]] with a stage")
    for key in data:
        if key not in _KEYS:
            raise BadPipeline(
                f"unknown key {key!r}{meant(key, _KEYS)}; a pipeline has {', '.join(_KEYS[:-1])}"
                f" and [[step]] tables{_where_else(key)}"
            )
    estimator = _text(data, "estimator", "tokens")
    if estimator not in ESTIMATORS:
        raise BadPipeline(f"estimator must be one of {', '.join(ESTIMATORS)}, not {estimator!r}")
    name = _name(data, origin)
    steps = tuple(_steps(data.get("step"), local=local))
    return Pipeline(name, _text(data, "title", name), _text(data, "about", ""), estimator, steps, origin)


def _text(table: Mapping[str, Any], key: str, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or len(value) > _MOST_CHARS:
        raise BadPipeline(f"{key} must be a string of up to {_MOST_CHARS:,} characters, not {told(value)}")
    return value


def _name(data: Mapping[str, Any], origin: str) -> str:
    """The pipeline's own name, else its file's; only a preset may have a preset's name."""
    stem = Path(origin).stem
    name = _plain_name(data, stem)
    if origin == PRESET:
        return name
    if name in preset_names():
        raise BadPipeline(f"name {name!r} is taken by a preset: rename the file or give it another name")
    if Path(origin).parent == own_folder() and name != stem:
        raise BadPipeline(
            f"name must be {stem!r}, like the file, not {name!r}: rename one, or leave the line out"
        )
    return name


def _plain_name(table: Mapping[str, Any], default: str) -> str:
    name = _text(table, "name", default)
    if not _NAME.fullmatch(name):
        raise BadPipeline(f"name must be up to 60 letters, digits, - and _, not {told(name)}")
    return name


def _steps(tables: Any, *, local: bool) -> Iterator[PipelineStep]:
    if not isinstance(tables, list) or not tables:
        raise BadPipeline("a pipeline needs at least one [[step]] with a stage")
    if len(tables) > _MOST_STEPS:
        raise BadPipeline(f"{len(tables):,} steps are too many: at most {_MOST_STEPS} are allowed")
    seen: set[str] = set()
    for number, table in enumerate(tables, 1):
        try:
            step = _step(table, local=local)
        except BadPipeline as error:
            raise BadPipeline(f"step {number}: {error}") from error
        if step.name in seen:
            raise BadPipeline(f"two steps are called {step.name!r}: give one of them another name")
        seen.add(step.name)
        yield step


def _step(table: Any, *, local: bool) -> PipelineStep:
    if not isinstance(table, dict) or not isinstance(table.get("stage"), str):
        raise BadPipeline('it names no stage: each [[step]] needs one, as in stage = "microcompact"')
    kind = stage_named(table["stage"])
    name = _plain_name(table, kind.name)
    options = {key: value for key, value in table.items() if key not in ("stage", "name")}
    known = {option.name for option in kind.options()}
    for key in options:
        if not local:
            check_strange(kind, name, key, options[key])
        if key not in known and (elsewhere := _where_else(key)):
            raise BadPipeline(f"stage {kind.name} has no option {key!r}{elsewhere}")
    return PipelineStep(name, kind.build(options))


def check_strange(kind: type[Stage], name: str, option: str, value: Any) -> None:
    """Raise BadPipeline for an option value that no file may set, since a file can come from a stranger."""
    if option in kind.local:
        raise BadPipeline(
            f"{name}.{option} is not allowed in a pipeline, which can come from a stranger:"
            f" give it as --set {name}.{option}=..."
        )
    if option in kind.spoken and not _is_plain_line(value):
        line = f"one line of up to {_LINE_CHARS} characters"
        raise BadPipeline(f"{name}.{option} must be {line}, not {told(value)}")


def _is_plain_line(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LINE_CHARS and value.isprintable()


def _where_else(key: str) -> str:
    if key not in _ELSEWHERE:
        return ""
    return (
        "; a pipeline can come from a stranger, so it cannot contain a command, address or key:"
        " set them in config.toml or with flags"
    )
