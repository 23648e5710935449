"""Preferences survive a restart, and a broken file costs nothing but the preferences in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import Preferences, load_preferences, save_preferences


def test_preferences_come_back(tmp_path: Path) -> None:
    liked = Preferences(theme="textual-light", ascii=True, by_tokens=True)
    assert save_preferences(liked, tmp_path / "new" / "folder")
    assert load_preferences(tmp_path / "new" / "folder") == liked
    assert [file.name for file in (tmp_path / "new" / "folder").iterdir()] == ["preferences.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "[" * 5000, '{"theme": 3, "wrap": "no", "unknown": 1}', "\ud800\x00"]
)
def test_a_broken_file_gives_the_defaults(tmp_path: Path, text: str) -> None:
    (tmp_path / "preferences.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert load_preferences(tmp_path) == Preferences()


def test_what_is_right_in_a_half_broken_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "preferences.json").write_text('{"theme": "nord", "ascii": 1}')
    assert load_preferences(tmp_path) == Preferences(theme="nord")


def test_a_folder_that_cannot_be_made_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not save_preferences(Preferences(), tmp_path / "file" / "folder")
    assert load_preferences(tmp_path / "file" / "folder") == Preferences()
