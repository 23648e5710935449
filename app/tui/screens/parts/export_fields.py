"""What is asked for in the export dialog: a path to write to, and ticks that go together or do not."""

from __future__ import annotations

from textual import on
from textual.timer import Timer
from textual.widgets import Input

from app.display import cells, safe_text
from app.export.plan import ExportOptions, typed_path
from app.formats.source import FileSource
from app.masking import MaskingOptions
from app.opening import Opened
from app.tui.screens.parts.exporting import Exports
from app.tui.widgets.controls import Control, TickBox

TYPING = 0.4
"""Seconds without a key after which a path that is typed is looked at."""


class AsksForExport(Exports):
    """A screen with the fields of an export; whatever is changed in them is planned again."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._usual = ""
        """The target that the plan names by itself."""
        self._typing: Timer | None = None

    def plan_again(self) -> None:
        """Plan what the fields ask for now."""
        raise NotImplementedError

    def forget_plan(self) -> None:
        """What was planned is not what the fields ask for any more."""
        raise NotImplementedError

    def words_ticked(self) -> None:
        """It was ticked whether words of the user's may go."""
        raise NotImplementedError

    def box(self, name: str) -> TickBox:
        """A tick box by its name."""
        return self.query_one(f"#{name}", TickBox)

    @property
    def options(self) -> ExportOptions:
        """What the fields ask for; raises InputError for a path that cannot be one."""
        typed = self.query_one("#target", Input).value.strip()
        is_own = bool(typed) and typed != self._usual and not self.box("in-place").value
        return ExportOptions(
            out=typed_path(typed) if is_own else None,
            in_place=self.box("in-place").value,
            install=self.box("install").value,
            share=MaskingOptions() if self.box("share").value else None,
            backup=self.box("backup").value,
            report=self.box("report").value,
            drop_old=self.box("drop-old").value,
        )

    def put_usual(self, target: str) -> None:
        """Show the target that a plan names by itself, where no other was typed."""
        field = self.query_one("#target", Input)
        if field.value in ("", self._usual):
            self._usual = field.value = safe_text(target)
            # A path is known by its end.
            field.call_after_refresh(field.scroll_to, x=cells(field.value), animate=False, force=True)

    @on(Input.Changed, "#target")
    def _typed(self, event: Input.Changed) -> None:
        if not event.input.has_focus:
            return
        if self._typing is not None:
            self._typing.stop()
        self.forget_plan()
        self._typing = self.set_timer(TYPING, self.plan_again)

    @on(Control.Used, "TickBox")
    def _ticked(self, event: Control.Used) -> None:
        match event.used.id:
            case "words":
                self.words_ticked()
                return
            case "in-place":
                self.box("install").value = self.box("share").value = False
                self._switch_place(self.box("in-place").value)
            case "install":
                self.box("share").value = False
                self._switch_install(self.box("install").value)
            case "share":
                self.box("install").value = False
                self._switch_install(False)
            case "backup" if self.box("in-place").value:
                self.box("backup").value = True
                self.status("replacing the original always makes a backup")
                return
        self.plan_again()

    def _switch_place(self, in_place: bool) -> None:
        field = self.query_one("#target", Input)
        field.disabled = in_place
        source = self.opened.source
        is_file = in_place and isinstance(source, FileSource)
        field.value = safe_text(source.name) if is_file else self._usual
        if in_place:
            self.box("backup").value = True

    def _switch_install(self, install: bool) -> None:
        self.box("in-place").value = False
        field = self.query_one("#target", Input)
        field.disabled = install
        # The plan says where that is; the usual place comes back with the tick.
        self._usual = field.value = ""
