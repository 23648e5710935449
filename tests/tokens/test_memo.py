"""Sizes are remembered per block object, and not for ever."""

from __future__ import annotations

from app.model import Author, Block, Held, Text, chars_of
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
