"""Every key of the program, once: bindings, the key bar, help and the palette are made from this table.

A key that cannot act now stays bound and says why when it is pressed, so nothing here is ever hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    HELP = "help"
    OPTIONS = "options"
    SUMMARY = "summary"
    PROMPT = "prompt"
    PROOF = "proof"
    COMPARE = "compare"
    REFUSAL = "refusal"
    GATE = "gate"
    REWRITE = "rewrite"
    GROUPS = "groups"
    LOST = "lost"
    BACKUPS = "backups"
    CONTRAST = "two sessions"
    EDIT = "edit"


TITLES: Final[Mapping[Where, str]] = {
    Where.SESSIONS: "the list of sessions",
    Where.INSPECT: "the rows of a session",
    Where.STEPPER: "the stages one by one",
    Where.DIFF: "the diff",
    Where.TEXT: "a text",
    Where.EXPORT: "the export",
    Where.OPTIONS: "the options of a stage",
    Where.PROMPT: "the prompt for a model",
    Where.PROOF: "what a summary holds",
    Where.COMPARE: "the pipelines side by side",
    Where.GATE: "a gate call by call",
    Where.GROUPS: "the rows by group",
    Where.LOST: "the lost facts",
    Where.BACKUPS: "the backups",
    Where.EDIT: "the options of an edit",
}
"""What screens are called where their own name says too little."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: `action` is the method `action_<name>` of the screen (or `app.` of the app)."""

    id: str
    keys: str
    """Textual's names, comma separated; the first is the one that is shown. Empty: in the palette only."""
    action: str
    label: str
    """One word for the key bar."""
    about: str
    """What it does, for help and the palette."""
    where: tuple[Where, ...]


A, S, M, P, D, T, E, H, F, W, Q, V, C, R, G, N, L, B, X, Y, Z = (
    Where.ANY,
    Where.SESSIONS,
    Where.INSPECT,
    Where.STEPPER,
    Where.DIFF,
    Where.TEXT,
    Where.EXPORT,
    Where.HELP,
    Where.OPTIONS,
    Where.SUMMARY,
    Where.PROMPT,
    Where.PROOF,
    Where.COMPARE,
    Where.REFUSAL,
    Where.GATE,
    Where.REWRITE,
    Where.GROUPS,
    Where.BACKUPS,
    Where.CONTRAST,
    Where.EDIT,
    Where.LOST,
)

