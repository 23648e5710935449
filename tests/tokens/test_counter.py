"""Counting in the background: rough at once, exact as it comes, the visible first."""

from __future__ import annotations

import threading

import pytest

from app.model import Block, Message
from app.tokens import token_estimator
from app.tokens.counter import Counter, counting_order
from app.tokens.encode import Encoder
from app.tokens.families import GPT_5
from app.tokens.model_tokens import TokenEstimator
from app.tokens.vocabulary import O200K, Lazy
from tests.build import assistant, conversation, result, use, user

MODEL = "claude-opus-4-7"


def _never() -> bool:
    return False


def _counter() -> Counter:
    return Counter(token_estimator(MODEL), token_estimator(MODEL, exact=False))


def _messages() -> tuple[Message, ...]:
    return conversation(
        user("Fix the login of the admin page."),
        assistant("I read the file.", use("c", "Read", {"file_path": "src/login.py"})),
        user(result("c", "def login(): ...\n" * 40)),
        assistant("The cookie is lost."),
    )


def _blocks() -> list[Block]:
    return [block for message in _messages() for block in message.blocks]


def test_rough_first_then_exact() -> None:
    counter, blocks = _counter(), _blocks()
    assert all(counter.tokens(block) == (counter.rough.block(block), False) for block in blocks)
    assert counter.counted_share(blocks) == 0.0

    list(counter.run(blocks, _never))

    assert all(counter.tokens(block) == (token_estimator(MODEL).block(block), True) for block in blocks)
    assert counter.counted_share(blocks) == 1.0


def test_the_visible_first_then_from_the_newest() -> None:
    blocks = _blocks()
    keys = [block.key for block in blocks]
    ordered = [block.key for block in counting_order(blocks, keys[1:3])]
    assert ordered == [*keys[1:3], keys[4], keys[3], keys[0]]
    counted = [done.key for done in _counter().run(blocks, _never, visible={keys[0]})]
    assert counted == [keys[0], *reversed(keys[1:])]


def test_the_share_grows_to_all() -> None:
    shares = [done.share for done in _counter().run(_blocks(), _never)]
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] == 1.0


def test_it_stops_between_blocks_and_goes_on_where_it_stopped() -> None:
    counter, blocks = _counter(), _blocks()
    answers = iter([False, False, True])
    done = [one.key for one in counter.run(blocks, lambda: next(answers))]
    assert len(done) == 2
    assert 0 < counter.counted_share(blocks) < 1
    rest = [one.key for one in counter.run(blocks, _never)]
    assert sorted(done + rest) == sorted(block.key for block in blocks)


def test_a_changed_block_alone_is_counted_anew() -> None:
    counter, blocks = _counter(), _blocks()
    list(counter.run(blocks, _never))
    changed = result("c", "[cleared]", key=blocks[3].key)
    after = [*blocks[:3], changed, *blocks[4:]]
    assert [done.key for done in counter.run(after, _never)] == [changed.key]
    assert counter.tokens(blocks[3])[0] > counter.tokens(changed)[0]


def test_a_message_has_its_fixed_costs() -> None:
    counter = Counter(token_estimator("claude-sonnet-4-5"), token_estimator("claude-sonnet-4-5", exact=False))
    message = _messages()[1]
    assert counter.message(message)[1] is False
    list(counter.run(message.blocks, _never))
    blocks = sum(counter.tokens(block)[0] for block in message.blocks)
    assert counter.message(message) == (blocks + 22, True)
    assert counter.total(_messages())[1] is False


def test_without_a_vocabulary_nothing_is_called_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tokens.vocabulary.available", lambda _: False)
    counter = Counter(TokenEstimator(GPT_5, Encoder(Lazy(O200K))), TokenEstimator(GPT_5))
    blocks = _blocks()
    list(counter.run(blocks, _never))
    assert not any(counter.tokens(block)[1] for block in blocks)
    assert counter.counted_share(blocks) == 0.0
    assert counter.total(_messages())[1] is False


def test_two_threads_may_count_at_once() -> None:
    counter = _counter()
    messages = conversation(*(user(f"message {n} of a long session") for n in range(300)))
    blocks = [block for message in messages for block in message.blocks]
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in counter.run(blocks, _never):
                counter.total(messages)
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert counter.total(messages) == (token_estimator(MODEL).total(messages), True)
