"""Damage of every kind goes from the file to an export, or to one clear line: never to a traceback."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from app.views.problems import DAMAGE
from tests.cli.run import Handcompact
from tests.hostile import MADE
from tests.test_cases import WITH_CONTENT, Case

DEEP: Final = "[" * 1500 + "]" * 1500
"""Deeper than Python's own reader goes."""
ODD: Final[tuple[Any, ...]] = (
    None, True, 0, -1, 1.5, 10**30, "", " ", "x", "\ud800", "\0", [], {}, [None], [[]], [{}], {"": None},
    {"type": "text"}, [{"type": "text", "text": None}], {"role": "user"}, "2026-01-01T00:00:00Z", [1, "a"],
)  # fmt: skip
SEEDS: Final = 60

damaged = [case for case in WITH_CONTENT if DAMAGE & set(case.expect["load"].get("warnings", ()))]


@pytest.fixture
def handcompact(capsys: pytest.CaptureFixture[str], home: Path) -> Handcompact:
    return Handcompact(capsys)


@pytest.mark.parametrize("case", damaged, ids=lambda case: case.name)
def test_verify_lists_the_damage_of_every_case(case: Case, tmp_path: Path, handcompact: Handcompact) -> None:
    file = case.put(tmp_path)
    done = handcompact("verify", file)
    assert done.code == 1
    for word in DAMAGE & set(case.expect["load"]["warnings"]):
        assert f"! {word}" in done.out
    listed = handcompact("verify", file, "--json").json
    assert listed["bad_lines"] == case.expect["load"].get("bad_lines", listed["bad_lines"])


def twice(data: bytes) -> bytes:
    return data + data


def glued(data: bytes) -> bytes:
    return data.rstrip(b"\n") + data


def halved(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def nested(data: bytes) -> bytes:
    return data.replace(b'"text": "plain"', b'"text": ' + DEEP.encode()).replace(b'"words"', DEEP.encode())


def huge(data: bytes) -> bytes:
    return data.replace(b'"plain"', b"9" * 5000).replace(b'"words"', b"1e999")


def not_a_number(data: bytes) -> bytes:
    return data.replace(b'"plain"', b"NaN").replace(b'"words"', b"-Infinity")


def half_pairs(data: bytes) -> bytes:
    return data.replace(b"plain", b"\\ud83d").replace(b"words", b"\\udc00 \\ud83d")


def not_utf8(data: bytes) -> bytes:
    return data.replace(b"plain", b"\xff\xc3(\xed\xa0\x80").replace(b"words", b"\x80")


def raw_controls(data: bytes) -> bytes:
    return data.replace(b"plain", bytes(range(1, 32)).replace(b"\n", b"")).replace(b"words", b"\0\r\n")


def same_keys(data: bytes) -> bytes:
    return data.replace(b'"plain":', b'"plain": 1, "type": "user", "plain":')


def backwards(data: bytes) -> bytes:
    return b"\n".join(reversed(data.rstrip(b"\n").split(b"\n"))) + b"\n"


def blanks(data: bytes) -> bytes:
    return b"\n \n\t\r\n" + data.replace(b"\n", b"\n\n \n") + b"\0" * 5000 + b"\xef\xbb\xbf"


MUTATIONS: Final[tuple[Callable[[bytes], bytes], ...]] = (
    twice, glued, halved, nested, huge, not_a_number, half_pairs, not_utf8, raw_controls, same_keys,
    backwards, blanks,
)  # fmt: skip


MOST_OFTEN: Final = "claude-code"
"""The format whose table is tried every time."""
KINDS: Final = [pytest.param(kind, marks=() if kind == MOST_OFTEN else pytest.mark.slow) for kind in MADE]


@pytest.mark.parametrize("damage", MUTATIONS, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_no_damage_ends_in_a_traceback(
    kind: str, damage: Callable[[bytes], bytes], tmp_path: Path, handcompact: Handcompact
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(damage(MADE[kind]("plain").replace(b"plain\\nplain", b"words")))
    goes_through(file, handcompact)


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.slow if seed else ()) for seed in range(SEEDS)]
)
@pytest.mark.parametrize("kind", MADE)
def test_no_value_of_another_type_does(
    kind: str, seed: int, tmp_path: Path, handcompact: Handcompact
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(confused(MADE[kind]("plain"), random.Random(seed)))
    goes_through(file, handcompact)


def goes_through(file: Path, handcompact: Handcompact) -> None:
    """Every command ends with an exit code of its own, and what is exported is sound."""
    before = file.read_bytes()
    for command in (("report", "--json"), ("report",), ("verify", "--json"), ("repair",)):
        rough = ("--count", "rough") if command[0] == "report" else ()
        done = handcompact(command[0], file, *command[1:], *rough)
        assert done.code in (0, 1, 2, 3)
    out = file.parent / "out.jsonl"
    done = handcompact("compact", file, "--count", "rough", "--out", out, "--drop-user-words")
    assert done.code in (0, 2, 3) and file.read_bytes() == before
    if done.code != 0:
        assert done.err.count("\n") == 1 and not out.exists()
        return
    checked = handcompact("verify", out, "--json").json
    assert checked["manifest"] is None or checked["manifest"]["same"]
    assert [v for v in checked["violations"] if v["level"] == "error"] == []
    # Numbers and depths that JSON allows, but Python does not read, are kept as they stand.
    assert len(checked["bad_lines"]) <= len(handcompact("verify", file, "--json").json["bad_lines"])


def confused(data: bytes, chance: random.Random) -> bytes:
    """A session in which a few values are of another type."""
    lines = []
    values = [_parsed(line) for line in data.split(b"\n")] if b"\n{" in data[:9999] else [json.loads(data)]
    for value in values:
        places = list(_places(value))
        for holder, key in chance.sample(places, min(len(places), chance.choice((0, 0, 1, 3)))):
            holder[key] = chance.choice(ODD)
        lines.append(json.dumps(value))
    return "\n".join([*lines, ""]).encode()


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)
