"""Choosing a filter or a branch from a short list."""

from __future__ import annotations

import time
from collections.abc import Sequence

from app.display import counted, human_age, human_number, short_number
from app.tui.screens.base import acts
from app.tui.screens.choose import Choice, ChooseScreen
from app.tui.screens.parts.choose_pipeline import ChoosesPipeline
from app.tui.screens.parts.opens import OpensSessions
from app.tui.screens.parts.rows import RowsScreen
from app.views.listing import FacetFilter, FilterShare, KeysFilter, shares


class Chooses(RowsScreen, ChoosesPipeline, OpensSessions):
    """A list of rows whose filter, pipeline and branch can be chosen."""

    @acts
    def action_filter(self) -> None:
        rows, seen = self.view_now.items, self.seen
        self.behind(len(rows), lambda: shares(rows, seen), self._choose_filter, words="adding up")

    def _choose_filter(self, found: Sequence[FilterShare]) -> None:
        options: list[FacetFilter | KeysFilter | None] = [None, *(share.only for share in found)]
        choices = [Choice("everything", f"{human_number(len(self.view_now.items)):>7}  {'':>5}")]
        choices += [
            Choice(
                f"{share.only.facet}: {share.only.value}",
                f"{human_number(share.rows):>7}  {short_number(share.tokens):>5}",
            )
            for share in found
        ]

        def choose(position: int | None) -> None:
            if position is not None:
                self.only = options[position]
                self.lay_rows()

        current = options.index(self.only) if self.only in options else 0
        self.app.push_screen(ChooseScreen("Show only ... (rows, tokens)", choices, current=current), choose)

    @acts
    def action_branch(self) -> None:
        session = self.workspace.session
        now = time.time()
        choices = [
            Choice(
                leaf.preview,
                f"{counted(leaf.messages, 'message'):>14}"
                f"  {'' if leaf.time is None else human_age(now - leaf.time):>12}",
            )
            for leaf in session.leaves
        ]
        keys = [leaf.key for leaf in session.leaves]
        current = keys.index(session.live_leaf) if session.live_leaf in keys else None

        def choose(position: int | None) -> None:
            if position is not None and position != current:
                reference = self.workspace.pipeline.reference
                self.open_session(session.name, reference, leaf=keys[position])

        about = "The session is reopened on the branch that ends like this; pins and stages start over."
        self.app.push_screen(ChooseScreen("Branch", choices, about=about, current=current), choose)