KEYS: Final[tuple[Key, ...]] = (
    Key("open", "enter", "open", "Open", "Open what the cursor is on", (S, M, L, Z)),
    Key(
        "pin",
        "p",
        "pin",
        "Pin",
        "Pin this, or what is marked, from stages; again lets go",
        (M, P, D),
    ),
    Key("keep", "p", "pin", "Keep", "Pin the block that holds this fact, so that it stays", (Z,)),
    Key("spoken", "o", "spoken", "Spoken", "Show what still speaks of it", (Z,)),
    Key("mark", "space", "mark", "Mark", "Mark this row and go on; again lets go", (M, L)),
    Key("range", "v", "range", "Range", "Begin a range of marks here, or end it", (M,)),
    Key("mark-down", "shift+down", "mark_down", "Mark down", "Mark this row and the next", (M,)),
    Key("mark-up", "shift+up", "mark_up", "Mark up", "Mark this row and the one before", (M,)),
    Key(
        "mark-all",
        "M",
        "mark_all",
        "Mark all",
        "Mark by verdict, tool, role, age, size, path or search",
        (M,),
    ),
    Key("invert", "I", "invert", "Invert", "Mark the rows shown that are not, and only these", (M,)),
    Key("unmark", "U", "unmark", "Unmark", "Let go of all marks", (M, L)),
    Key("drop", "x", "drop_rows", "Drop", "Drop the marked rows, or this one", (M, L)),
    Key("clear-rows", "c", "clear_rows", "Clear", "Clear their results to a placeholder", (M, L)),
    Key("cut", "t", "cut_rows", "Cut", "Cut the middle out of their texts", (M, L)),
    Key("rewrite", "E", "rewrite", "Rewrite", "Write the text of this row anew, in an editor", (M,)),
    Key("edits", "D", "edits", "Edits", "All that can be done to them by hand, and why not", (M, L)),
    Key("fixes", "X", "fixes", "Fixes", "Quick fixes: what each would free, then do it", (M, L)),
    Key(
        "on-disk",
        "O",
        "on_disk",
        "On disk",
        "Whether the file of this read is on disk as it was read",
        (M,),
    ),
    Key("groups", "o", "groups", "Groups", "Take rows together by path, tool, turn, verdict", (M, L)),
    Key(
        "next",
        "right_square_bracket",
        "next_stage",
        "Next",
        "Preview the next stage, then accept it",
        (M,),
    ),
    Key(
        "accept",
        "right_square_bracket",
        "accept",
        "Accept",
        "Accept this stage and preview the next",
        (P,),
    ),
    Key("back", "left_square_bracket", "previous_stage", "Back", "Take the newest stage back", (M, P)),
    Key("skip", "s", "skip", "Skip", "Pass over this stage", (P,)),
    Key("refuse", "x", "refuse", "Refuse", "Refuse this change, or allow it again", (P, D)),
    Key("diff", "d", "diff", "Diff", "Read the change of this block", (M, P)),
    Key("options", "o", "options", "Options", "Change the options of this stage and run it again", (P,)),
    Key(
        "summary", "w", "summary", "Summary", "Give this stage a summary: by rules, memory, hand, model", (P,)
    ),
    Key("run-all", "a", "run_all", "All", "Accept every stage that is left", (M, P)),
    Key("export", "e,ctrl+s", "export", "Export", "Plan the export, check it, write it", (M, P)),
    Key(
        "find",
        "slash",
        "find",
        "Find",
        "Search; n and N go to the next and previous hit",
        (S, M, L, P, D, T, H, Q, V, C, G, B, X, Z),
    ),
    Key("undo", "u", "undo", "Undo", "Take back the newest step, pin, refusal or option", (M, P, D, L, Z)),
    Key("redo", "ctrl+r", "redo", "Redo", "Do again what was undone", (M, P, D, L, Z)),
    Key("sort", "S", "sort", "Sort", "Sort by tokens, or back to the order of the file", (M,)),
    Key("sort-sessions", "S", "sort", "Sort", "Sort by age, size, tokens, messages, agent", (S,)),
    Key("sort-outcomes", "S", "sort", "Sort", "Sort by tokens left, or by what is lost for good", (C,)),
    Key("filter", "f", "filter", "Filter", "Show only rows of one verdict, tool or role", (M,)),
    Key("filter-sessions", "f", "filter", "Filter", "Show only an agent's, a project's, some days'", (S,)),
    Key("projects", "p", "projects", "Projects", "Put the sessions of a project together, or not", (S,)),
    Key("agents", "a", "agents", "Subagents", "Open what a subagent of this session did", (S,)),
    Key("raw", "R", "raw", "Raw", "Show the record as it stands in the file", (M, T)),
    Key("copy", "y", "copy", "Copy", "Copy the text, made safe", (M, D, T)),
    Key("copy-raw", "Y", "copy_raw", "Copy raw", "Copy the record, escaped", (M, T)),
    Key("pipeline", "P", "pipeline", "Pipeline", "Choose another pipeline", (M, P)),
    Key(
        "refused", "F", "refused", "Refused", "The provider refused it as too long: paste what it said", (P,)
    ),
    Key("calls", "v", "calls", "Calls", "Walk the calls of the model that this stage replayed", (P,)),
    Key("next-call", "right_square_bracket", "next_call", "Next", "Go to the next call (also right)", (G,)),
    Key("previous-call", "left_square_bracket", "previous_call", "Back", "Go to the call before", (G,)),
    Key("latch", "l", "latch", "Latch", "Go to where the latch opens, then from cut to cut", (G,)),
    Key("lost", "L", "lost", "Lost", "Facts that go although the rest still speaks of them", (M, P, E)),
    Key("save-recipe", "W", "save_recipe", "Save recipe", "Write what was done as a recipe", (M,)),
    Key("apply-recipe", "A", "apply_recipe", "Apply recipe", "Do the steps of a recipe here", (M,)),
    Key("compare", "C", "compare", "Compare", "Set all pipelines side by side over this session", (M, P)),
    Key("choose", "enter", "choose", "Open", "Step through this pipeline; asks when others ran", (C,)),
    Key("call-agent", "T", "agents", "Subagent", "Open what the subagent did that this call began", (M,)),
    Key("branch", "B", "branch", "Branch", "Choose another branch of the session", (M,)),
    Key(
        "problem",
        "exclamation_mark",
        "problem",
        "Problem",
        "Go to the first broken rule or damaged line",
        (M,),
    ),
    Key(
        "warned",
        "exclamation_mark",
        "problem",
        "Warned",
        "Go to the next block that a check warns of",
        (P,),
    ),
    Key("next-change", "n", "next_change", "Next", "Go to the next changed message", (D,)),
    Key("previous-change", "N", "previous_change", "Previous", "Go to the changed message before", (D,)),
    Key("split", "s", "split", "Split", "Side by side, or one under the other", (D, X)),
    Key("wrap", "w", "wrap", "Wrap", "Wrap long lines, or not", (D, T, X)),
    Key("stage", "1,2,3,4,5,6,7,8,9", "jump_stage", "Stage", "Go to stage 1 to 9", (M, P)),
    Key("path", "o", "path", "Path", "Open a file by its path", (S,)),
    Key("reload", "r", "reload", "Reload", "Look again", (S, B)),
    Key("backups", "b", "backups", "Backups", "List the backups, see what they change, put one back", (S,)),
    Key("restore", "enter", "restore", "Put back", "Put this backup back; asks first", (B,)),
    Key("difference", "d", "difference", "Diff", "See what putting it back would change", (B,)),
    Key("hold", "d", "hold", "Diff", "Hold this session against another: d on both", (S,)),
    Key("reread", "r", "reread", "Reload", "Read the file again as it is now, your steps kept", (M,)),
    Key(
        "close",
        "escape",
        "close",
        "Close",
        "Back to the screen before",
        (M, P, D, T, E, H, F, W, Q, V, C, R, G, N, L, B, X, Y, Z),
    ),
    Key("clear", "escape", "close", "Clear", "Give up opening; show all sessions again", (S,)),
    Key("command", "ctrl+y", "copy_command", "Command", "Copy the equivalent command line", (E,)),
    Key("apply", "ctrl+s", "apply", "Apply", "Run the stage again with these options", (F,)),
    Key("reset", "ctrl+r", "reset", "Preset", "Put back what the pipeline says", (F,)),
    Key("do-edit", "ctrl+s", "apply", "Do", "Do it with these options (enter in a field, too)", (Y,)),
    Key("usual", "ctrl+r", "reset", "Usual", "Put back the usual values", (Y,)),
    Key("take", "ctrl+s", "take", "Take", "Take this text", (W, R, N)),
    Key(
        "outside",
        "ctrl+g",
        "outside",
        "Your editor",
        "Write on in $VISUAL or $EDITOR; saved there, taken here",
        (N,),
    ),
    Key("forget", "ctrl+r", "forget", "Forget", "Forget refusals and failures: begin anew", (R,)),
    Key("older", "ctrl+n", "older", "Older", "Take an older refusal that the session tells of", (R,)),
    Key("add-rules", "a", "add_rules", "Add", "Add the rules that it lacks, word for word", (V,)),
    Key(
        "save-prompt", "ctrl+s", "save_prompt", "Save", "Write the prompt to a new file; sends nothing", (Q,)
    ),
    Key("field", "tab,down", "app.focus_next", "Field", "Go to the next field", (E, F, Y)),
    Key(
        "field-back", "shift+tab,up", "app.focus_previous", "Field back", "Go to the field before", (E, F, Y)
    ),
    Key("pane", "tab", "app.focus_next", "Pane", "Go to the next pane", (M, P, Q, V, C, R)),
    Key(
        "pane-back", "shift+tab", "app.focus_previous", "Pane back", "Go to the pane before", (M, P, Q, V, C)
    ),
    Key("palette", "ctrl+p", "app.command_palette", "Menu", "Every action, by name", (A,)),
    Key("theme", "", "app.change_theme", "Theme", "Choose the colours", (A,)),
    Key("ascii", "", "app.toggle_ascii", "ASCII signs", "Draw with ASCII signs only, or not", (A,)),
    Key("move", "", "move", "Move", "Write this session anew for another agent", (M,)),
    Key("save-text", "", "save_text", "Save text", "Write the text of this block to a new file", (M, T)),
    Key("help", "question_mark,f1", "app.help", "Help", "What each key does here", (A,)),
    Key("quit", "q,ctrl+q", "app.leave", "Quit", "Leave; asks only when steps are not written", (A,)),
)


