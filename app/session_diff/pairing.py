"""Which items of one list belong to which of another: by ids where they agree, else by content.

Used for messages of two sessions and for the blocks of two messages. Pairs never cross: what moved
counts as gone in one place and added in the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, TypeAlias

from msgspec import Struct

from app.diff import longest_rising

Pair: TypeAlias = tuple[int, int]
"""Positions of two items that belong together: in the first list, in the second."""

Likeness: TypeAlias = Callable[[int, int], float]
"""Similarity of an item of the first list to one of the second, 0 to 1."""

ALIKE: Final = 0.5
"""Minimum similarity at which two items count as the same one, changed."""
MAX_CELLS: Final = 2_500
"""Pairs of items between two anchors that are weighed against each other; above it only neighbours are."""
MAX_MATCHED: Final = 4_000
"""Items of either side between two anchors in which equal runs are looked for."""
MAX_LEFT: Final = 3
"""Items between two pairs that are taken for each other's successors although they have little in common."""


class Item(Struct, frozen=True):
    """What an item is known by."""

    ids: tuple[str, ...]
    """Names that others do not share, the strongest first."""
    print: bytes
    """The same for equal content, and for nothing else."""
    kind: Hashable
    """Items of different kinds never belong together."""


def pair_items(before: Sequence[Item], after: Sequence[Item], likeness: Likeness) -> list[Pair]:
    """The pairs, rising in both lists. `likeness` is asked only where ids and content do not decide."""
    pairs = longest_rising(sorted(_by_ids(before, after).items()))
    for a, b in list(_gaps(pairs, len(before), len(after))):
        pairs += _between(before, a, after, b, likeness)
    return sorted(pairs)


def _by_ids(before: Sequence[Item], after: Sequence[Item]) -> dict[int, int]:
    """Items of one kind that share an id which is used once on either side."""
    places, others = _id_places(before), _id_places(after)
    found: dict[int, int] = {}
    taken: set[int] = set()
    for j, item in enumerate(after):
        for name in item.ids:
            i = places.get(name, -1)
            if i >= 0 and others.get(name) == j and i not in taken and before[i].kind == item.kind:
                found[i] = j
                taken.add(i)
                break
    return found


def _id_places(items: Sequence[Item]) -> dict[str, int]:
    """Where each id stands; -1 for one that stands more than once."""
    places: dict[str, int] = {}
    for place, item in enumerate(items):
        for name in set(item.ids):
            places[name] = -1 if name in places else place
    return places


def _gaps(pairs: Iterable[Pair], a_total: int, b_total: int) -> Iterator[tuple[range, range]]:
    """The stretches of both lists between pairs, where there is something on both sides."""
    i = j = 0
    for a, b in (*pairs, (a_total, b_total)):
        if i < a and j < b:
            yield range(i, a), range(j, b)
        i, j = a + 1, b + 1


def _between(
    before: Sequence[Item], a: range, after: Sequence[Item], b: range, likeness: Likeness
) -> Iterator[Pair]:
    """Pairs within one stretch: equal content, then what is alike, then what is left one to one."""
    equal = _equal(before, a, after, b)
    yield from equal
    for a_rest, b_rest in _gaps([(i - a.start, j - b.start) for i, j in equal], len(a), len(b)):
        left, right = a[a_rest.start : a_rest.stop], b[b_rest.start : b_rest.stop]
        alike = _alike(before, left, after, right, likeness)
        yield from alike
        inner = [(i - left.start, j - right.start) for i, j in alike]
        for a_last, b_last in _gaps(inner, len(left), len(right)):
            ends = left[a_last.start : a_last.stop], right[b_last.start : b_last.stop]
            kinds = [before[i].kind for i in ends[0]], [after[j].kind for j in ends[1]]
            if kinds[0] == kinds[1] and len(ends[0]) <= MAX_LEFT:
                yield from zip(*ends, strict=True)


def _equal(before: Sequence[Item], a: range, after: Sequence[Item], b: range) -> list[Pair]:
    prints = [before[i].print for i in a], [after[j].print for j in b]
    counts = Counter(prints[0]), Counter(prints[1])
    places = {name: j for j, name in zip(b, prints[1], strict=True) if counts[1][name] == 1}
    once = [
        (i, places[name])
        for i, name in zip(a, prints[0], strict=True)
        if counts[0][name] == 1 and name in places
    ]
    anchors = longest_rising(once)
    found = list(anchors)
    for left, right in _gaps([(i - a.start, j - b.start) for i, j in anchors], len(a), len(b)):
        if len(left) > MAX_MATCHED or len(right) > MAX_MATCHED:
            continue
        matcher = SequenceMatcher(
            None, prints[0][left.start : left.stop], prints[1][right.start : right.stop], autojunk=False
        )
        for block in matcher.get_matching_blocks():
            i, j = a.start + left.start + block.a, b.start + right.start + block.b
            found += zip(range(i, i + block.size), range(j, j + block.size), strict=True)
    return sorted(found)


def _alike(
    before: Sequence[Item], a: range, after: Sequence[Item], b: range, likeness: Likeness
) -> list[Pair]:
    if len(a) * len(b) > MAX_CELLS:
        return [
            (i, j)
            for i, j in zip(a, b, strict=False)
            if before[i].kind == after[j].kind and likeness(i, j) >= ALIKE
        ]
    # The alignment that has the most in common, as for the longest common subsequence.
    best = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    weight: dict[Pair, float] = {}
    for x in reversed(range(len(a))):
        for y in reversed(range(len(b))):
            worth = likeness(a[x], b[y]) if before[a[x]].kind == after[b[y]].kind else 0.0
            weight[x, y] = worth if worth >= ALIKE else 0.0
            paired = weight[x, y] + best[x + 1][y + 1] if weight[x, y] else 0.0
            best[x][y] = max(paired, best[x + 1][y], best[x][y + 1])
    found, x, y = [], 0, 0
    while x < len(a) and y < len(b):
        if weight[x, y] and best[x][y] == weight[x, y] + best[x + 1][y + 1]:
            found.append((a[x], b[y]))
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return found
