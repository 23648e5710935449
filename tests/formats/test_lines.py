"""Damaged files, read record by record."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.lines import NOTICES, UNREADABLE, LineReader, Row, _has_half, mend, parse_record
from app.formats.source import BytesSource

CASES = sorted((Path(__file__).parents[1] / "data" / "cases").glob("0[67]*.jsonl"))

FIRST = b'{"parent":null,"type":"user","id":"1","message":{"role":"user","content":"First."}}'
OUTER = (
    '{"parent":"1","type":"assistant","id":"2","ok":true,"message":{"role":"assistant","content":'
    '[{"type":"text","text":"Caf\u00e9 \\"quoted\\" \\u00e9"}],"usage":{"in":10,"out":-1.5e3}}}'
).encode()
INNER = b'{"parent":"2","type":"user","id":"3","message":{"role":"user","content":[{"type":"x"}]}}'
LAST = b'{"parent":"3","type":"assistant","id":"4","message":{"role":"assistant","content":"Last."}}'


def read(data: bytes) -> tuple[list[Row], LineReader]:
    reader = LineReader(BytesSource(data))
    return list(reader), reader


def words(reader: LineReader) -> set[str]:
    return {notice.word for notice in reader.notices}


def readable(rows: list[Row]) -> list[Any]:
    return [row.value for row in rows if row.value is not UNREADABLE]


def between(damaged: bytes) -> tuple[list[Any], LineReader]:
    """What is read of a damaged stretch that stands between two sound records, which must be there."""
    rows, reader = read(b"\n".join((FIRST, damaged, LAST, b"")))
    values = readable(rows)
    assert (values[0], values[-1]) == (json.loads(FIRST), json.loads(LAST))
    return values[1:-1], reader


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_damaged_file_gives_what_its_case_says(case: Path) -> None:
    data = case.read_bytes()
    expected = json.loads(case.with_suffix(".expect.json").read_text())["expect"]["load"]
    rows, reader = read(data)
    found = [row for row in rows if row.value is not UNREADABLE]
    assert len(found) >= expected.get("records_min", 0)
    assert len(found) == expected.get("records", len(found))
    assert reader.bad_lines == expected.get("bad_lines", reader.bad_lines)
    assert words(reader) >= set(expected["warnings"])
    for row in found:
        raw = data[row.offset : row.offset + row.length]
        assert repr(parse_record(raw)) == repr(row.value)
        assert b"\n" not in mend(raw)


def test_every_case_of_a_damaged_file_is_here() -> None:
    assert len(CASES) == 9


@pytest.mark.parametrize("cut", range(1, len(OUTER), 3))
def test_a_record_behind_a_torn_one_is_saved_wherever_the_tear_is(cut: int) -> None:
    head = OUTER[:cut]
    for damaged in (head + INNER, head + b"\0" * 700 + INNER):
        values, reader = between(damaged)
        assert values == [json.loads(INNER)]
        assert reader.bad_lines == [2]
        assert words(reader) >= {"spliced-record", "bad-line"}
    assert between(head + b"\n" + INNER)[0] == [json.loads(INNER)]
    assert between(OUTER[cut:] + b"\n" + INNER)[0] == [json.loads(INNER)]


@pytest.mark.parametrize("cut", range(1, len(OUTER), 3))
def test_a_record_that_was_interrupted_by_another_is_saved_with_it(cut: int) -> None:
    for gap, lines in ((b"", [2]), (b"\n", [2, 3])):
        values, reader = between(OUTER[:cut] + INNER + gap + OUTER[cut:])
        assert values == [json.loads(OUTER), json.loads(INNER)]
        assert reader.bad_lines == lines
        assert words(reader) == {"spliced-record"}


def test_an_interrupted_record_is_mended_without_the_other() -> None:
    data = OUTER[:40] + INNER + b"\n" + OUTER[40:] + b"\n"
    outer, inner = read(data)[0]
    assert (outer.line, outer.lines, inner.line, inner.lines) == (1, 2, 1, 1)
    assert mend(data[outer.offset : outer.offset + outer.length]) == OUTER
    assert data[inner.offset : inner.offset + inner.length] == INNER


def test_glued_records_have_their_own_bytes() -> None:
    data = b"%b%b \0 %b\r\n" % (FIRST, OUTER, LAST)
    rows, reader = read(data)
    assert [data[row.offset : row.offset + row.length] for row in rows] == [FIRST, OUTER, LAST]
    assert [row.damage for row in rows] == [("glued-records", "nul-bytes")] * 3
    assert words(reader) == {"crlf", "glued-records", "nul-bytes"}


def test_a_record_glued_before_a_torn_tail_is_saved() -> None:
    rows, reader = read(FIRST + b"\n" + OUTER + INNER[:60] + b"\0\0\n\n\0\0\0")
    assert readable(rows) == [json.loads(FIRST), json.loads(OUTER)]
    assert rows[-1].damage == ("torn-tail", "nul-bytes")
    assert reader.bad_lines == [2, 4]


def test_a_torn_line_in_the_middle_is_a_bad_line_and_no_tail() -> None:
    rows, reader = read(FIRST[:50] + b"\n" + LAST)
    assert [row.damage for row in rows] == [("bad-line",), ()]
    assert rows[1].value == json.loads(LAST)
    assert (reader.bad_lines, reader.final_newline) == ([1], False)


def test_text_in_front_of_a_record_does_not_cost_the_record() -> None:
    values, reader = between(b"data: " + INNER)
    assert values == [json.loads(INNER)]
    assert words(reader) == {"bad-line", "spliced-record"}


def test_garbage_behind_a_value_makes_up_no_records() -> None:
    values, reader = between(b'{"type":"x","payload":{"id":"1","text":"words"}7}')
    assert values == []
    assert words(reader) == {"bad-line"}


def test_a_part_of_a_torn_record_is_not_taken_for_a_record() -> None:
    for fragment in (
        b'e"},{"type":"text","text":"x"}],"usage":{"in":1}}}',
        b'{"type":"text","text":"x"}],"usage":{"in":1}}}',
        b'"text","text":"x"}]}}',
        b'{"type":"user","message":{"role":"user","content":[{"type":"text","text":"a"}',
    ):
        values, reader = between(fragment)
        assert values == []
        assert reader.bad_lines == [2]


@given(st.lists(st.integers(1, len(OUTER) - 1), min_size=1, max_size=4, unique=True))
@settings(max_examples=50, deadline=None)
def test_a_record_over_several_lines_is_whole_again(cuts: list[int]) -> None:
    data = OUTER
    for cut in sorted(cuts, reverse=True):
        data = data[:cut] + b"\n" + data[cut:]
    values, reader = between(data)
    try:
        whole = json.loads(data, strict=False)
    except ValueError:  # cut inside a word or a number
        assert 2 in reader.bad_lines
    else:
        assert values == [whole]
        assert reader.bad_lines == list(range(2, 3 + len(cuts)))
        assert json.loads(mend(data)) == whole


def test_a_record_goes_on_over_thousands_of_lines() -> None:
    text = "".join(f"line {number}\r\n" for number in range(5000))
    values, reader = between(b'{"out":"' + text.encode() + b'"}')
    assert values == [{"out": text}]
    assert len(reader.bad_lines) == 5001


def test_bytes_that_are_not_utf8_stay_and_are_shown_as_replacement() -> None:
    data = b'{"a":"x\xff\xfey","n":1.10}\n'
    (row,), reader = read(data)
    assert row.value == {"a": "x\ufffd\ufffdy", "n": 1.1}
    assert data[row.offset : row.offset + row.length] == data[:-1]
    assert (row.damage, reader.bad_lines) == (("invalid-utf8",), [1])
    assert mend(data[:-1]) == '{"a":"x\ufffd\ufffdy","n":1.10}'.encode()


@pytest.mark.parametrize(
    ("text", "lone"),
    [
        (r"\ud83d\ude00", False),
        (r"\uD83D\uDE00 \u00e9", False),
        (r"\\ud83d", False),
        (r"\ud83d", True),
        (r"\\\ud83d", True),
        (r"\uDE00", True),
        (r"\ude00\ud83d", True),
        (r"\ud83dx\ude00", True),
    ],
)
def test_half_a_surrogate_pair_is_noticed_and_is_no_damage(text: str, lone: bool) -> None:
    (row,), reader = read(b'{"a":"%b"}\n' % text.encode())
    assert words(reader) == ({"lone-surrogate"} if lone else set())
    assert (row.damage, reader.bad_lines) == ((), [])


def test_numbers_that_python_cannot_read_do_not_cost_the_record() -> None:
    raw = b'{"big":%b,"nan":[NaN,-Infinity],"inf":1e999}' % (b"7" * 5000)
    (row,), reader = read(raw)
    assert row.value["big"] == "7" * 5000
    assert row.value["inf"] == float("inf")
    assert reader.bad_lines == [1]
    assert mend(raw) == raw.replace(b"NaN", b"null").replace(b"-Infinity", b"null")


@pytest.mark.parametrize("depth", [1200, 5000])
def test_deep_nesting_is_read_as_far_as_it_goes(depth: int) -> None:
    raw = b'{"id":"1","deep":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"
    (row,), reader = read(raw)
    assert row.value["id"] == "1"
    # Newer interpreters decode what older ones give up on.
    assert words(reader) in ({"bad-line"}, set())
    assert mend(raw) == raw
    assert len(json.dumps(row.value)) > depth


def test_a_value_that_is_no_object_says_so_and_is_not_bad() -> None:
    rows, reader = read(b'42\n"x"\nnull\n[1]\n{}\n\n  \n')
    assert [row.value for row in rows] == [42, "x", None, [1], {}]
    assert [bool(row.damage) for row in rows] == [True, True, True, True, False]
    assert (words(reader), reader.bad_lines) == ({"not-a-record"}, [])


def test_lines_and_offsets_are_those_of_the_file() -> None:
    data = b"\xef\xbb\xbf" + FIRST + b"\r\n\r\n  " + OUTER + b" \r\n" + LAST
    rows, reader = read(data)
    assert [row.line for row in rows] == [1, 3, 4]
    assert [data[row.offset : row.offset + row.length] for row in rows] == [FIRST, OUTER, LAST]
    assert (reader.bom, reader.crlf, reader.final_newline) == (True, True, False)
    assert all(row.damage == () for row in rows)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"  ", b"\xef\xbb\xbf"])
def test_a_file_without_content_is_empty(data: bytes) -> None:
    rows, reader = read(data)
    assert rows == []
    assert "empty-file" in words(reader)


def test_a_record_longer_than_a_chunk_is_read_and_noticed() -> None:
    raw = b'{"a":"' + b"x" * 3_000_000 + b'"}'
    rows, reader = read(FIRST + b"\n" + raw + b"\n" + LAST)
    assert [row.length for row in rows] == [len(FIRST), len(raw), len(LAST)]
    assert words(reader) == {"huge-record"}


def test_a_file_of_garbage_gives_few_notices() -> None:
    rows, reader = read(b"some words\n" * 500)
    assert len(rows) == len(reader.bad_lines) == 500
    assert len(reader.notices) == NOTICES + 1
    assert reader.notices[-1].detail == "400 more lines"


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 1_000_000,
        b'{"a":' * 200_000,
        b"}{" * 500_000,
        b'"' * 1_000_000,
        b'{"a":"' + b"\\" * 1_000_000,
        b'{"a":1}x' * 125_000,
        b'{"x"' + b'{"a":' * 8 + b"[" + b"0," * 200_000,
        b"[1,\n" * 1_500,
        b'{"a":"\n' * 5_000,
        b"\0" * 1_000_000 + b"{",
    ],
    ids=lambda data: data[:12].decode().replace("\n", "-").replace("\0", "0"),
)
def test_hostile_lines_are_kept_and_cost_no_more_than_their_length(data: bytes) -> None:
    began = time.process_time()
    rows, reader = read(FIRST + b"\n" + data)
    assert time.process_time() - began < 5
    assert rows[0].value == json.loads(FIRST)
    assert any(row.value is UNREADABLE for row in rows)
    assert len(reader.notices) <= 3 * (NOTICES + 1)


@given(st.lists(st.sampled_from([b"{", b"}", b'"', b"\\", b":", b",", b"[", b"\n", b"\0", b"a", FIRST])))
@settings(max_examples=50, deadline=None)
def test_rows_stay_inside_the_file_and_are_read_again_the_same(parts: list[bytes]) -> None:
    data = b"".join(parts)
    for row in read(data)[0]:
        assert 0 <= row.offset < row.offset + row.length <= len(data)
        raw = data[row.offset : row.offset + row.length]
        assert row.line == 1 + data.count(b"\n", 0, row.offset)
        if row.value is not UNREADABLE:
            assert parse_record(raw) == row.value
            assert json.loads(mend(raw)) == row.value


ESCAPES = ["\\\\", "\\ud83d", "\\ude00", "\\uDBff", "\\uDC00", "\\u0041", "ud83d", "x", "\\n"]


@given(st.lists(st.sampled_from(ESCAPES)))
def test_half_of_a_pair_among_escapes_is_told_as_a_parser_sees_it(parts: list[str]) -> None:
    written = '"' + "".join(parts) + '"'
    try:
        text = json.loads(written)
    except ValueError:
        return
    try:
        text.encode()
        is_whole = True
    except UnicodeEncodeError:
        is_whole = False
    assert _has_half(written.encode()) is not is_whole
