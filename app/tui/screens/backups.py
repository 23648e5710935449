"""The backups on this machine: what each would change, and putting one back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import ClassVar

from textual import on
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from app.display import counted, human_bytes, short_path
from app.errors import HandcompactError
from app.export.manifests import Manifest, looked_in, manifests
from app.export.plan_text import still_open_words
from app.restore import RESTORE, Restored, State, restore, state_of, why_not_restore
from app.tui.in_thread import in_thread
from app.tui.keys import KeyScope
from app.tui.screens.base import BaseScreen, acts
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.session_diff import ContrastScreen
from app.tui.widgets.backup_list import BackupList, BackupRow
from app.tui.widgets.fact_list import Fact, FactList
from app.tui.widgets.line_view import LineView

WORDS = {
    State.SAME: "the file is identical to this backup",
    State.DIFFERS: "the file differs: d shows what restoring would change",
    State.GONE: "the file is gone: restoring recreates it",
    State.LOST: "the backup is gone, or none was made",
}


NONE = "no backups yet: an export makes one"


class BackupsScreen(BaseScreen):
    """The list of backups; restoring one always asks first."""

    WHERE: ClassVar[KeyScope] = KeyScope.BACKUPS

    class Found(Message):
        """The backups were listed."""

        def __init__(self, found: list[tuple[Manifest, State]]) -> None:
            super().__init__()
            self.found = found

    class Done(Message):
        """A backup was restored, or the reason why not."""

        def __init__(self, done: Restored | None, reason: str) -> None:
            super().__init__()
            self.done = done
            self.reason = reason

    def __init__(self, files: Iterable[str] = ()) -> None:
        """`files`: files whose backups are also listed."""
        super().__init__()
        self._looked_in = looked_in(files)
        self._found: list[tuple[Manifest, State]] = []
        self._said = ""

    def body(self) -> Iterable[Widget]:
        yield BackupList(glyphs=self.glyphs, id="backups")
        yield FactList(glyphs=self.glyphs, id="about")

    def header(self) -> str:
        return f"handcompact {self.glyphs.dot} {counted(len(self._found), 'backup')}"

    @property
    def _list(self) -> BackupList:
        return self.query_one(BackupList)

    @property
    def _current(self) -> tuple[Manifest, State] | None:
        return self._found[self._list.cursor] if self._found else None

    def on_mount(self) -> None:
        self._list.focus()
        self._look()

    @in_thread(exit_on_error=False, exclusive=True, group="backups")
    def _look(self) -> None:
        found = []
        for manifest in manifests(self._looked_in):
            if get_current_worker().is_cancelled:
                return
            found.append((manifest, state_of(manifest)))
        self.post_message(self.Found(found))

    @on(Found)
    def _show(self, event: Found) -> None:
        self._found = event.found
        self._list.show([_row(manifest, state) for manifest, state in self._found])
        self._describe()
        if self._said or not self._found:
            self.status(self._said or NONE)

    @on(LineView.Moved, "#backups")
    def _describe(self) -> None:
        self._said, said = "", self._said
        current = self._current
        facts = list(self._no_facts() if current is None else _facts(*current))
        self.query_one("#about", FactList).show(facts)
        self.status(said or ("" if current is None else WORDS[current[1]]))
        self.refresh_lines()

    def _no_facts(self) -> Iterator[Fact]:
        for folder in self._looked_in:
            yield Fact("looked", short_path(folder), whole=True)
        beside = "for a file outside agents' folders, open it first (.transcripts beside it)"
        yield Fact("else", beside, whole=True)

    # Keys

    def why_not(self, action: str) -> str | None:
        if action not in ("restore", "difference") or not self.is_mounted:
            return None
        if self._current is None:
            return NONE
        _, state = self._current
        if state is State.LOST:
            return WORDS[State.LOST]
        if action == "difference" and state is not State.DIFFERS:
            return WORDS[state]
        return WORDS[State.SAME] if action == "restore" and state is State.SAME else None

    @acts
    def action_difference(self) -> None:
        assert self._current is not None
        manifest, _ = self._current
        assert manifest.backup is not None, "why_not has looked"
        title = f"What restoring {manifest.source.name} would change"
        self.app.push_screen(ContrastScreen(manifest.source, manifest.backup, title))

    @on(LineView.Opened, "#backups")
    def _opened_row(self) -> None:
        self.action_restore()

    @acts
    def action_restore(self) -> None:
        assert self._current is not None
        manifest, state = self._current
        if reason := why_not_restore(manifest):
            self.status(reason)
            return
        what = f"Restore {human_bytes(manifest.source_size)} from {_local(manifest.made)}?"
        kept = "The current file is backed up first." if state is State.DIFFERS else ""
        detail = f"{short_path(manifest.source)}\n{kept}".rstrip()

        def put_back(sure: bool | None) -> None:
            if sure:
                self._restore(manifest)

        self.app.push_screen(ConfirmScreen(what, yes="Restore", detail=detail), put_back)

    @in_thread(exit_on_error=False, exclusive=True, group="restore")
    def _restore(self, manifest: Manifest) -> None:
        try:
            self.post_message(self.Done(restore(manifest), ""))
        except (HandcompactError, OSError) as error:
            self.post_message(self.Done(None, str(error)))

    @on(Done)
    def _restored(self, event: Done) -> None:
        if event.done is None:
            self._said = event.reason
        else:
            kept = event.done.replaced_backup
            words = f"restored {event.done.target.name}"
            self._said = words if kept is None else f"{words}; the replaced file is kept as {kept.name}"
            if event.done.still_open:
                self._said = f"{words}; {still_open_words(event.done.still_open)}"
        self._look()

    def action_reload(self) -> None:
        self._look()

    def action_close(self) -> None:
        self.dismiss()


def _local(made: str) -> str:
    """A timestamp such as `20260101T120000Z` in local time; any other text unchanged."""
    try:
        moment = datetime.strptime(made, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return made
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _row(manifest: Manifest, state: State) -> BackupRow:
    return BackupRow(
        made=_local(manifest.made),
        size=manifest.source_size,
        state=str(state),
        file=short_path(manifest.source),
        differs=state in (State.DIFFERS, State.GONE),
    )


def _facts(manifest: Manifest, state: State) -> Iterator[Fact]:
    yield Fact("file", short_path(manifest.source), whole=True)
    if manifest.backup is not None:
        yield Fact("backup", short_path(manifest.backup), whole=True)
    if manifest.pipeline == RESTORE:
        yield Fact("made", "before another backup was restored", whole=True)
    elif manifest.in_place:
        yield Fact("made", f"before {manifest.pipeline} replaced it", whole=True)
    else:
        yield Fact("made", f"when {manifest.pipeline} wrote {short_path(manifest.target)}", whole=True)
