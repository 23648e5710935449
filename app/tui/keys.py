"""Every key of the program, once: bindings, the key bar, help and the palette are made from this table.

A key that cannot act now stays bound and says why when it is pressed, so nothing here is ever hidden.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from textual.binding import Binding, BindingType


class Where(StrEnum):
    """The screens that have keys of their own."""

    ANY = "everywhere"
    SESSIONS = "sessions"
    INSPECT = "inspect"
    STEPPER = "stepper"
    DIFF = "diff"
    TEXT = "text"
    EXPORT = "export"


@dataclass(frozen=True, slots=True)
class Key:
    """One key: `action` is the method `action_<name>` of the screen (or `app.` of the app)."""

    id: str
    keys: str
    """Textual's names, comma separated; the first is the one that is shown."""
    action: str
    label: str
    """One word for the key bar."""
    about: str
    """What it does, for help and the palette."""
    where: tuple[Where, ...]
    bar: int = 0
    """Order in the key bar; 0 leaves it to help and the palette."""


A, S, M, P, D, T, E = (
    Where.ANY,
    Where.SESSIONS,
    Where.INSPECT,
    Where.STEPPER,
    Where.DIFF,
    Where.TEXT,
    Where.EXPORT,
)

KEYS: Final[tuple[Key, ...]] = (
    Key("open", "enter", "open", "Open", "Open what the cursor is on", (S, M), 1),
    Key("pin", "p", "pin", "Pin", "Pin: no stage may touch this block; again lets go", (M, P, D), 2),
    Key(
        "next",
        "right_square_bracket",
        "next_stage",
        "Next",
        "Preview the next stage, then accept it",
        (M,),
        3,
    ),
    Key(
        "accept",
        "right_square_bracket",
        "accept",
        "Accept",
        "Accept this stage and preview the next",
        (P,),
        1,
    ),
    Key("back", "left_square_bracket", "previous_stage", "Back", "Take the newest stage back", (M, P), 2),
    Key("skip", "s", "skip", "Skip", "Pass over this stage", (P,), 0),
    Key("refuse", "x", "refuse", "Refuse", "Refuse this change, or allow it again", (P, D), 4),
    Key("diff", "d", "diff", "Diff", "Read the change of this block", (M, P), 4),
    Key("options", "o", "options", "Options", "Change the options of this stage and run it again", (P,), 5),
    Key("run-all", "a", "run_all", "All", "Accept every stage that is left", (M, P), 6),
    Key("export", "e,ctrl+s", "export", "Export", "Plan the export, check it, write it", (M, P), 5),
    Key(
        "find", "slash", "find", "Find", "Search; n and N go to the next and previous hit", (S, M, P, D, T), 7
    ),
    Key("undo", "u", "undo", "Undo", "Take back the newest step, pin, refusal or option", (M, P, D), 6),
    Key("redo", "ctrl+r", "redo", "Redo", "Do again what was undone", (M, P, D)),
    Key("sort", "S", "sort", "Sort", "Sort by tokens, or back to the order of the file", (S, M), 6),
    Key("filter", "f", "filter", "Filter", "Show only rows of one verdict, tool or role", (M,)),
    Key("raw", "R", "raw", "Raw", "Show the record as it stands in the file", (M, T)),
    Key("copy", "y", "copy", "Copy", "Copy the text, made safe", (M, D, T)),
    Key("copy-raw", "Y", "copy_raw", "Copy raw", "Copy the record, escaped", (M, T)),
    Key("pipeline", "P", "pipeline", "Pipeline", "Choose another pipeline", (M, P)),
    Key("branch", "B", "branch", "Branch", "Choose another branch of the session", (M,)),
    Key(
        "problem",
        "exclamation_mark",
        "problem",
        "Problem",
        "Go to the first broken rule or damaged line",
        (M,),
    ),
    Key("split", "s", "split", "Split", "Side by side, or one under the other", (D,), 3),
    Key("wrap", "w", "wrap", "Wrap", "Wrap long lines, or not", (D, T), 4),
    Key("stage", "1,2,3,4,5,6,7,8,9", "jump_stage", "Stage", "Go to stage 1 to 9", (M, P)),
    Key("reload", "r", "reload", "Reload", "Look again", (S,), 5),
    Key("close", "escape", "close", "Close", "Back to the screen before", (P, D, T, E), 8),
    Key("command", "ctrl+y", "copy_command", "Command", "Copy the equivalent command line", (E,), 3),
    Key("pane", "tab", "app.focus_next", "Pane", "Go to the next pane", (M, P, E)),
    Key("pane-back", "shift+tab", "app.focus_previous", "Pane back", "Go to the pane before", (M, P, E)),
    Key("palette", "ctrl+p", "app.command_palette", "Menu", "Every action, by name", (A,)),
    Key("help", "question_mark,f1", "app.help", "Help", "What each key does here", (A,), 9),
    Key("quit", "q,ctrl+q", "app.leave", "Quit", "Leave; asks only when steps are not written", (A,)),
)


def keys_of(where: Where) -> tuple[Key, ...]:
    """The keys of a screen, with those that hold everywhere."""
    return tuple(key for key in KEYS if where in key.where or Where.ANY in key.where)


def bindings(where: Where) -> list[BindingType]:
    """The bindings of a screen; with `Where.ANY` those of the app alone."""
    return [binding for key in KEYS if where in key.where for binding in _bindings_of(key)]


def _bindings_of(key: Key) -> Iterable[Binding]:
    if key.action == "jump_stage":
        for digit in key.keys.split(","):
            yield Binding(digit, f"jump_stage({digit})", key.label, show=False, id=f"{key.id}.{digit}")
    else:
        yield Binding(key.keys, key.action, key.label, show=False, id=key.id)


SIGNS: Final = {
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "question_mark": "?",
    "exclamation_mark": "!",
    "slash": "/",
    "escape": "esc",
}


def sign(key: Key) -> str:
    """The first key as it is written on a keyboard."""
    if key.action == "jump_stage":
        return "1-9"
    first = key.keys.split(",", 1)[0]
    return SIGNS.get(first, first)