BARS: Final[Mapping[Where, tuple[str, ...]]] = {
    Where.SESSIONS: ("open", "find", "filter-sessions", "sort-sessions", "projects", "hold", "help", "quit"),
    Where.BACKUPS: ("restore", "difference", "find", "reload", "close", "help"),
    Where.CONTRAST: ("split", "wrap", "find", "close", "help"),
    Where.INSPECT: ("open", "mark", "next", "diff", "export", "find", "undo", "help"),
    Where.STEPPER: ("accept", "back", "diff", "refuse", "options", "run-all", "export", "help"),
    Where.DIFF: ("next-change", "previous-change", "split", "wrap", "refuse", "pin", "close", "help"),
    Where.TEXT: ("wrap", "raw", "copy", "find", "close", "help"),
    Where.EXPORT: ("field", "lost", "command", "close", "help"),
    Where.OPTIONS: ("apply", "reset", "field", "close", "help"),
    Where.SUMMARY: ("take", "close"),
    Where.PROMPT: ("pane", "find", "save-prompt", "close", "help"),
    Where.PROOF: ("add-rules", "find", "pane", "close", "help"),
    Where.COMPARE: ("choose", "sort-outcomes", "find", "pane", "close", "help"),
    Where.LOST: ("open", "spoken", "keep", "find", "undo", "close", "help"),
    Where.GROUPS: ("open", "mark", "groups", "drop", "clear-rows", "edits", "undo", "help"),
    Where.EDIT: ("do-edit", "usual", "field", "close", "help"),
    Where.REWRITE: ("take", "outside", "close"),
    Where.REFUSAL: ("take", "older", "forget", "pane", "close"),
    Where.GATE: ("next-call", "previous-call", "latch", "find", "close", "help"),
    Where.HELP: ("find", "close"),
}
"""The keys that each screen shows in its last line, by id, in order; at most 8."""


