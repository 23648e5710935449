"""A pipeline as the TOML text of one's own to start from: every option, and what it is for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Any, Final

from app.pipeline import Pipeline, PipelineStep
from app.stages.base import Option
from app.stages.options import HUGE

_WIDTH: Final = 100


def as_toml(pipeline: Pipeline) -> str:
    """The file of a pipeline; it loads back the same, called by the name that the file is given.

    What is as usual stands there as a comment that can be let in by taking its `#` away.
    """
    return "\n".join(_lines(pipeline)) + "\n"


def _lines(pipeline: Pipeline) -> Iterator[str]:
    yield from _comment(
        f"A copy of {pipeline.name} to start from. Saved among your pipelines (`handcompact pipelines` names"
        " the folder) it is called as its file is; from anywhere else it is --pipeline PATH."
        " Lines that begin with #name show what holds where nothing is said."
    )
    yield ""
    yield f"title = {_value(pipeline.title)}"
    yield f"about = {_value(pipeline.about)}"
    yield f"estimator = {_value(pipeline.estimator)}"
    for step in pipeline.steps:
        yield ""
        yield ""
        yield from _step(step)


def _step(step: PipelineStep) -> Iterator[str]:
    kind = type(step.stage)
    yield from _comment((kind.__doc__ or "").splitlines()[0])
    yield "[[step]]"
    yield f"stage = {_value(kind.name)}"
    if step.name != kind.name:
        yield f"name = {_value(step.name)}"
    for option in step.stage.options():
        if option.name not in kind.local:
            yield ""
            yield from _comment(_about(option))
            yield from _option(option, getattr(step.stage, option.name))


def _option(option: Option, value: Any) -> Iterator[str]:
    if value is None:
        yield f"#{option.name} ="
    elif value == option.default:
        yield f"#{option.name} = {_value(value)}"
    else:
        yield f"{option.name} = {_value(value)}"


def _about(option: Option) -> str:
    facts = [option.about]
    if option.unit:
        facts.append(f"in {option.unit}")
    # What names its own choices in its words need not do so twice.
    if option.choices and not all(choice in option.about for choice in option.choices):
        facts.append(f"{'each' if option.type.startswith('tuple') else 'one'} of {', '.join(option.choices)}")
    if option.maximum < HUGE:
        facts.append(f"{option.minimum or 0} to {option.maximum}")
    return "; ".join(facts)


def _comment(text: str) -> Iterator[str]:
    return (f"# {line}" for line in wrap(" ".join(text.split()), _WIDTH))


def _sign(char: str) -> str:
    """A sign within a basic string; TOML has no way to say half of a pair."""
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    return "?" if "\ud800" <= char <= "\udfff" else f"\\U{ord(char):08x}"


def _value(value: Any) -> str:
    """A value as TOML, in one line."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return repr(value) if "." in repr(value) else f"{value:.1f}"
    if isinstance(value, str):
        return f'"{"".join(map(_sign, value))}"'
    return json.dumps(value)
