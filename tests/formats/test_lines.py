"""Damaged files, read record by record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.formats.lines import UNREADABLE, LineReader, Row, mend, parse_record
from app.formats.source import BytesSource

CASES = sorted((Path(__file__).parents[1] / "data" / "cases").glob("0[67]*.jsonl"))


def read(data: bytes) -> tuple[list[Row], LineReader]:
    reader = LineReader(BytesSource(data))
    return list(reader), reader


def words(reader: LineReader) -> set[str]:
    return {notice.word for notice in reader.notices}


def values(data: bytes) -> list[Any]:
    return [row.value for row in read(data)[0]]


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_damaged_file_gives_what_its_case_says(case: Path) -> None:
    data = case.read_bytes()
    expected = json.loads(case.with_suffix(".expect.json").read_text())["expect"]["load"]
    rows, reader = read(data)
    readable = [row for row in rows if row.value is not UNREADABLE]
    assert len(readable) >= expected.get("records_min", 0)
    assert len(readable) == expected.get("records", len(readable))
    assert reader.bad_lines == expected.get("bad_lines", reader.bad_lines)
    assert words(reader) >= set(expected["warnings"])
    for row in readable:
        raw = data[row.offset : row.offset + row.length]
        assert repr(parse_record(raw)) == repr(row.value)
        assert repr(json.loads(mend(raw))) == repr(row.value) or b"NaN" in raw or len(raw) > 4300
