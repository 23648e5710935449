"""Texts of an open file, read on demand."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from app.content import mark_of
from app.errors import FileChanged
from app.formats import detect, open_source
from app.formats.lines import UNREADABLE, LineReader
from app.formats.source import BytesSource
from app.formats.store import CACHE_BYTES, RecordStore, Stored, stored
from app.model import PREVIEW_CHARS, JsonPath, Record, blocks_of, contents_of
from tests.plain_session import SAMPLES


class CountingSource(BytesSource):
    """Bytes that remember how often they were read."""

    reads = 0

    def read(self, offset: int, length: int) -> bytes:
        self.reads += 1
        return super().read(offset, length)


def opened(data: bytes, cache_bytes: int = 1 << 20) -> tuple[RecordStore, CountingSource]:
    source = CountingSource(data)
    store = RecordStore(source, cache_bytes)
    for index, row in enumerate(LineReader(BytesSource(data))):
        kind = "unreadable" if row.value is UNREADABLE else "user"
        store.append(Record(index, row.offset, row.length, row.line, kind, f"@{row.offset}", row.damage))
    return store, source


def content(value: Any, path: JsonPath = ("a",)) -> Stored:
    record = value
    for step in reversed(path):
        record = {step: record}
    store, _ = opened(json.dumps(record).encode())
    return stored(store, 0, path, value)


@pytest.mark.parametrize(
    ("text", "size"),
    [("", 0), ("plain", 5), ("caf\u00e9 \U0001f600", 10), ("half \ud83d", 8), ("x" * 5000, 5000)],
)
def test_a_text_is_measured_once_and_read_from_the_file(text: str, size: int) -> None:
    found = content(text)
    assert (found.chars, found.size, found.preview) == (len(text), size, text[:PREVIEW_CHARS])
    assert found.read() == found.value() == text


def test_a_value_that_is_no_string_reads_as_compact_json() -> None:
    found = content({"k": [1, "\u00e9", None]}, ("message", "input"))
    assert found.read() == '{"k":[1,"\u00e9",null]}'
    assert found.value() == {"k": [1, "\u00e9", None]}
    assert (found.chars, found.size) == (len(found.read()), len(found.read().encode()))


def test_a_record_gives_its_bytes_and_its_value() -> None:
    store, _ = opened(b'{"a": 1.10}\r\n\n{"b":\xff"}\n{"c":"\xff"}\n')
    assert len(store) == 3
    assert store.raw(0) == b'{"a": 1.10}'
    assert store[0].length == 11
    assert store.value(0) == {"a": 1.1}
    assert store.value(1) is None
    assert store.value(2) == {"c": "\ufffd"}


def test_a_record_out_of_order_is_refused() -> None:
    store = RecordStore(BytesSource(b"{}"))
    with pytest.raises(ValueError, match="number 0"):
        store.append(Record(1, 0, 2, 1, "user", "@0"))


def test_a_value_is_parsed_once_while_there_is_room() -> None:
    lines = b"".join(b'{"n":%d,"pad":"%b"}\n' % (number, b"x" * 200) for number in range(10))
    store, source = opened(lines, cache_bytes=600)
    for _ in range(3):
        assert store.value(0)["n"] == 0
        assert store.value(1)["n"] == 1
    assert source.reads == 2
    store.value(2)  # the one that was used longest ago makes room
    assert [store.value(number)["n"] for number in (1, 0)] == [1, 0]
    assert source.reads == 4
    small, source = opened(lines, cache_bytes=50)
    small.value(0)
    small.value(0)
    assert source.reads == 2


def test_the_newest_large_record_is_parsed_once() -> None:
    large = json.dumps({"n": 0, "pad": "x" * CACHE_BYTES}).encode()
    store, source = opened(large + b"\n" + large.replace(b"0", b"1", 1) + b"\n", CACHE_BYTES)
    assert [store.value(number)["n"] for number in (0, 0, 1, 1)] == [0, 0, 1, 1]
    assert source.reads == 2


def test_a_text_that_is_gone_from_the_file_is_an_error_for_the_person() -> None:
    store, _ = opened(b'{"a":["x"]}')
    for path in (("b",), ("a", 1)):
        with pytest.raises(FileChanged, match="was rewritten"):
            Stored(store, 0, path, "").read()


def test_two_threads_read_the_same_values() -> None:
    lines = b"".join(b'{"n":%d,"pad":"%b"}\n' % (number, b"x" * 50) for number in range(200))
    store, _ = opened(lines, cache_bytes=2000)
    wrong: list[int] = []

    def look(step: int) -> None:
        wrong.extend(n for n in range(0, 2000, step) if store.value(n % 200)["n"] != n % 200)

    threads = [threading.Thread(target=look, args=(step,)) for step in (1, 3, 7)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


def test_many_texts_take_little_memory() -> None:
    store = RecordStore(BytesSource(b""))
    paths: list[JsonPath] = [("message", "content", number % 3, "text") for number in range(9)]
    texts = [stored(store, number, path, "x" * 9000) for number, path in enumerate(paths)]
    assert not hasattr(texts[0], "__dict__")
    assert texts[0]._path is texts[3]._path
    assert sys.getsizeof(texts[0]) + sys.getsizeof(texts[0].preview) < 400


def test_deep_values_are_read_with_little_stack_left() -> None:
    raw = b'{"a":' * 900 + b"1" + b"}" * 900

    def below(frames: int) -> Any:
        if frames:
            return below(frames - 1)
        store, _ = opened(raw)
        return stored(store, 0, ("a",), store.value(0)["a"]).read()

    assert below(500).startswith('{"a":{"a":')


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json*")), ids=lambda path: str(path.name))
def test_marks_that_are_made_while_a_session_is_read_are_those_of_its_texts(path: Path) -> None:
    source = open_source(path)
    source.marks = True
    session = detect(source).read(source)
    contents = [content for _, block in blocks_of(session.messages) for content in contents_of(block)]
    marked = [content for content in contents if isinstance(content, Stored)]
    assert marked
    assert all(content.mark == mark_of(content.read()) for content in marked)
