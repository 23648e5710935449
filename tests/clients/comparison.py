"""What a client sent beside what was planned, both without what the client says by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from tests.clients.agents import PROMPT, Resumed
from tests.clients.mock import Request, texts_in

SHOWN: Final = 160
"""Characters of a block that a difference shows."""

_NO_ANSWER: Final = "No response requested."
"""What Claude Code puts between a turn that was never answered and the next prompt."""
_RENAMED: Final = {"Task": "Agent"}
"""Tools that Claude Code 2.1 calls by a new name."""

_reminder = re.compile(r"<system-reminder>(.*?)</system-reminder>", re.DOTALL)


class Turn(NamedTuple):
    """A role and its blocks as JSON, in one spelling."""

    role: str
    blocks: tuple[str, ...]


def turns(messages: Iterable[Any]) -> list[Turn]:
    """A conversation in the Messages API's form, runs of one role joined.

    Left out is what a client words anew at each resume: messages from the system, reminders (inside
    results too), white space at the end of a text, and the marks of its prompt cache.
    """
    joined: list[Turn] = []
    for message in messages:
        role, blocks = str(message.get("role")), tuple(_blocks(message.get("content")))
        if role == "system" or not blocks:
            continue
        if joined and joined[-1].role == role:
            blocks = joined.pop().blocks + blocks
        joined.append(Turn(role, blocks))
    return joined


def _blocks(content: Any) -> Iterator[str]:
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
        kept = {name: value for name, value in block.items() if name != "cache_control"}
        if block.get("type") == "text":
            kept["text"] = _words(block["text"])
            if not kept["text"]:
                continue
        elif block.get("type") == "tool_result":
            kept["content"] = _result(block.get("content"))
        elif block.get("type") == "tool_use":
            kept["name"] = _RENAMED.get(block["name"], block["name"])
        yield _json(kept)


def _result(content: Any) -> list[Any]:
    """The parts of a result; the client writes reminders behind its text."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    told = [{**part, "text": _words(part["text"])} if part.get("type") == "text" else part for part in parts]
    return [part for part in told if part.get("type") != "text" or part["text"]]


def _words(text: str) -> str:
    return _reminder.sub("", text).rstrip()


def _json(value: Any) -> str:
    """A value in one spelling; a client knows no difference between 0, 0.0 and -0.0."""
    numbers = json.loads(json.dumps(value), parse_float=lambda text: _whole(float(text)))
    return json.dumps(numbers, ensure_ascii=False, sort_keys=True)


def _whole(number: float) -> float | int:
    return int(number) if number.is_integer() else number


def differences(planned: Iterable[Any], sent: Iterable[Any]) -> list[str]:
    """Where what was sent is not what was planned and then the prompt; empty when all is as it must be."""
    wanted, found = turns(planned), _without_prompt(turns(sent))
    if len(found) == len(wanted) + 1 and found[-1].blocks == (_text(_NO_ANSWER),):
        found.pop()
    told = []
    for number, (one, other) in enumerate(zip_longest(wanted, found)):
        for place, (block, got) in enumerate(zip_longest(_of(one), _of(other))):
            if block != got:
                what = f"planned {_shown(block, got)}, sent {_shown(got, block)}"
                told.append(f"turn {number}, place {place}: {what}")
    return told


def strays(planned: Iterable[Any], sent: Iterable[Any]) -> list[str]:
    """Blocks that were sent and not planned, or not in this order; blocks that are not sent are no matter."""
    coming = iter([block for turn in turns(planned) for block in turn.blocks])
    found = [block for turn in _without_prompt(turns(sent)) for block in turn.blocks]
    return [_shown(block, None) for block in found if block != _text(_NO_ANSWER) and block not in coming]


def unsaid_reminders(planned: Iterable[Any], sent: Iterable[Any]) -> list[str]:
    """The planned reminders whose words the client says nowhere, whatever it wraps them in."""
    said = "\n".join(texts_in(list(sent)))
    reminders = (words.strip() for text in texts_in(list(planned)) for words in _reminder.findall(text))
    return [words[:SHOWN] for words in reminders if words not in said]


def main_request(resumed: Resumed) -> Request | None:
    """The request that ends in the prompt: one for a summary says more, or less."""
    return next((r for r in resumed.requests if _ends_in_prompt(turns(r.conversation))), None)


def compacted_first(resumed: Resumed, planned: Iterable[Any]) -> bool:
    """Whether any of the conversation was sent in a request before the main one."""
    main, known = main_request(resumed), {block for turn in turns(planned) for block in turn.blocks}
    before = resumed.requests[: resumed.requests.index(main)] if main else resumed.requests
    sent = {block for request in before for turn in turns(request.conversation) for block in turn.blocks}
    return not known.isdisjoint(sent)


def _ends_in_prompt(found: list[Turn]) -> bool:
    return bool(found) and found[-1].blocks[-1] == _text(PROMPT)


def _without_prompt(found: list[Turn]) -> list[Turn]:
    if not _ends_in_prompt(found):
        return found
    rest = found[-1].blocks[:-1]
    return found[:-1] + ([Turn(found[-1].role, rest)] if rest else [])


def _text(words: str) -> str:
    return _json({"type": "text", "text": words})


def _of(turn: Turn | None) -> tuple[str, ...]:
    return () if turn is None else (turn.role, *turn.blocks)


def _shown(block: str | None, other: str | None) -> str:
    """A block from a little before the place where it differs."""
    if block is None:
        return "nothing"
    pairs = enumerate(zip(block, other or "", strict=False))
    start = max(0, next((at for at, (one, two) in pairs if one != two), 0) - 40)
    return block[start : start + SHOWN]
