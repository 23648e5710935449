"""The table of all keys, from which bindings, the key bar, help and the command palette are built.

A key that cannot act now stays bound and says why when it is pressed; none is ever hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from textual.binding import Binding, BindingType


class KeyScope(StrEnum):
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


TITLES: Final[Mapping[KeyScope, str]] = {
    KeyScope.SESSIONS: "the session list",
    KeyScope.INSPECT: "the main screen",
    KeyScope.STEPPER: "the stage stepper",
    KeyScope.DIFF: "the diff",
    KeyScope.TEXT: "the text view",
    KeyScope.EXPORT: "the export dialog",
    KeyScope.OPTIONS: "the stage options",
    KeyScope.PROMPT: "the model prompt",
    KeyScope.PROOF: "the summary check",
    KeyScope.COMPARE: "the pipeline comparison",
    KeyScope.GATE: "the call-by-call view",
    KeyScope.GROUPS: "the row groups",
    KeyScope.LOST: "the lost facts",
    KeyScope.BACKUPS: "the backups",
    KeyScope.EDIT: "the edit options",
}
"""Titles of the screens whose scope name alone says too little."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: `action` is the method `action_<name>` of the screen (or `app.` of the app)."""

    id: str
    keys: str
    """Textual's key names, comma separated; the first one is shown. Empty: only in the palette."""
    action: str
    label: str
    """One word for the key bar."""
    about: str
    """What it does, for help and the palette."""
    where: tuple[KeyScope, ...]


A, S, M, P, D, T, E, H, F, W, Q, V, C, R, G, N, L, B, X, Y, Z = (
    KeyScope.ANY,
    KeyScope.SESSIONS,
    KeyScope.INSPECT,
    KeyScope.STEPPER,
    KeyScope.DIFF,
    KeyScope.TEXT,
    KeyScope.EXPORT,
    KeyScope.HELP,
    KeyScope.OPTIONS,
    KeyScope.SUMMARY,
    KeyScope.PROMPT,
    KeyScope.PROOF,
    KeyScope.COMPARE,
    KeyScope.REFUSAL,
    KeyScope.GATE,
    KeyScope.REWRITE,
    KeyScope.GROUPS,
    KeyScope.BACKUPS,
    KeyScope.CONTRAST,
    KeyScope.EDIT,
    KeyScope.LOST,
)

