"""Hand edits of the marked rows, or of the one under the cursor: by one key each, or from a menu."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.message import Message
from textual.worker import get_current_worker

from app.edits import Edit
from app.edits.clear import Clear
from app.edits.cut import Cut
from app.edits.drop import Drop
from app.edits.drop_before import DropBefore
from app.edits.drop_image import DropImage
from app.edits.keep_last_turns import KeepLastTurns
from app.edits.note_image import NoteImage
from app.edits.replace_text import ReplaceText
from app.edits.save import Save
from app.edits.spans import STRUCTURED
from app.edits.strip_thinking import StripThinking
from app.edits.summarise_range import ANY_TEXT, SummariseRange
from app.tui.in_thread import in_thread
from app.tui.screens.base import acts
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.edit_form import EditScreen
from app.tui.screens.parts.summarising import Summarises
from app.tui.screens.rewrite import RewriteScreen, own_text
from app.work.attempts import why_not

NO_ROW = "no message under the cursor"


@dataclass(frozen=True)
class Offer:
    """One line of the menu: an edit, whether it can be done, and what choosing it does."""

    label: str
    edit: Edit
    """The edit as far as it is known, to check whether it can be done."""
    choose: Callable[[], None]


class MenuReady(Message):
    """The menu entries were computed."""

    def __init__(self, offers: Sequence[Offer], reasons: Sequence[str | None], rows: int) -> None:
        super().__init__()
        self.offers = offers
        self.reasons = reasons
        self.rows = rows


class Edits(Summarises):
    """A screen with rows that can be edited by hand."""

    def acted_keys(self) -> tuple[str, ...]:
        """Keys of the blocks that an edit applies to."""
        raise NotImplementedError

    def here_keys(self) -> tuple[str, ...]:
        """Key of the block that marks the current position in the conversation."""
        return self.acted_keys()[:1]

    def why_not_edit(self, action: str) -> str | None:
        """Why an edit cannot be started; None if it can."""
        match action:
            case "drop_rows" | "clear_rows" | "cut_rows":
                return None if self.acted_keys() else NO_ROW
            case "rewrite":
                return None if self.here_keys() else NO_ROW
        return None

    @acts
    def action_drop_rows(self) -> None:
        self.attempt(Drop(keys=self.acted_keys()))

    @acts
    def action_clear_rows(self) -> None:
        self.attempt(Clear(keys=self.acted_keys()))

    @acts
    def action_cut_rows(self) -> None:
        self._form("Cut the middle out", Cut(keys=self.acted_keys()))

    def _form(self, title: str, edit: Edit) -> None:
        """Open the option form of an edit, unless no options would make it possible."""
        self.app.push_screen(EditScreen(self.opened, title, edit, self.edited))

    @acts
    def action_rewrite(self) -> None:
        keys = self.here_keys()
        could = ReplaceText(keys=keys, text=ANY_TEXT, allow_words=True, force=True)
        if reason := self.workspace.why_not_edit(could):
            self.tell(f"{could.label}: {reason}")
            return
        text = own_text(self.workspace, keys[0])
        make = partial(_rewritten, keys)
        self.app.push_screen(RewriteScreen(self.opened, "Rewrite this text", text, make, self.edited))

    # The menu

    def action_edits(self) -> None:
        self.status("checking which edits are possible ...")
        self._look_at_menu(tuple(self._edit_offers()))

    @in_thread(exit_on_error=False, exclusive=True, group="edit")
    def _look_at_menu(self, offers: tuple[Offer, ...]) -> None:
        worker = get_current_worker()
        messages, context = self.workspace.messages, self.workspace.context
        reasons = [why_not(offer.edit, messages, context) for offer in offers]
        if not worker.is_cancelled:
            self.post_message(MenuReady(offers, reasons, len(self.acted_keys())))

    @on(MenuReady)
    def _show_menu(self, event: MenuReady) -> None:
        self.status("")
        dot = self.glyphs.dot
        choices = [
            Choice(offer.label if reason is None else f"{offer.label} {dot} {reason}", about=reason or "")
            for offer, reason in zip(event.offers, event.reasons, strict=True)
        ]

        def choose(position: int | None) -> None:
            if position is not None:
                event.offers[position].choose()

        rows = "1 row" if event.rows == 1 else f"{event.rows:,} rows"
        self.app.push_screen(ChooseScreen(f"Edit {rows}", choices), choose)

    def _edit_offers(self) -> Iterator[Offer]:
        keys, here = self.acted_keys(), self.here_keys()

        def plain(label: str, edit: Edit) -> Offer:
            return Offer(label, edit, partial(self.attempt, edit))

        def form(label: str, edit: Edit) -> Offer:
            title = label.partition(" ...")[0].capitalize()
            return Offer(label, edit, partial(self._form, title, edit))

        yield plain("drop (x)", Drop(keys=keys))
        yield plain("clear to a placeholder (c)", Clear(keys=keys))
        yield form("clear with a note ...", Clear(keys=keys))
        yield form("cut the middle out ... (t)", Cut(keys=keys))
        yield form("save to a file ...", Save(keys=keys))
        yield Offer("rewrite this text ... (E)", ReplaceText(keys=here, text=ANY_TEXT), self.action_rewrite)
        by_rules = SummariseRange(keys=keys, source=STRUCTURED)
        yield Offer("summarise first to last ...", by_rules, partial(self.summarise, keys))
        yield plain("drop images", DropImage(keys=keys))
        yield form("replace images with a note ...", NoteImage(keys=keys))
        yield plain("strip thinking from these turns", StripThinking(keys=keys))
        yield form("strip thinking from older turns ...", StripThinking())
        yield form("drop or summarise everything before ...", DropBefore(keys=here))
        yield Offer(
            "keep only the last turns ...",
            KeepLastTurns(turns=1),
            partial(self._form, "Keep only the last turns", KeepLastTurns()),
        )


def _rewritten(keys: tuple[str, ...], text: str) -> Edit:
    return ReplaceText(keys=keys, text=text)
