"""Parts of a conversation that can be checked on their own: no call in one is answered outside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise


def stretches(by_assistant: Sequence[bool], places: Iterable[int]) -> list[range]:
    """Ranges of messages around these indexes: the turn of each and its neighbours, touching ones merged.

    A range begins with an assistant turn or the start of the conversation, and ends with a user turn or the
    end of the conversation. `by_assistant`: for each message, whether it is the assistant's; a run is a turn.
    """
    starts = [0]
    for _, turn in groupby(by_assistant):
        starts.append(starts[-1] + len(list(turn)))
    turns = [range(start, end) for start, end in pairwise(starts)]
    turn_of = [number for number, turn in enumerate(turns) for _ in turn]
    found: list[range] = []
    for place in sorted(places):
        first = max(turn_of[place] - 1, 0)
        first -= first > 0 and not by_assistant[turns[first].start]
        last = min(turn_of[place] + 1, len(turns) - 1)
        last += last < len(turns) - 1 and by_assistant[turns[last].start]
        start, stop = turns[first].start, turns[last].stop
        if found and start <= found[-1].stop:
            found[-1] = range(found[-1].start, max(stop, found[-1].stop))
        else:
            found.append(range(start, stop))
    return found
