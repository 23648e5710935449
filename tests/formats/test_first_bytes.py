"""A file whose format is not known yet is read over once, not once for every format."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from app.errors import UnknownFormat
from app.formats import FORMATS, detect, first_bytes
from app.formats.first_bytes import Glance, head_records
from app.formats.plain import sniffing
from app.formats.source import BytesSource


class Counting(BytesSource):
    """Counts the bytes that are asked for."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.asked = 0

    def read(self, offset: int, length: int) -> bytes:
        found = super().read(offset, length)
        self.asked += len(found)
        return found


def test_each_line_of_a_head_is_parsed_once_for_all_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: Counter[bytes] = Counter()
    real = first_bytes._parsed

    def counting(line: bytes) -> object:
        parsed[line] += 1
        return real(line)

    monkeypatch.setattr(first_bytes, "_parsed", counting)
    lines = [json.dumps({"role": "user", "content": f"message {n}"}) for n in range(150)]
    assert detect(BytesSource("\n".join(lines).encode())).name == "openai-chat"
    assert set(parsed.values()) == {1}


def test_a_record_that_tells_the_format_is_the_last_that_is_parsed() -> None:
    source = Glance(BytesSource(b'{"a": 1}\n{"b": 2}\n' + b"[broken\n" * 9))
    assert next(iter(head_records(source))) == {"a": 1}
    assert list(head_records(source)) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    "data",
    [b"[" * 1_200_000, b'{"messages":[' + b"[" * 1_200_000, b'{"a":' * 300_000],
    ids=["lists", "in the messages", "objects"],
)
def test_brackets_without_end_are_looked_at_a_few_times_and_no_deeper_than_anybody_nests(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = Counter[str]()
    real = sniffing.look_at

    def counting(head: bytes, *, whole: bool, member: str = "messages") -> sniffing.HeadFacts:
        looks[f"{member} {len(head)}"] += 1
        return real(head, whole=whole, member=member)

    monkeypatch.setattr(sniffing, "look_at", counting)
    source = Counting(data)
    with pytest.raises(UnknownFormat):
        detect(source)
    assert source.asked < 25 * len(data)
    assert set(looks.values()) <= {1}


def test_a_look_costs_the_same_whether_it_is_kept_or_not() -> None:
    data = json.dumps({"messages": [{"role": "user", "content": "hello"}]}).encode()
    plain, kept = BytesSource(data), Glance(BytesSource(data))
    assert [known.sniff(plain) for known in FORMATS] == [known.sniff(kept) for known in FORMATS]