MARKED_BAR: Final = ("mark", "drop", "clear-rows", "cut", "edits", "invert", "unmark", "help")
"""What the list of rows shows there while rows are marked."""


def bar_of(where: Where) -> tuple[Key, ...]:
    """The keys in the last line of a screen."""
    return _named(BARS.get(where, ()))


def marked_bar() -> tuple[Key, ...]:
    """The keys in the last line of the list of rows while some are marked."""
    return _named(MARKED_BAR)


def _named(names: Iterable[str]) -> tuple[Key, ...]:
    by_id = {key.id: key for key in KEYS}
    return tuple(by_id[name] for name in names)


def keys_of(where: Where) -> tuple[Key, ...]:
    """The keys of a screen, with those that hold everywhere."""
    return tuple(key for key in KEYS if where in key.where or Where.ANY in key.where)


def told_elsewhere(name: str, where: Where) -> str | None:
    """Where a key, by Textual's name, does something, in words; None where it does so here, or nowhere."""
    if any(name in key.keys.split(",") for key in keys_of(where)):
        return None
    there = next((key for key in KEYS if name in key.keys.split(",")), None)
    if there is None:
        return None
    title = TITLES.get(there.where[0], there.where[0])
    return f"{sign_of(name)} is a key of {title} ({there.label}): ? lists those of this screen"


def bindings(where: Where) -> list[BindingType]:
    """The bindings of a screen; with `Where.ANY` those of the app alone."""
    return [binding for key in KEYS if where in key.where for binding in _bindings_of(key)]


def _bindings_of(key: Key) -> Iterable[Binding]:
    if key.action == "jump_stage":
        for digit in key.keys.split(","):
            yield Binding(digit, f"jump_stage({digit})", key.label, show=False, id=f"{key.id}.{digit}")
    elif key.keys:
        yield Binding(key.keys, key.action, key.label, show=False, id=key.id)


SIGNS: Final = {
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "question_mark": "?",
    "exclamation_mark": "!",
    "slash": "/",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "f1": "F1",
}


def sign_of(name: str) -> str:
    """One of Textual's key names as it is written on a keyboard."""
    return SIGNS.get(name, name)


def signs(key: Key) -> str:
    """All keys of one action as they are written on a keyboard; empty for one without."""
    if key.action == "jump_stage":
        return "1-9"
    return ", ".join(sign_of(name) for name in key.keys.split(","))


def sign(key: Key) -> str:
    """The first key of an action as it is written on a keyboard."""
    return signs(key).split(", ", 1)[0]
