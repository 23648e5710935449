"""Reading `--set stage.option=value`."""

from __future__ import annotations

from collections.abc import Iterable

from app.errors import BadPipeline


def parse_settings(texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """Stage name -> option -> text; raises BadPipeline for one of another form."""
    settings: dict[str, dict[str, str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        stage, dot, option = name.strip().rpartition(".")
        if not (equals and dot and stage and option):
            raise BadPipeline(
                f"--set {text!r}: STAGE.OPTION=VALUE was expected, as in microcompact.keep_recent=5"
            )
        settings.setdefault(stage, {})[option] = value.strip()
    return settings
