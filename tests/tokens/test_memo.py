"""Sizes are remembered per block object, and not for ever."""

from __future__ import annotations

import threading

from app.model import Author, Block, Held, Image, Text, ToolResult, chars_of, with_text
from app.tokens.memo import Memo


def _block(chars: int) -> Block:
    return Text("the same key", Held("x" * chars), Author.USER)


def test_blocks_of_one_key_are_told_apart_even_when_one_is_gone() -> None:
    memo = Memo(chars_of)
    assert [memo.of(_block(n)) for n in range(200)] == list(range(200))


def test_a_block_is_measured_once() -> None:
    measured: list[Block] = []

    def measure(block: Block) -> int:
        measured.append(block)
        return 1

    memo, block = Memo(measure), _block(3)
    assert memo.known(block) is None
    assert (memo.of(block), memo.of(block), memo.known(block)) == (1, 1, 1)
    assert measured == [block]


def test_what_is_remembered_is_bounded() -> None:
    memo = Memo(chars_of, limit=10)
    blocks = [_block(n) for n in range(35)]
    for block in blocks:
        memo.of(block)
    assert sum(memo.known(block) is not None for block in blocks) == 5
    assert memo.of(blocks[0]) == 0


def test_two_threads_measure_a_block_once_between_them() -> None:
    begun, go_on, measured = threading.Event(), threading.Event(), []

    def measure(block: Block) -> int:
        measured.append(block)
        begun.set()
        assert go_on.wait(10)
        return 7

    memo, block, sizes = Memo(measure), _block(3), []
    threads = [threading.Thread(target=lambda: sizes.append(memo.of(block))) for _ in range(4)]
    threads[0].start()
    assert begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert sizes == [7] * 4 and measured == [block]


def test_one_that_waited_for_a_failure_measures_itself() -> None:
    tries: list[Block] = []

    def measure(block: Block) -> int:
        tries.append(block)
        if len(tries) == 1:
            raise OSError
        return 7

    memo, block = Memo(measure), _block(3)
    try:
        memo.of(block)
    except OSError:
        assert memo.of(block) == 7
    assert len(tries) == 2


def test_placeholders_that_say_the_same_are_measured_once() -> None:
    measured: list[Block] = []

    def measure(block: Block) -> int:
        measured.append(block)
        return chars_of(block)

    def cleared(name: str, words: str) -> ToolResult:
        return with_text(ToolResult(name, name, ()), words)

    memo = Memo(measure, by_words=True)
    one, same, other = cleared("1", "[gone]"), cleared("2", "[gone]"), cleared("3", "[long gone]")
    assert memo.known(same) is None
    assert [memo.of(block) for block in (one, same, other)] == [6, 6, 11]
    assert memo.known(same) == 6 and measured == [one, other]


def test_only_placeholders_are_known_by_their_words() -> None:
    """A long text, a picture beside it or another author's words may count otherwise."""
    words = Text("t", Held("[gone]"), Author.INJECTED)
    beside = ToolResult("1", "1", (words, Image("i", Held("QUJD"), "image/png")))
    said = ToolResult("2", "2", (Text("t", Held("[gone]"), Author.ASSISTANT),))
    long = with_text(ToolResult("3", "3", ()), "x" * 500)
    sizes = {id(block): size for size, block in enumerate((beside, said, long, words), 1)}
    memo = Memo(lambda block: sizes.get(id(block), 0), by_words=True)
    assert memo.of(with_text(ToolResult("4", "4", ()), "[gone]")) == 0
    assert [memo.of(block) for block in (beside, said, long, words)] == [1, 2, 3, 4]