KEYS: Final[tuple[Key, ...]] = (
    Key("open", "enter", "open", "Open", "Open the item under the cursor", (S, M, L, Z)),
    Key(
        "pin",
        "p",
        "pin",
        "Pin",
        "Pin or unpin: stages leave pinned blocks alone",
        (M, P, D),
    ),
    Key("keep", "p", "pin", "Keep", "Pin the block that holds this fact, so it stays", (Z,)),
    Key("spoken", "o", "spoken", "Mentions", "Show where it is still mentioned", (Z,)),
    Key("mark", "space", "mark", "Mark", "Mark or unmark this row and move down", (M, L)),
    Key("range", "v", "range", "Range", "Start marking a range here, or end it", (M,)),
    Key("mark-down", "shift+down", "mark_down", "Mark down", "Mark this row and the next", (M,)),
    Key("mark-up", "shift+up", "mark_up", "Mark up", "Mark this row and the previous one", (M,)),
    Key(
        "mark-all",
        "M",
        "mark_all",
        "Mark all",
        "Mark by verdict, tool, role, age, size, path or search",
        (M,),
    ),
    Key("invert", "I", "invert", "Invert", "Mark exactly the visible rows that are unmarked", (M,)),
    Key("unmark", "U", "unmark", "Unmark", "Unmark all rows", (M, L)),
    Key("drop", "x", "drop_rows", "Drop", "Drop this row, or the marked rows", (M, L)),
    Key("clear-rows", "c", "clear_rows", "Clear", "Replace the results with placeholders", (M, L)),
    Key("cut", "t", "cut_rows", "Cut", "Cut the middle out of long texts", (M, L)),
    Key("rewrite", "E", "rewrite", "Rewrite", "Rewrite the text of this row in an editor", (M,)),
    Key("edits", "D", "edits", "Edits", "List all edits, with the reason if one is unavailable", (M, L)),
    Key("fixes", "X", "fixes", "Fixes", "List quick fixes and what each would free", (M, L)),
    Key(
        "on-disk",
        "O",
        "on_disk",
        "On disk",
        "Check if the file on disk still matches this read",
        (M,),
    ),
    Key("groups", "o", "groups", "Groups", "Group rows by path, tool, turn or verdict", (M, L)),
    Key(
        "next",
        "right_square_bracket",
        "next_stage",
        "Next",
        "Preview the next stage; press again to accept it",
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
    Key("back", "left_square_bracket", "previous_stage", "Back", "Undo the latest stage", (M, P)),
    Key("skip", "s", "skip", "Skip", "Skip this stage", (P,)),
    Key("refuse", "x", "refuse", "Reject", "Reject this change, or allow it again", (P, D)),
    Key("diff", "d", "diff", "Diff", "Show the diff of this block", (M, P)),
    Key("options", "o", "options", "Options", "Change the options of this stage and rerun it", (P,)),
    Key("summary", "w", "summary", "Summary", "Provide a summary: rules, memory, by hand or a model", (P,)),
    Key("run-all", "a", "run_all", "All", "Accept all remaining stages", (M, P)),
    Key("export", "e,ctrl+s", "export", "Export", "Review the export plan, then write it", (M, P)),
    Key(
        "find",
        "slash",
        "find",
        "Find",
        "Search; n and N jump to the next and previous match",
        (S, M, L, P, D, T, H, Q, V, C, G, B, X, Z),
    ),
    Key("undo", "u", "undo", "Undo", "Undo the latest step, pin, rejection or option", (M, P, D, L, Z)),
    Key("redo", "ctrl+r", "redo", "Redo", "Redo what was undone", (M, P, D, L, Z)),
    Key("sort", "S", "sort", "Sort", "Sort by tokens, or back to file order", (M,)),
    Key("sort-sessions", "S", "sort", "Sort", "Sort by age, size, tokens, messages or agent", (S,)),
    Key("sort-outcomes", "S", "sort", "Sort", "Sort by tokens left, or by what is lost for good", (C,)),
    Key("filter", "f", "filter", "Filter", "Show only rows of one verdict, tool or role", (M,)),
    Key("filter-sessions", "f", "filter", "Filter", "Filter by agent, project or date", (S,)),
    Key("projects", "p", "projects", "Projects", "Group sessions by project, or not", (S,)),
    Key("agents", "a", "agents", "Subagents", "Open the transcript of one of its subagents", (S,)),
    Key("raw", "R", "raw", "Raw", "Show the record as it is in the file", (M, T)),
    Key("copy", "y", "copy", "Copy", "Copy the text, control characters made visible", (M, D, T)),
    Key("copy-raw", "Y", "copy_raw", "Copy raw", "Copy the raw record, escaped", (M, T)),
    Key("pipeline", "P", "pipeline", "Pipeline", "Choose another pipeline", (M, P)),
    Key(
        "refused", "F", "refused", "Refused", "If the provider refused it as too long: paste the error", (P,)
    ),
    Key("calls", "v", "calls", "Calls", "Walk through the model calls this stage replayed", (P,)),
    Key("next-call", "right_square_bracket", "next_call", "Next", "Go to the next call (also: right)", (G,)),
    Key("previous-call", "left_square_bracket", "previous_call", "Back", "Go to the previous call", (G,)),
    Key("latch", "l", "latch", "Latch", "Jump to where the latch opens, then from cut to cut", (G,)),
    Key("lost", "L", "lost", "Lost", "List facts that are lost but still mentioned", (M, P, E)),
    Key("save-recipe", "W", "save_recipe", "Save recipe", "Save your steps as a recipe", (M,)),
    Key("apply-recipe", "A", "apply_recipe", "Apply recipe", "Apply the steps of a recipe", (M,)),
    Key("compare", "C", "compare", "Compare", "Compare all pipelines on this session", (M, P)),
    Key("choose", "enter", "choose", "Open", "Step through this pipeline; asks if stages have run", (C,)),
    Key("call-agent", "T", "agents", "Subagent", "Open the transcript of the subagent this call ran", (M,)),
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
        "Warning",
        "Go to the next block a check warns about",
        (P,),
    ),
    Key("next-change", "n", "next_change", "Next", "Go to the next changed message", (D,)),
    Key("previous-change", "N", "previous_change", "Previous", "Go to the previous changed message", (D,)),
    Key("split", "s", "split", "Split", "Switch between side by side and unified", (D, X)),
    Key("wrap", "w", "wrap", "Wrap", "Wrap long lines, or not", (D, T, X)),
    Key("stage", "1,2,3,4,5,6,7,8,9", "jump_stage", "Stage", "Go to stage 1 to 9", (M, P)),
    Key("path", "o", "path", "Path", "Open a file by its path", (S,)),
    Key("reload", "r", "reload", "Reload", "Refresh the list", (S, B)),
    Key("backups", "b", "backups", "Backups", "List the backups, compare them, restore one", (S,)),
    Key("restore", "enter", "restore", "Restore", "Restore this backup; asks first", (B,)),
    Key("difference", "d", "difference", "Diff", "Show what restoring it would change", (B,)),
    Key("hold", "d", "hold", "Diff", "Compare two sessions: press d on each", (S,)),
    Key("reread", "r", "reread", "Reload", "Reload the file and keep your steps", (M,)),
    Key(
        "close",
        "escape",
        "close",
        "Close",
        "Go back to the previous screen",
        (M, P, D, T, E, H, F, W, Q, V, C, R, G, N, L, B, X, Y, Z),
    ),
    Key("clear", "escape", "close", "Clear", "Cancel opening, or show all sessions again", (S,)),
    Key("command", "ctrl+y", "copy_command", "Command", "Copy the equivalent command line", (E,)),
    Key("apply", "ctrl+s", "apply", "Apply", "Rerun the stage with these options", (F,)),
    Key("reset", "ctrl+r", "reset", "Preset", "Reset to the pipeline's values", (F,)),
    Key("do-edit", "ctrl+s", "apply", "Apply", "Apply with these options (also: enter in a field)", (Y,)),
    Key("usual", "ctrl+r", "reset", "Defaults", "Reset to the default values", (Y,)),
    Key("take", "ctrl+s", "take", "Use", "Use this text", (W, R, N)),
    Key(
        "outside",
        "ctrl+g",
        "outside",
        "Your editor",
        "Edit in $VISUAL or $EDITOR; what you save is used here",
        (N,),
    ),
    Key("forget", "ctrl+r", "forget", "Forget", "Forget refusals and failures and start over", (R,)),
    Key("older", "ctrl+n", "older", "Older", "Use an older refusal found in the session", (R,)),
    Key("add-rules", "a", "add_rules", "Add", "Add the missing rules, word for word", (V,)),
    Key(
        "save-prompt", "ctrl+s", "save_prompt", "Save", "Save the prompt to a new file; nothing is sent", (Q,)
    ),
    Key("field", "tab,down", "app.focus_next", "Field", "Go to the next field", (E, F, Y)),
    Key(
        "field-back",
        "shift+tab,up",
        "app.focus_previous",
        "Previous field",
        "Go to the previous field",
        (E, F, Y),
    ),
    Key("pane", "tab", "app.focus_next", "Pane", "Go to the next pane", (M, P, Q, V, C, R)),
    Key(
        "pane-back",
        "shift+tab",
        "app.focus_previous",
        "Previous pane",
        "Go to the previous pane",
        (M, P, Q, V, C),
    ),
    Key("palette", "ctrl+p", "app.command_palette", "Menu", "List all actions by name", (A,)),
    Key("theme", "", "app.change_theme", "Theme", "Choose a colour theme", (A,)),
    Key("ascii", "", "app.toggle_ascii", "ASCII", "Draw with ASCII characters only, or not", (A,)),
    Key("move", "", "move", "Convert", "Write this session as one of another agent", (M,)),
    Key("save-text", "", "save_text", "Save text", "Save the text of this block to a new file", (M, T)),
    Key("help", "question_mark,f1", "app.help", "Help", "Show the keys of this screen", (A,)),
    Key("quit", "q,ctrl+q", "app.leave", "Quit", "Quit; asks only if steps are not exported", (A,)),
)


