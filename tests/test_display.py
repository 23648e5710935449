"""What reaches a terminal is harmless, of the width it says, and readable."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from app.display import (
    ASCII,
    UNICODE,
    Glyphs,
    cells,
    cut,
    escaped,
    fit,
    glyphs_for,
    human_age,
    human_bytes,
    human_number,
    one_line,
    percent,
    ruled,
    safe_line,
    safe_lines,
    safe_text,
    short_number,
    spread,
    unescaped,
    wrap_points,
)

BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
FAMILY = "👨‍👩‍👧"
# Any code point, with those that matter here drawn far more often than chance would.
ANY_TEXT = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            sorted(BIDI)
            + list("\x00\t\n\r\x1b\x7f\x9b\u200d\u200b\u2028\ufe0e\ufe0f\ufeff\u00ad\u3164\ud800\udfff")
            + list("\U000e0041\U000e007f\U000e0100\u0301\u200c")
            + list("👨👩❤🏽🇨🇳修aب1#\u20e3 [/b]")
        ),
    )
)
GLYPH_SETS = st.sampled_from([UNICODE, ASCII])


@given(ANY_TEXT, GLYPH_SETS)
@settings(max_examples=50)
def test_nothing_that_acts_gets_through_and_a_second_pass_changes_nothing(text: str, glyphs: Glyphs) -> None:
    shown = safe_text(text, glyphs)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert not BIDI & set(shown)
    assert safe_text(shown, glyphs) == shown


@pytest.mark.parametrize(
    ("text", "shown", "in_ascii"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇", "^[]52;c;aGk=^G"),
        ("\x9b2J", "<U+009B>2J", "<U+009B>2J"),
        ("a\tb\r\nc\x00\x7f", "a␉b␍␊c␀␡", "a^Ib^M^Jc^@^?"),
        ("修\x1b[2J", "修␛[2J", "修^[[2J"),
        ("user\u202etxt.exe", "user<U+202E>txt.exe", "user<U+202E>txt.exe"),
        ("a\u200bb\ufeff", "a<U+200B>b<U+FEFF>", "a<U+200B>b<U+FEFF>"),
        ("\ud83d", "<U+D83D>", "<U+D83D>"),
        ("hi\U000e0068\U000e0069", "hi<U+E0068><U+E0069>", "hi<U+E0068><U+E0069>"),
        ("a\u2028b", "a<U+2028>b", "a<U+2028>b"),
    ],
)
def test_a_sign_that_acts_or_hides_is_spelled(text: str, shown: str, in_ascii: str) -> None:
    assert safe_text(text) == shown
    assert safe_text(text, ASCII) == in_ascii


@pytest.mark.parametrize(
    "text", [FAMILY, "❤️", "👍🏽", "1️⃣", "🇨🇳", "e\u0301", "葛\U000e0100", "می\u200cشود", "\ue0b0", "[/foo] [b"]
)
def test_joined_signs_and_brackets_stay_as_they_are(text: str) -> None:
    assert safe_text(f"a {text} b") == f"a {text} b"


@pytest.mark.parametrize(
    "text", ["a\ufe0f", "\u200d", "👨\u200d", "a\u200db", "a\u200cb", "❤️\ufe0f", "1\ufe0f"]
)
def test_a_joiner_that_joins_no_emoji_is_shown(text: str) -> None:
    assert "<U+" in safe_text(text)


def test_lines_end_at_line_feeds_only_and_tabs_are_blanks() -> None:
    assert safe_lines("a\r\nb\x0bc\u2028d\n") == ["a", "b␋c<U+2028>d", ""]
    assert safe_lines("a\tb\n\t\x1b\n修\tx") == ["a   b", "    ␛", "修  x"]
    assert safe_lines("") == [""]
    assert safe_line("50%\r100%") == "50%␍100%"


def test_a_clean_megabyte_costs_little() -> None:
    text = "def handler(request): return request.session['next']\n" * 20_000
    start = time.perf_counter()
    safe_lines(text)
    assert time.perf_counter() - start < 0.05


@given(ANY_TEXT, st.integers(0, 30), GLYPH_SETS)
@settings(max_examples=50)
def test_a_preview_fills_exactly_its_width(text: str, width: int, glyphs: Glyphs) -> None:
    assert cells(one_line(text, width, glyphs)) == width
    assert cells(ruled(text, width, glyphs)) == width
    assert cells(fit(safe_text(text, glyphs), width, glyphs, right=True)) == width


def test_a_preview_collapses_blanks_and_says_when_it_is_cut() -> None:
    assert one_line("  a \n\t b  ", 6) == "a b   "
    assert one_line("abcdefgh", 6) == "abcde…"
    assert one_line("abcdefgh", 6, ASCII) == "abc..."
    assert one_line("修复登录", 6) == "修复… "
    assert one_line(" " * 100_000 + "late", 6) == "late  "
    assert one_line("\u0301" * 50_000, 4).endswith("…   ")


def test_a_cut_never_splits_what_a_person_sees_as_one_sign() -> None:
    assert cut(f"ab{FAMILY}c", 3) == "ab"
    assert cut(f"ab{FAMILY}c", 4) == f"ab{FAMILY}"
    assert cut("e\u0301e\u0301", 1) == "e\u0301"
    assert cut("修復e\u0301か\u3099か", 7) == "修復e\u0301か\u3099"
    assert cut("ab修復", 5) == "ab修"
    assert cut("abc", -1) == ""


@given(ANY_TEXT, st.integers(2, 20))
@settings(max_examples=50)
def test_wrapping_loses_nothing_and_no_row_is_too_wide(text: str, width: int) -> None:
    line = safe_line(text)
    starts = [0, *wrap_points(line, width)]
    rows = [line[a:b] for a, b in zip(starts, [*starts[1:], len(line)], strict=True)]
    assert "".join(rows) == line
    assert all(rows[1:])
    # The blank at which a row breaks may hang over.
    assert all(cells(row.removesuffix(" ")) <= width for row in rows)


def test_widths_are_those_that_the_painting_library_measures() -> None:
    signs = [chr(code) for code in range(0x20, 0x1F000) if not 0xD800 <= code < 0xE000]
    pairs = [sign + other for sign in signs if sign.isprintable() for other in ("修", "x…")]
    assert [pair for pair in pairs if cells(pair) != cell_len(pair)] == []


def test_wrapping_breaks_at_blanks_where_it_can() -> None:
    assert wrap_points("one two three", 8) == [8]
    assert wrap_points("abcdefghij", 4) == [4, 8]
    assert wrap_points("abcd ", 4) == []
    assert wrap_points("修复登录跳转", 5) == [2, 4]


def test_numbers() -> None:
    assert human_number(148210) == "148,210"
    numbers = (0, 999, 1000, 8_949, 9_960, 61_499, 999_600, 1_234_567, 3_000_000_000)
    shorts = [short_number(n) for n in numbers]
    assert shorts == ["0", "999", "1.0k", "8.9k", "10k", "61k", "1.0M", "1.2M", "3.0G"]
    assert short_number(-65_370) == "-65k"
    sizes = [human_bytes(n) for n in (0, 1023, 1024, 1_992_294, 1024**3 - 1, 5 * 1024**4)]
    assert sizes == ["0 B", "1023 B", "1.0 KiB", "1.9 MiB", "1.0 GiB", "5.0 TiB"]


def test_shares_are_never_rounded_to_all_or_nothing() -> None:
    shares = [percent(n, 1000) for n in (0, 1, 740, 999, 1000, 1042)]
    assert shares == ["0%", "<1%", "74%", "99%", "100%", "104%"]
    assert percent(1, 0) == "-"


def test_ages() -> None:
    hour, day = 3600, 86400
    ages = [human_age(s) for s in (-5, 59, 60, 3 * hour + 5, 13 * day, 15 * day, 70 * day, 800 * day)]
    assert ages == [
        "just now",
        "just now",
        "1 min ago",
        "3 h ago",
        "13 d ago",
        "2 weeks ago",
        "2 months ago",
        "2 years ago",
    ]


def test_the_ascii_glyphs_are_taken_unless_the_terminal_can_do_more() -> None:
    assert glyphs_for({"TERM": "xterm-256color"}, "UTF-8") is UNICODE
    assert glyphs_for({}, "utf8") is UNICODE
    assert glyphs_for({"TERM": "linux"}, "utf-8") is ASCII
    assert glyphs_for({"TERM": "xterm"}, "ISO-8859-1") is ASCII
    assert glyphs_for({"TERM": "xterm"}, None) is ASCII
    assert glyphs_for({"TERM": "xterm"}, "no-such-encoding") is ASCII


def test_the_ascii_glyphs_are_ascii() -> None:
    signs = [getattr(ASCII, name) for name in Glyphs.__slots__]
    assert all("".join(sign).isascii() for sign in signs if isinstance(sign, str | tuple))


def test_words_are_spread_to_both_ends() -> None:
    assert spread("left", "right", 14) == "left     right"
    assert spread("a long left side", "right", 14) == "a long…  right"
    assert cells(spread("修复登录跳转", "~1 \x1b", 14)) == 14


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\\nturU0\n\t\x1b\u202e"))))
@settings(max_examples=50)
def test_any_text_can_be_edited_on_one_line(text: str) -> None:
    line = escaped(text)
    assert line.isprintable() and safe_text(line) == line
    assert unescaped(line) == text


def test_escapes_are_those_of_json_and_python() -> None:
    assert escaped("a\nb\\c\x1b\U000e0001") == "a\\nb\\\\c\\u001b\\U000e0001"
    assert escaped("a\U000e0100") == "a\\U000e0100", "printable, as Python says, and invisible"
    assert unescaped("C:\\path \\q \\u12") == "C:\\path \\q \\u12"
