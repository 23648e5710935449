"""Offering a configured model to write a summary."""

from __future__ import annotations

from collections.abc import Callable

from app.errors import HandcompactError
from app.opening import Opened
from app.summarizers.provider import Provider, load_provider
from app.tui.screens.choose import Choice
from app.tui.screens.prompt import PromptScreen
from app.work.summary_requests import SummaryTarget


def model_choice() -> Choice:
    """The choice that offers the model."""
    provider, _ = _provider()
    return Choice("a model: shows the prompt first", "none set" if provider is None else provider.kind)


def prompt_screen(
    opened: Opened, wish: SummaryTarget, taken: Callable[[], None] = lambda: None
) -> PromptScreen:
    """The screen that shows and sends the prompt; `taken` is called when the model answered."""
    return PromptScreen(opened, wish, *_provider(), taken)


def _provider() -> tuple[Provider | None, str]:
    """The configured provider, or why there is none."""
    try:
        return load_provider(), ""
    except HandcompactError as error:
        return None, str(error)