BARS: Final[Mapping[KeyScope, tuple[str, ...]]] = {
    KeyScope.SESSIONS: (
        "open",
        "find",
        "filter-sessions",
        "sort-sessions",
        "projects",
        "hold",
        "help",
        "quit",
    ),
    KeyScope.BACKUPS: ("restore", "difference", "find", "reload", "close", "help"),
    KeyScope.CONTRAST: ("split", "wrap", "find", "close", "help"),
    KeyScope.INSPECT: ("open", "mark", "next", "diff", "export", "find", "undo", "help"),
    KeyScope.STEPPER: ("accept", "back", "diff", "refuse", "options", "run-all", "export", "help"),
    KeyScope.DIFF: ("next-change", "previous-change", "split", "wrap", "refuse", "pin", "close", "help"),
    KeyScope.TEXT: ("wrap", "raw", "copy", "find", "close", "help"),
    KeyScope.EXPORT: ("field", "lost", "command", "close", "help"),
    KeyScope.OPTIONS: ("apply", "reset", "field", "close", "help"),
    KeyScope.SUMMARY: ("take", "close"),
    KeyScope.PROMPT: ("pane", "find", "save-prompt", "close", "help"),
    KeyScope.PROOF: ("add-rules", "find", "pane", "close", "help"),
    KeyScope.COMPARE: ("choose", "sort-outcomes", "find", "pane", "close", "help"),
    KeyScope.LOST: ("open", "spoken", "keep", "find", "undo", "close", "help"),
    KeyScope.GROUPS: ("open", "mark", "groups", "drop", "clear-rows", "edits", "undo", "help"),
    KeyScope.EDIT: ("do-edit", "usual", "field", "close", "help"),
    KeyScope.REWRITE: ("take", "outside", "close"),
    KeyScope.REFUSAL: ("take", "older", "forget", "pane", "close"),
    KeyScope.GATE: ("next-call", "previous-call", "latch", "find", "close", "help"),
    KeyScope.HELP: ("find", "close"),
}
"""The keys that each screen shows in its last line, by id, in order; at most 8."""


