"""Still over: results are shortened, the biggest first, until it fits (a later learn-claude-code)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.compactability.placeholders import placeholder_form
from app.stages.base import Context, Messages, Stage, StageResult, option
from app.stages.draft import Draft
from app.stages.saving import HeadForm, Saver, check_folders, folder_option, root_option


@dataclass(frozen=True, kw_only=True)
class Fit(Stage):
    """Saves the biggest results of any tool or age to files, with previews left, until the size is met."""

    name: ClassVar[str] = "fit"
    title: ClassVar[str] = "fit"
    local: ClassVar[tuple[str, ...]] = ("root",)

    target_chars: int = option(40_000, "size of the conversation to stop at", unit="characters", minimum=0)
    preview_chars: int = option(1000, "characters of a saved result to keep", unit="characters", minimum=0)
    folder: str = folder_option()
    root: str = root_option()
    whole_graphemes: bool = option(True, "never cut inside a user-perceived character")

    def __post_init__(self) -> None:
        check_folders(self.name, self.folder, self.root)

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        draft = Draft(self, messages, context)
        saver = Saver(draft, self.folder, self.root)
        unit = context.estimator.unit
        if draft.size <= self.target_chars:
            return draft.finish(idle=f"{draft.size:,} {unit} are within {self.target_chars:,}")
        form = HeadForm(self.preview_chars, self.whole_graphemes)
        reason = f"one of the biggest results while the total is over {self.target_chars:,} {unit}"
        for at in context.survey(messages).longer_than(self.preview_chars):
            if draft.size <= self.target_chars or draft.is_met:
                break
            if placeholder_form(at.result) is None:
                saver.save(at, form, reason)
        over = draft.size - self.target_chars
        left = f"still {over:,} {unit} over {self.target_chars:,}" if over > 0 else ""
        return draft.finish(
            trace=(f"compact.run stage=fit savedResults={draft.changed} strategy=fit",),
            idle=f"no result can be shortened; {left}",
            note=left,
        )
