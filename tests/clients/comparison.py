"""What a client sent beside what was planned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from tests.clients.agents import Resumed
from tests.clients.mock import Request, texts_in
from tests.clients.part_readings import ChatReading, PartsReading
from tests.clients.readings import ItemsReading, MessagesReading, Reading, Turn, reminders_in

READINGS: Final[Mapping[str, Reading]] = {
    "messages": MessagesReading(),
    "responses": ItemsReading(),
    "chat": ChatReading(),
    "contents": PartsReading(),
}
"""By the name of the interface."""

TELLING: Final = 40
"""Characters of a text that is not said by chance."""
SHOWN: Final = 160
"""Characters of a block that a difference shows."""


def differences(planned: Iterable[Any], sent: Request) -> list[str]:
    """Where what was sent is not what was planned and then the prompt; empty when all is as it must be."""
    told = []
    for number, (one, other) in enumerate(zip_longest(*_both(planned, sent))):
        for place, (block, got) in enumerate(zip_longest(_of(one), _of(other))):
            if block != got:
                what = f"planned {_shown(block, got)}, sent {_shown(got, block)}"
                told.append(f"turn {number}, place {place}: {what}")
    return told


def strays(planned: Iterable[Any], sent: Request) -> list[str]:
    """Blocks that were sent and not planned, or not in this order; blocks that are not sent are no matter."""
    wanted, found = _both(planned, sent)
    coming = iter([block for turn in wanted for block in turn.blocks])
    return [_shown(block, None) for turn in found for block in turn.blocks if block not in coming]


def unsaid_reminders(planned: Iterable[Any], sent: Request) -> list[str]:
    """The planned reminders whose words the client says nowhere, whatever it wraps them in."""
    said = "\n".join(texts_in(list(sent.conversation)))
    reminders = (words for text in texts_in(list(planned)) for words in reminders_in(text))
    return [words[:SHOWN] for words in reminders if words not in said]


def main_request(resumed: Resumed) -> Request | None:
    """The request that ends in the prompt: one for a summary says more, or less."""
    for request in resumed.requests:
        reading = READINGS[request.api]
        if reading.ends_in_prompt(reading.turns(request.conversation)):
            return request
    return None


def compacted_first(resumed: Resumed, planned: Sequence[Any]) -> bool:
    """Whether the conversation was sent in a request before the main one, as it is or told as one text."""
    main = main_request(resumed)
    before = resumed.requests[: resumed.requests.index(main)] if main else resumed.requests
    return any(_shared(planned, request) or _retold(planned, request) for request in before)


def _shared(planned: Iterable[Any], sent: Request) -> set[str]:
    wanted, found = _both(planned, sent)
    known = {block for turn in wanted for block in turn.blocks}
    return known.intersection(block for turn in found for block in turn.blocks)


def _retold(planned: Iterable[Any], sent: Request) -> bool:
    """Whether more than one text of the conversation stands inside what was sent."""
    texts = {text for text in texts_in(list(planned)) if len(text) >= TELLING}
    return sum(map(sent.says, texts)) > 1


def _both(planned: Iterable[Any], sent: Request) -> tuple[list[Turn], list[Turn]]:
    reading = READINGS[sent.api]
    wanted = reading.turns(planned)
    return wanted, reading.taken_over(reading.turns(sent.conversation), wanted)


def _of(turn: Turn | None) -> tuple[str, ...]:
    return () if turn is None else (turn.role, *turn.blocks)


def _shown(block: str | None, other: str | None) -> str:
    """A block from a little before the place where it differs."""
    if block is None:
        return "nothing"
    pairs = enumerate(zip(block, other or "", strict=False))
    start = max(0, next((at for at, (one, two) in pairs if one != two), 0) - 40)
    return block[start : start + SHOWN]