MARKED_BAR: Final = ("mark", "drop", "clear-rows", "cut", "edits", "invert", "unmark", "help")
"""The same for the list of rows while rows are marked."""


def bar_of(where: KeyScope) -> tuple[Key, ...]:
    """The keys in the last line of a screen."""
    return _named(BARS.get(where, ()))


def marked_bar() -> tuple[Key, ...]:
    """The keys in the last line of the list of rows while some are marked."""
    return _named(MARKED_BAR)


def _named(names: Iterable[str]) -> tuple[Key, ...]:
    by_id = {key.id: key for key in KEYS}
    return tuple(by_id[name] for name in names)


def keys_of(where: KeyScope) -> tuple[Key, ...]:
    """The keys of a screen, including those of every screen."""
    return tuple(key for key in KEYS if where in key.where or KeyScope.ANY in key.where)


def told_elsewhere(name: str, where: KeyScope) -> str | None:
    """Which other screen uses a key (Textual's name), in words; None if this one does, or none."""
    if any(name in key.keys.split(",") for key in keys_of(where)):
        return None
    there = next((key for key in KEYS if name in key.keys.split(",")), None)
    if there is None:
        return None
    title = TITLES.get(there.where[0], there.where[0])
    return f"{sign_of(name)} belongs to {title} ({there.label}); ? lists the keys of this screen"


def bindings(where: KeyScope) -> list[BindingType]:
    """The bindings of a screen; for `KeyScope.ANY`, those of the app only."""
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
    """A Textual key name as it is labelled on a keyboard."""
    return SIGNS.get(name, name)


def signs(key: Key) -> str:
    """All keys of an action as labelled on a keyboard; empty if it has none."""
    if key.action == "jump_stage":
        return "1-9"
    return ", ".join(sign_of(name) for name in key.keys.split(","))


def sign(key: Key) -> str:
    """The first key of an action as labelled on a keyboard."""
    return signs(key).split(", ", 1)[0]
