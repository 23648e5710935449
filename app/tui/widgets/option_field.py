"""One option of a stage or an edit in a form, with the control that fits its type."""

from __future__ import annotations

from textual.widgets import Input

from app.display import Glyphs, escaped, printable, unescaped
from app.errors import BadPipeline
from app.stages.base import check_option
from app.tui.widgets.controls import RadioField, TickBox
from app.tui.widgets.entry import Entry
from app.tui.widgets.field import Field
from app.views.stage_view import OptionValue, value_words


class OptionField(Field):
    """One option with the control that fits its type."""

    def __init__(self, stage: str, option: OptionValue, glyphs: Glyphs, *, usual: str = "preset") -> None:
        """`stage` is what has the option, and `usual` what its default is called."""
        preset = escaped(value_words(option.preset)) or "none"
        unit = f"{option.option.unit}, " if option.option.unit else ""
        about = f"{option.option.about}  ({unit}{usual}: {preset})"
        super().__init__(option.option.name, about, _control(option), glyphs=glyphs)
        self.stage = stage
        self.option = option

    @property
    def text(self) -> str:
        """What the person put in, as a pipeline would say it; of words, escapes are read."""
        match self.control:
            case TickBox() as box:
                return value_words(box.value)
            case RadioField() as one:
                return one.value
            case Input() as entry:
                return unescaped(entry.value)
        raise AssertionError(self.control)

    def put(self, text: str) -> None:
        """Put a value in."""
        match self.control:
            case TickBox() as box:
                box.value = text == "true"
            case RadioField() as one:
                one.value = text
            case Input() as entry:
                entry.value = escaped(text)
        self.check()

    @property
    def is_changed(self) -> bool:
        """Whether it differs from what is in force."""
        return self.text != value_words(self.option.value)

    def check(self) -> str:
        """What is wrong with the value, empty if nothing is; the field shows it."""
        self.problem = ""
        if self.is_changed:
            try:
                check_option(self.stage, self.option.option, self.text)
            except BadPipeline as error:
                self.problem = str(error)
        return self.problem


def _control(option: OptionValue) -> TickBox | RadioField | Input:
    value = value_words(option.value)
    if option.option.type == "bool":
        return TickBox("", bool(option.value))
    # Of a list, choices say what may stand in it.
    if option.option.choices and not option.option.type.startswith("tuple"):
        return RadioField(option.option.choices, value)
    return Entry(
        escaped(value), safe=printable, placeholder="none", select_on_focus=option.option.type == "int"
    )
