"""`handcompact pipelines`: what there is, stage by stage, with every option."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.command import DONE, add_json
from app.cli.output import columns, say, say_json
from app.pipeline import FIRST, Pipeline, load, preset_names
from app.stages.base import Option, Stage


class Pipelines:
    """Lists the presets, or the stages and options of one pipeline."""

    name = "pipelines"
    summary = "list the pipelines, or the stages and options of one"

    def configure(self, parser: ArgumentParser) -> None:
        parser.add_argument("pipeline", nargs="?", metavar="P", help="a preset or a .toml file")
        add_json(parser)

    def run(self, args: Namespace) -> int:
        names = [args.pipeline] if args.pipeline else list(preset_names())
        pipelines = [load(name) for name in names]
        if args.json:
            say_json({"first": FIRST, "pipelines": [_as_json(pipeline) for pipeline in pipelines]})
        elif args.pipeline:
            say(*_details(pipelines[0]))
        else:
            say(*columns((p.name, p.title) for p in pipelines))
            say("", "handcompact pipelines NAME shows the stages and options of one.")
        return DONE


def _details(pipeline: Pipeline) -> list[str]:
    lines = [f"{pipeline.name}: {pipeline.title}", pipeline.about, f"measured in {pipeline.estimator}", ""]
    for step in pipeline.steps:
        doc = (type(step.stage).__doc__ or "").splitlines()[0]
        lines += [f"{step.name}  {doc}"]
        rows = ((f"  {step.name}.{o.name}", _shown(step.stage, o), o.about) for o in step.stage.options())
        lines += columns(rows)
    return lines


def _shown(stage: Stage, option: Option) -> str:
    value = getattr(stage, option.name)
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{text} {option.unit}".rstrip()


def _as_json(pipeline: Pipeline) -> dict[str, object]:
    return {
        "name": pipeline.name,
        "title": pipeline.title,
        "about": pipeline.about,
        "estimator": pipeline.estimator,
        "origin": pipeline.origin,
        "steps": [
            {
                "name": step.name,
                "stage": step.stage.name,
                "options": {
                    o.name: {
                        "value": getattr(step.stage, o.name),
                        "about": o.about,
                        "unit": o.unit,
                        "choices": list(o.choices),
                    }
                    for o in step.stage.options()
                },
            }
            for step in pipeline.steps
        ],
    }
