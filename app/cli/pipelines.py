"""`handcompact pipelines`: what there is, stage by stage, with every option."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.command import DONE, add_json
from app.cli.output import columns, say, say_json
from app.errors import BadPipeline, InputError
from app.pipeline import FIRST, Pipeline, known_names, load, own_folder
from app.pipeline_text import as_toml
from app.stages.base import Option, Stage
from app.views.stage_view import value_words


class Pipelines:
    """Lists the pipelines there are, or the stages and options of one."""

    name = "pipelines"
    summary = "list the pipelines, or the stages and options of one"

    def configure(self, parser: ArgumentParser) -> None:
        parser.add_argument("pipeline", nargs="?", metavar="P", help="pipeline name or .toml file")
        parser.add_argument("--show", metavar="P", help="print a pipeline as TOML, to start one of your own")
        add_json(parser)

    def run(self, args: Namespace) -> int:
        if args.show is not None:
            if args.json or args.pipeline is not None:
                other = "--json" if args.json else "another pipeline"
                raise InputError(f"--show prints one pipeline: leave out --show or {other}")
            say(*as_toml(load(args.show)).splitlines())
        elif args.pipeline is not None:
            _tell([load(args.pipeline)], {}, args)
        else:
            _tell(*_known(), args)
        return DONE


def _known() -> tuple[list[Pipeline], dict[str, str]]:
    """Every pipeline, and of those that cannot be used why, by the name they are called by."""
    pipelines, problems = [], {}
    for name in known_names():
        try:
            pipelines.append(load(name))
        except BadPipeline as error:
            problems[name] = str(error)
    return pipelines, problems


def _tell(pipelines: list[Pipeline], problems: dict[str, str], args: Namespace) -> None:
    if args.json:
        listed = [_as_json(pipeline) for pipeline in pipelines]
        found = {"first": FIRST, "folder": str(own_folder()), "pipelines": listed, "problems": problems}
        say_json(found)
    elif args.pipeline is not None:
        say(*_details(pipelines[0]))
    else:
        say(*columns((p.name, "preset" if p.is_preset else "yours", p.title) for p in pipelines))
        say(*(f"! {problem}" for problem in problems.values()))
        say(
            "",
            "handcompact pipelines NAME shows its stages and options; --show NAME prints it as TOML"
            " to start your own from.",
            f"Your own are in {own_folder()}; each is called by its file name.",
        )


def _details(pipeline: Pipeline) -> list[str]:
    where = [] if pipeline.is_preset else [f"from {pipeline.origin}"]
    about = [pipeline.about] if pipeline.about else []
    lines = [f"{pipeline.name}: {pipeline.title}", *where, *about, f"measured in {pipeline.estimator}", ""]
    for step in pipeline.steps:
        doc = (type(step.stage).__doc__ or "").splitlines()[0]
        lines += [f"{step.name}  {doc}"]
        rows = ((f"  {step.name}.{o.name}", _shown(step.stage, o), o.about) for o in step.stage.options())
        lines += columns(rows)
    return lines


def _shown(stage: Stage, option: Option) -> str:
    return f"{value_words(getattr(stage, option.name))} {option.unit}".rstrip()


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
                        "minimum": o.minimum,
                        "maximum": o.maximum,
                    }
                    for o in step.stage.options()
                },
            }
            for step in pipeline.steps
        ],
    }
