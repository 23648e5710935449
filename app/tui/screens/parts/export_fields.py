"""The fields of the export dialog: a target path, and tick boxes that depend on each other."""

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
"""Seconds after the last key press before a typed path is used."""


class AsksForExport(Exports):
    """A screen with the fields of an export; any change triggers a new plan."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._usual = ""
        """The plan's default target."""
        self._typing: Timer | None = None

    def plan_again(self) -> None:
        """Plan what the fields ask for now."""
        raise NotImplementedError

    def forget_plan(self) -> None:
        """Discard the plan, because the fields changed."""
        raise NotImplementedError

    def words_ticked(self) -> None:
        """Called when the box that allows removing the user's words was changed."""
        raise NotImplementedError

    def box(self, name: str) -> TickBox:
        """A tick box by its name."""
        return self.query_one(f"#{name}", TickBox)

    @property
    def options(self) -> ExportOptions:
        """The options from the fields; raises InputError for an invalid path."""
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
        """Show the plan's default target unless another was typed."""
        field = self.query_one("#target", Input)
        if field.value in ("", self._usual):
            self._usual = field.value = safe_text(target)
            # The end of a path is its most telling part.
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
        # The plan supplies the path; clearing the box restores the default.
        self._usual = field.value = ""
