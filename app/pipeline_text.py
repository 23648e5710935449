"""A pipeline as commented TOML, a template for a person's own: every option and what it is for."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any, Final

from app.pipeline import Pipeline, PipelineStep
from app.stages.base import Option
from app.stages.options import HUGE
from app.toml_text import toml_line

_WIDTH: Final = 100


def as_toml(pipeline: Pipeline) -> str:
    """The TOML of a pipeline. It loads as the same pipeline, named after the file it is saved in.

    Options with their default value are commented out; removing the `#` sets them.
    """
    return "\n".join(_lines(pipeline)) + "\n"


def _lines(pipeline: Pipeline) -> Iterator[str]:
    yield from _comment(
        f"A copy of {pipeline.name} to start from. Saved among your pipelines (`handcompact pipelines` names"
        " the folder), it is called by its file name; from anywhere else, use --pipeline PATH."
        " Lines that begin with #name show the defaults."
    )
    yield ""
    yield f"title = {toml_line(pipeline.title)}"
    yield f"about = {toml_line(pipeline.about)}"
    yield f"estimator = {toml_line(pipeline.estimator)}"
    for step in pipeline.steps:
        yield ""
        yield ""
        yield from _step(step)


def _step(step: PipelineStep) -> Iterator[str]:
    kind = type(step.stage)
    yield from _comment((kind.__doc__ or "").splitlines()[0])
    yield "[[step]]"
    yield f"stage = {toml_line(kind.name)}"
    if step.name != kind.name:
        yield f"name = {toml_line(step.name)}"
    for option in step.stage.options():
        if option.name not in kind.local:
            yield ""
            yield from _comment(_about(option))
            yield from _option(option, getattr(step.stage, option.name))


def _option(option: Option, value: Any) -> Iterator[str]:
    if value is None:
        yield f"#{option.name} ="
    elif value == option.default:
        yield f"#{option.name} = {toml_line(value)}"
    else:
        yield f"{option.name} = {toml_line(value)}"


def _about(option: Option) -> str:
    facts = [option.about]
    if option.unit:
        facts.append(f"in {option.unit}")
    # A description that names all choices needs no list of them.
    if option.choices and not all(choice in option.about for choice in option.choices):
        facts.append(f"{'each' if option.type.startswith('tuple') else 'one'} of {', '.join(option.choices)}")
    if option.maximum < HUGE:
        facts.append(f"{option.minimum or 0} to {option.maximum}")
    return "; ".join(facts)


def _comment(text: str) -> Iterator[str]:
    return (f"# {line}" for line in wrap(" ".join(text.split()), _WIDTH))
