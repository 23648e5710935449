"""The base of hand edits: an edit is like a stage, but a person chooses the blocks it acts on.

An edit is pure and frozen, so that it can be replayed from its name, its keys and its options. It is
asked twice. `why_not` is strict and comes first, so that nothing is done by half without a word. The call
is lenient: replayed behind a new pin, or another option of an earlier stage, it changes what it still may
and says what it left alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from msgspec import Struct

from app.display import counted
from app.edits.scene import ALLOW_WORDS, FORCE, WORDS, Obstacle, Position, Scene, is_typed
from app.edits.soundness import why_unsound
from app.stages.base import Action, Context, Messages, StageResult, option
from app.stages.draft import Draft


def allow_words_option() -> Any:
    """The option without which an edit leaves the person's own words alone."""
    return option(False, "also change your own words; set it only after reading which")


@dataclass(frozen=True, kw_only=True)
class Edit(Action):
    """Base of all hand edits: the keys that each acts on, and what lifts its protection."""

    sort: ClassVar[str] = "edit"
    common: ClassVar[tuple[str, ...]] = (ALLOW_WORDS, FORCE)
    only_if_smaller: ClassVar[bool] = True
    """Whether results are only replaced by shorter ones."""
    needs_keys: ClassVar[bool] = True
    """Whether the edit needs at least one chosen block."""

    keys: tuple[str, ...] = ()
    """Keys of blocks, or of messages for all their blocks."""
    force: bool = option(False, "also change protected blocks (pinned ones always stay)")

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        """Apply as much of the edit as is allowed, and return the result."""
        raise NotImplementedError

    def why_not(self, messages: Messages, context: Context) -> str | None:
        """The reason, in words, why the edit cannot be done as requested; None if it can."""
        if self.needs_keys and not self.keys:
            return "no rows are chosen"
        scene = self.scene(messages, context)
        if missing := scene.missing(self.keys):
            rows = "1 row is" if len(missing) == 1 else f"{len(missing):,} rows are"
            return f"{rows} not in the conversation as it is now"
        if obstacle := self._obstacle(scene):
            return obstacle
        result = self(messages, context)
        return None if result.changes else result.note

    def fitting(self, messages: Messages, context: Context) -> tuple[str, ...]:
        """The keys whose blocks may be changed."""
        scene = self.scene(messages, context)
        return tuple(key for key in self.keys if not scene.missing([key]))

    def scene(self, messages: Messages, context: Context) -> Scene:
        """The conversation as this edit looks at it."""
        return Scene(messages, context, force=self.force)

    def _obstacle(self, scene: Scene) -> str | None:
        """What prevents the edit from being done in full; None if nothing does."""
        return None

    @property
    def label(self) -> str:
        """What people call it."""
        return self.title

    @property
    def protect(self) -> bool:
        """Whether protected blocks are left alone."""
        return not self.force

    def target(self, context: Context) -> int:
        """Always 0: a hand edit has no target size."""
        return 0

    def with_keys(self, keys: Iterable[str]) -> Edit:
        """The same edit on other blocks."""
        return replace(self, keys=tuple(dict.fromkeys(keys)))


class Aim(Struct, frozen=True):
    """A block that an edit is to change, and what prevents the change."""

    at: Position
    obstacle: Obstacle | None = None
    reason: str = ""
    """Why the block is changed although it was not chosen itself."""


@dataclass(frozen=True, kw_only=True)
class BlockEdit(Edit, ABC):
    """Base of the edits that change one block at a time."""

    done: ClassVar[str]
    """What happened to a block, as in `would be cleared`."""
    unfit: ClassVar[str]
    """Why nothing was done where no chosen block is of the right sort."""

    @abstractmethod
    def aims(self, scene: Scene) -> Sequence[Aim]:
        """The blocks that the keys mean, in the order of the conversation."""

    @abstractmethod
    def change(self, draft: Draft, scene: Scene, aims: Sequence[Aim]) -> None:
        """Change these blocks, in whose way nothing is."""

    def __call__(self, messages: Messages, context: Context) -> StageResult:
        scene = self.scene(messages, context)
        aims = self.aims(scene)
        draft = Draft(self, messages, context, sized=False)
        self.change(draft, scene, [aim for aim in aims if aim.obstacle is None])
        obstacles = [aim.obstacle for aim in aims if aim.obstacle is not None]
        draft.protected += len(obstacles)
        told = self._told(obstacles, len(aims)) if obstacles else ""
        result = draft.finish(idle=told or self.unfit, note=told)
        if result.changes and (unsound := why_unsound(messages, result.messages)):
            return StageResult(messages, note=unsound, size_before=result.size_before)
        return result

    def fitting(self, messages: Messages, context: Context) -> tuple[str, ...]:
        scene = self.scene(messages, context)
        return tuple(scene.block(aim.at).key for aim in self.aims(scene) if aim.obstacle is None)

    def _obstacle(self, scene: Scene) -> str | None:
        aims = self.aims(scene)
        obstacles = [aim.obstacle for aim in aims if aim.obstacle is not None]
        return self._told(obstacles, len(aims)) if obstacles else None

    def _told(self, obstacles: Sequence[Obstacle], total: int) -> str:
        obstacle, number = Counter(obstacles).most_common(1)[0]
        if obstacle == WORDS:
            words = counted(number, "text")
            return f"{words} of yours would be {self.done}: this needs your consent ({ALLOW_WORDS})"
        stay = "" if total == 1 else f"{number:,} of {total:,} stay: "
        lifted = f" (override: {obstacle.lifted_by})" if obstacle.lifted_by else ""
        return f"{stay}{obstacle.reason}{lifted}"

    @property
    def words_allowed(self) -> bool:
        """Whether the person said yes to changing their own words."""
        return False

    def why_text_stays(self, scene: Scene, at: Position) -> Obstacle | None:
        """Why this edit may not change a block's words."""
        if (obstacle := scene.why_text_stays(at)) is not None:
            return obstacle
        return WORDS if is_typed(scene.block(at)) and not self.words_allowed else None

    def result_aims(self, scene: Scene) -> Iterator[tuple[Position, bool]]:
        """The results that the keys mean, each with whether it was chosen by itself or through its call.

        What stands for no result is given too where it was chosen by itself.
        """
        seen: set[Position] = set()
        for named in scene.named(self.keys):
            results = scene.results_of(named.at)
            for at in results or ([named.at] if named.by_itself else []):
                if at not in seen:
                    seen.add(at)
                    yield at, named.by_itself
