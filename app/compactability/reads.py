"""Whether a later read of a file contains the output of an earlier one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from app.compactability.calls import ResultFacts
from app.compactability.paths import DEFAULT_LINES, ODD, Span

_SAME_LENGTH: Final = 0.9
"""Minimum length ratio for a read to contain another: two of the same lines may differ in a header."""


class _Spans(Struct):
    """Spans of later reads, none inside another, in line order."""

    firsts: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)

    def add(self, span: Span, read: int) -> None:
        after = bisect_right(self.firsts, span.first)
        if after and self.lasts[after - 1] >= span.last:
            return
        start = bisect_left(self.firsts, span.first)
        end = bisect_right(self.lasts, span.last, lo=start)
        for values, value in ((self.firsts, span.first), (self.lasts, span.last), (self.reads, read)):
            values[start:end] = [value]

    def around(self, span: Span) -> int | None:
        """A read whose span contains `span`."""
        at = bisect_right(self.firsts, span.first) - 1
        return self.reads[at] if at >= 0 and self.lasts[at] >= span.last else None


class LaterReads:
    """The reads of one file seen so far in a backward pass, by index into `results`."""

    def __init__(self, results: Sequence[ResultFacts]) -> None:
        self._results = results
        self._whole: int | None = None
        self._equal: dict[tuple[Span | None, bool], int] = {}
        self._spans = {True: _Spans(), False: _Spans()}
        self._by_chars: dict[int, int] = {}

    def add(self, index: int) -> None:
        """Add this read to the later ones."""
        answer = self._results[index]
        span, shell = answer.call.span, answer.call.shell
        if span is None:
            self._whole = index if self._whole is None else self._whole
        elif span != ODD:
            self._spans[shell].add(span, index)
        self._equal.setdefault((span, shell), index)
        if answer.plain:
            self._by_chars[answer.chars] = index

    def holding(self, index: int, change: int | None) -> int | None:
        """A later read that contains all lines of this one, or has exactly the same text.

        `change` is the nearest later change of the file. Before that change a read cannot contain more
        lines and be shorter; if it is shorter, it was cut or failed without saying so.
        """
        for later in self._wider(index):
            if (change is not None and change < later) or self._long_enough(later, index):
                return later
        return self._same_text(index)

    def _same_text(self, index: int) -> int | None:
        """A later read with the same text, if one of them was of the whole file or the calls are equal."""
        answer = self._results[index]
        same = self._by_chars.get(answer.chars) if answer.plain else None
        if same is None:
            return None
        later = self._results[same]
        comparable = None in (answer.call.span, later.call.span) or answer.call_key == later.call_key
        return same if comparable and answer.digest == later.digest else None

    def _wider(self, index: int) -> Iterator[int]:
        """Later reads that requested these lines and returned them."""
        call = self._results[index].call
        if call.span != ODD and (equal := self._equal.get((call.span, call.shell))) is not None:
            yield equal
        if call.span is not None and call.span != ODD:
            around = self._spans[call.shell].around(call.span)
            if around is not None and self._reaches(around, call.span.last):
                yield around
        if self._whole is not None and self._reaches(self._whole, _last_line(call.span)):
            yield self._whole

    def _long_enough(self, later: int, index: int) -> bool:
        return self._results[later].chars >= _SAME_LENGTH * self._results[index].chars

    def _reaches(self, index: int, last: float) -> bool:
        """Whether a read returned everything it was asked for up to line `last`; reads its text."""
        answer = self._results[index]
        limited = answer.call.span is None and not answer.call.shell
        return answer.is_whole and (not limited or last <= DEFAULT_LINES or answer.line_ends < DEFAULT_LINES)


def _last_line(span: Span | None) -> float:
    return float("inf") if span is None or span == ODD else span.last
