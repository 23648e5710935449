"""Nothing that was planted stands anywhere in what was masked, and nothing else is touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.escapes import resolved
from app.masking import SEALED, MaskedPlace, Masker, MaskingOptions
from tests.planted import GIVEN, KEYS, LETTERS, PEM, texts

HERE = MaskedPlace("s.jsonl", 1)
PLANTED = texts()
SAMPLES = Path(__file__).parent.parent / "sample_sessions"


def readings(data: bytes) -> list[str]:
    """The bytes as a text, and how that reads with its escapes resolved, over and over."""
    found = [data.decode("utf-8", "surrogateescape")]
    while (view := resolved(found[-1])) is not None and len(found) < 6:
        found.append(view.text)
    return found


def assert_gone(data: bytes, secrets: tuple[str, ...]) -> None:
    for depth, reading in enumerate(readings(data)):
        for secret in secrets:
            assert secret not in reading, f"{secret!r} stands at depth {depth}"


def spelled(text: str, how: str) -> str:
    """A JSON string of a text, in one of the ways that writers spell it."""
    plain = json.dumps(text, ensure_ascii=how != "raw")
    if how == "slashes":
        return plain.replace("/", "\\/")
    if how == "escaped":
        inner = "".join(f"\\u{ord(char):04x}" if char.isalnum() else json.dumps(char)[1:-1] for char in text)
        return f'"{inner}"'
    return plain


WAYS = ("plain", "raw", "slashes", "escaped")


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("kind", PLANTED)
def test_every_kind_goes_however_it_is_spelled(kind: str, how: str) -> None:
    text, secrets = PLANTED[kind]
    line = f'{{"a": {{"b": [1, {spelled(text, how)}]}}, "n": 1.10}}\n'.encode()
    masked = Masker().json(line, HERE)
    assert_gone(masked, secrets)
    value = json.loads(masked)
    assert masked.endswith(b'"n": 1.10}\n') and len(value["a"]["b"]) == 2
    assert ("masked" in value["a"]["b"][1]) is ("ada" not in text or "curl" in text)


@settings(max_examples=300, deadline=None)
@given(
    kind=st.sampled_from(sorted(PLANTED)),
    ways=st.lists(st.sampled_from(WAYS), min_size=1, max_size=3),
    before=st.text(max_size=12),
    after=st.text(max_size=12),
    as_key=st.booleans(),
)
def test_nothing_planted_stands_in_any_written_byte(
    kind: str, ways: list[str], before: str, after: str, as_key: bool
) -> None:
    text, secrets = PLANTED[kind]
    # Signs of their own kind would make another secret of it, or none.
    value = f"{_apart(before)}\n{text}\n{_apart(after)}"
    for how in ways[:-1]:
        value = '{"inner": [' + spelled(value, how) + ', "x"]}'
    outer = spelled(value, ways[-1])
    line = f'{{{outer}: 1, "k": "v"}}' if as_key else f'{{"k": "v", "content": {outer}}}'
    data = line.encode("utf-8", "surrogatepass")
    masked = Masker().json(data, HERE)
    assert_gone(masked, secrets)
    whole = json.loads(masked.decode("utf-8", "surrogatepass"))
    assert len(whole) == 2 and whole["k"] == "v"
    for _ in ways[:-1]:
        # JSON within JSON stays JSON.
        inner = next(iter(set(whole) - {"k"})) if as_key and "k" in whole else whole.get("content")
        whole = json.loads(inner if inner is not None else whole["inner"][0])
        as_key = False
        if "inner" in whole:
            whole = {"content": whole["inner"][0]}
    again = Masker()
    assert again.json(masked, HERE) == masked, "a second time there is nothing to mask"


def _apart(text: str) -> str:
    return "".join(" " if char.isalnum() or char in "\\-_/.:@=\"'" else char for char in text)


def test_what_holds_no_secret_is_the_same_bytes() -> None:
    for sample in sorted(SAMPLES.glob("awkward*")):
        masker = Masker()
        data = sample.read_bytes()
        masked = b"".join(masker.lines(iter([data]), sample.name))
        if not masker.tally.times:
            assert masked == data


@pytest.mark.parametrize("kind", PLANTED)
def test_a_damaged_line_is_masked_as_a_text(kind: str) -> None:
    text, secrets = PLANTED[kind]
    line = b'{"a": ' + spelled(text, "plain").encode() + b', "torn": "ab'
    assert_gone(Masker().json(line, HERE), secrets)


def test_a_value_is_known_by_its_key() -> None:
    line = b'{"password":"correct horse battery","pass_hint":"blue","apiKey": "zx81-9f3c",'
    line += b'"token_count":"123456"}'
    value = json.loads(Masker().json(line, HERE))
    assert value["password"].startswith("[masked") and value["apiKey"].startswith("[masked")
    assert value["pass_hint"] == "blue" and value["token_count"] == "123456"


def test_the_same_secret_has_the_same_number_in_every_file() -> None:
    masker = Masker()
    one, other = KEYS["GitHub"], "gh" + "p_" + LETTERS[::-1]
    texts = [
        masker.text(f"{key} ", MaskedPlace(name, 1)) for name, key in (("a", one), ("b", other), ("c", one))
    ]
    assert texts[0] == texts[2] == "[masked GitHub token 1] " and texts[1] == "[masked GitHub token 2] "
    (row,) = masker.tally.as_json()
    assert (row["kind"], row["times"], row["different"]) == ("GitHub token", 3, 2)
    assert [place["file"] for place in row["places"]] == ["a", "b", "c"]
    assert one not in json.dumps(masker.tally.as_json())


def test_user_names_become_users_and_the_paths_stay_paths() -> None:
    masker = Masker()
    text = "/home/ada/x /home/bob/y /home/ada/z /home/runner/w /usr/home C:\\Users\\ada\\q"
    assert masker.text(text, HERE) == (
        "/home/user/x /home/userb/y /home/user/z /home/runner/w /usr/home C:\\Users\\user\\q"
    )


def test_addresses_and_words_go_where_asked() -> None:
    text = "ada@example.org wrote to git@github.com:ada/acme.git about ACME"
    assert Masker().text(text, HERE) == text
    wanted = MaskingOptions(addresses=True, words=("acme",))
    masked = Masker(wanted).text(text, HERE)
    assert "ada@example.org" not in masked and "acme" not in masked.lower()
    assert "git@github.com" in masked and "someone1@masked.invalid" in masked


def test_what_is_sealed_is_taken_out_whole() -> None:
    seal = "Ab0+" * 20
    for line in (
        '{"type":"thinking","thinking":"hm","signature":"SEAL"}',
        '{"signature":"SEAL","thinking":"hm"}',
        '{"a":1 , "signature" : "SEAL" , "encrypted_content":"SEAL"}',
        '{"thoughtSignature":"SEAL"}',
    ):
        masker = Masker()
        masked = masker.json(line.replace("SEAL", seal).encode(), HERE)
        assert seal.encode() not in masked and "signature" not in json.loads(masked)
        assert masker.tally.times["sealed thinking"] >= 1
    code = b'{"signature": "def f(a, b) -> None", "x": 1}'
    assert Masker().json(code, HERE) == code


def test_a_key_that_was_cut_is_masked_as_far_as_it_is_there() -> None:
    head, tail = PEM[:60], PEM[-90:]
    for text in (f"{head}\n\n[... middle pruned ...]", f"[... pruned ...]\n{tail}"):
        assert_gone(Masker().text(text, HERE).encode(), (PEM.splitlines()[1][:20], PEM.splitlines()[2][-20:]))
    numbered = "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(PEM.splitlines(), 1))
    assert_gone(Masker().text(numbered, HERE).encode(), tuple(PEM.splitlines()[1:3]))


def test_talk_of_keys_is_left_alone() -> None:
    text = "The -----BEGIN PRI" + "VATE KEY----- line comes first; then words, many words, follow it here."
    assert "many words, follow it here" in Masker().text(text, HERE)
    for code in ("password = os.environ['DB']", "api_key: str", "token=$TOKEN", "sk-learn", "x.pass = 3"):
        assert Masker().text(code, HERE) == code


def test_lines_are_told_apart_however_the_pieces_were_cut() -> None:
    key = KEYS["AWS"]
    data = "".join(json.dumps({"n": n, "text": key if n == 2 else "x"}) + "\n" for n in range(4)).encode()
    for size in (1, 7, 1000):
        masker = Masker()
        pieces = (data[i : i + size] for i in range(0, len(data), size))
        assert key.encode() not in b"".join(masker.lines(pieces, "s"))
        assert masker.tally.as_json()[0]["places"] == [{"file": "s", "line": 3}]


def test_pictures_are_left_as_they_are() -> None:
    line = json.dumps({"type": "base64", "data": "iVBORw0KGgo" * 400, "cwd": "/home/ada"}).encode()
    assert Masker().json(line, HERE) == line.replace(b"ada", b"user")


def test_what_is_given_in_a_document_of_many_lines_is_masked_at_once() -> None:
    text, value = GIVEN["password"]
    data: Any = json.dumps({"messages": [{"content": text.format(value)}]}, indent=2).encode()
    masked = b"".join(Masker().lines(iter([data[:30], data[30:]]), "d.json", document=True))
    assert value.encode() not in masked and json.loads(masked)["messages"]


def test_places_are_told_up_to_a_number_and_all_are_counted() -> None:
    masker = Masker()
    for number in range(1, 301):
        masker.json(b'{"cwd": "/home/ada/x"}', MaskedPlace("s", number))
    (row,) = masker.tally.as_json()
    assert (row["times"], len(row["places"]), row["more_places"]) == (300, 200, 100)


ODDMENTS = [
    *(text for text, _ in PLANTED.values()),
    *("\\", "\\\\", '"', "\\n", "\\u0041", "\n", "'", "/", "\\/", "=", "{", "}", "[", ":", " ", "\x00"),
    *("password=", '"password": "', "token: ", "--token ", "C:\\Users\\bob\\x", "\\npm_", "é", "😀"),
]
pieces = st.lists(st.sampled_from(ODDMENTS), min_size=1, max_size=6).map("".join)
values = st.recursive(
    pieces,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["password", "signature", "content"]), inner, max_size=3),
        inner.map(json.dumps),
    ),
    max_leaves=6,
)


@settings(max_examples=120, deadline=None)
@given(values)
def test_json_stays_json_and_a_second_time_there_is_nothing_to_mask(value: Any) -> None:
    masker = Masker()
    masked = masker.json(json.dumps(value).encode(), HERE)
    # A long word under the name of a seal is left out as one.
    left_out = any(row["kind"] == SEALED for row in masker.tally.as_json())
    assert left_out or kinds_in(json.loads(masked)) == kinds_in(value)
    assert Masker().json(masked, HERE) == masked


def kinds_in(value: Any) -> Any:
    """What a value is made of, without its texts."""
    if isinstance(value, dict):
        return {key: kinds_in(inner) for key, inner in value.items()}
    return [kinds_in(inner) for inner in value] if isinstance(value, list) else type(value)
