"""A stage that a person runs by hand, once, wherever the pipeline stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from app.display import counted
from app.edits.base import Edit, allow_words_option
from app.edits.scene import ALLOW_WORDS, is_typed
from app.edits.soundness import why_unsound
from app.errors import BadPipeline
from app.model import blocks_of
from app.stages import stage_named
from app.stages.base import Context, Messages, Stage, StageResult, option, run_stage


@dataclass(frozen=True, kw_only=True)
class ByStage(Edit):
    """Runs a stage with its own options; if rows are given, it changes only those."""

    name: ClassVar[str] = "stage"
    title: ClassVar[str] = "stage"
    needs_keys: ClassVar[bool] = False

    stage: str = option("drop_superseded", "the stage, by its name in pipelines")
    settings: tuple[str, ...] = option((), "its options, each as OPTION=VALUE")
    called: str = option("", "name to show; empty: the stage's own")
    allow_words: bool = allow_words_option()

    @property
    def label(self) -> str:
        return self.called or self.stage

    def __post_init__(self) -> None:
        self._stage()

    def _stage(self) -> Stage:
        """The stage; raises BadPipeline for a name or an option that does not fit."""
        kind = stage_named(self.stage)
        values = dict(_parsed(setting) for setting in self.settings)
        for name in kind.local:
            if name in values:
                raise BadPipeline(
                    f"{self.stage}.{name} is not allowed in an edit, since edits can be replayed elsewhere"
                )
        stage = kind.build(values)
        return stage.with_options({"protect": False}) if self.force else stage

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        result = run_stage(self._stage(), messages, self._narrowed(messages, context))
        gone = sum(change.before is not None and is_typed(change.before) for change in result.changes)
        if gone and not self.allow_words:
            typed = f"{counted(gone, 'message')} of yours"
            note = f"{typed} would be removed: this needs your consent ({ALLOW_WORDS})"
            return StageResult(messages, note=note, size_before=result.size_before)
        if result.changes and (unsound := why_unsound(messages, result.messages)):
            return StageResult(messages, note=unsound, size_before=result.size_before)
        return result

    def _narrowed(self, messages: Messages, context: Context) -> Context:
        """The context in which all but the chosen blocks must stay, and these are what was looked at."""
        if not self.keys:
            return context
        chosen = {named.at for named in self.scene(messages, context).named(self.keys)}
        keys = {self.scene(messages, context).block(at).key for at in chosen}
        others = {block.key: "not chosen" for _, block in blocks_of(messages) if block.key not in keys}
        held = replace(
            context.protection,
            text={**others, **context.protection.text},
            pinned=context.protection.pinned | others.keys(),
        )
        return replace(context, protection=held, unchanged=frozenset(keys))


def _parsed(setting: str) -> tuple[str, str]:
    name, equals, value = setting.partition("=")
    if not (equals and name.strip()):
        raise BadPipeline(f"{setting!r}: expected OPTION=VALUE, as in keep_recent=0")
    return name.strip(), value.strip()
