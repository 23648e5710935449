"""Counts that are kept on disk: used the next time, never in the way."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from app.content import Held, mark_of
from app.tokens.count_cache import FILE, KeptCounts
from app.tokens.encode import Encoder, TextFacts, encoder, keep_counts, key_of, write_kept_counts
from app.tokens.text_class import TextClass
from app.tokens.vocabulary import O200K, Lazy

ROOT = Path(__file__).parents[2]
DAY = 86_400.0


def fresh(kept: KeptCounts | None) -> Encoder:
    """An encoder as a new process has it."""
    made = Encoder(Lazy(O200K))
    made.kept = kept
    return made


def test_a_text_counted_before_is_not_encoded_again_nor_is_the_vocabulary_loaded(tmp_path: Path) -> None:
    texts = ["hello there", "登录 \ud83d", "x = 1\n" * 4_000]
    first = fresh(KeptCounts(tmp_path / FILE))
    counts = [first.count(text) for text in texts]
    assert first.kept is not None
    first.kept.close()

    second = fresh(KeptCounts(tmp_path / FILE))
    assert [second.count(text) for text in texts] == counts
    assert second.calls == 0 and not second._lazy._tried
    assert second.count("new words") is not None and second.calls == 1


def test_nothing_of_a_text_is_in_the_file_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    counts = fresh(KeptCounts(tmp_path / "made" / FILE))
    counts.count("a confession that nobody may read anywhere else")
    assert counts.kept is not None
    counts.kept.close()
    [file] = (tmp_path / "made").iterdir()
    assert b"confession" not in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700


def test_vocabularies_do_not_share_counts() -> None:
    assert key_of(b"1" * 16, "o200k_base") != key_of(b"1" * 16, "cl100k_base")


@pytest.mark.parametrize("damage", [b"", b"no database at all", b"SQLite format 3\0" + b"\xff" * 5_000])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / FILE
    path.write_bytes(damage)
    kept = KeptCounts(path)
    kept.put(b"1" * 16, TextFacts(7, TextClass.DIFF, 2))
    kept.close()
    assert KeptCounts(path).get(b"1" * 16) == TextFacts(7, TextClass.DIFF, 2)


def test_a_file_that_is_torn_while_it_is_open_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / FILE
    kept = KeptCounts(path)
    for number in range(5_000):
        kept.put(number.to_bytes(16, "big"), TextFacts(number))
    kept.flush()
    path.write_bytes(path.read_bytes()[:5_000])
    for number in range(5_000):
        assert kept.get(number.to_bytes(16, "big")) in (None, TextFacts(number))
    kept.put(b"2" * 16, TextFacts(2))
    kept.close()
    again = KeptCounts(path)
    again.put(b"3" * 16, TextFacts(3))
    again.close()
    assert KeptCounts(path).get(b"3" * 16) == TextFacts(3)


def test_a_table_of_other_values_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / FILE
    KeptCounts(path).close()
    kept = KeptCounts(path)
    assert kept.get(b"1" * 16) is None
    with sqlite3.connect(path) as database:
        for number, values in enumerate(("'many', 0, 0, 0", "-4, 0, 0, 0", "4, 0, 'some', 0", "4, 0, -1, 0")):
            database.execute(f"INSERT INTO counts VALUES (?, {values})", (b"%016d" % number,))
    database.close()
    assert [kept.get(b"%016d" % number) for number in range(4)] == [None] * 4


def test_where_nothing_can_be_written_counting_goes_on(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("a file where the folder should be")
    counts = fresh(KeptCounts(in_the_way / FILE))
    assert counts.count("hello there") == 2
    assert counts.kept is not None
    counts.kept.close()
    assert in_the_way.read_text() == "a file where the folder should be"


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read_is_fine(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    counts = fresh(KeptCounts(tmp_path / FILE))
    assert counts.count("hello there") == 2


def test_a_file_that_another_process_holds_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.tokens.count_cache.PATIENCE", 0.01)
    path = tmp_path / FILE
    KeptCounts(path).get(b"")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    kept = KeptCounts(path)
    kept.put(b"1" * 16, TextFacts(1))
    kept.close()
    holder.execute("ROLLBACK")
    holder.close()
    assert path.exists() and KeptCounts(path).get(b"1" * 16) is None


def test_processes_that_count_at_once_all_keep_their_counts(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from app.tokens.count_cache import KeptCounts, TextFacts\n"
        "kept = KeptCounts(Path(sys.argv[1]))\n"
        "for n in range(2000):\n"
        "    kept.put(b'%s%015d' % (sys.argv[2].encode(), n), TextFacts(n)); n % 500 or kept.flush()\n"
        "kept.close()"
    )
    path = tmp_path / FILE
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(path), name], cwd=ROOT) for name in ("a", "b", "c")
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    kept = KeptCounts(path)
    for name in (b"a", b"b", b"c"):
        assert [kept.get(b"%s%015d" % (name, n)) for n in (0, 1, 1999)] == [
            TextFacts(0),
            TextFacts(1),
            TextFacts(1999),
        ]


def test_the_file_stays_small_and_what_was_asked_for_lately_stays_in_it(tmp_path: Path) -> None:
    path = tmp_path / FILE
    old = KeptCounts(path, most=100, clock=lambda: 1 * DAY)
    for number in range(100):
        old.put(number.to_bytes(16, "big"), TextFacts(number))
    old.close()
    later = KeptCounts(path, most=100, clock=lambda: 9 * DAY)
    assert later.get((5).to_bytes(16, "big")) == TextFacts(5)
    later.put(b"new" + b"0" * 13, TextFacts(1))
    later.close()
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM counts").fetchone()[0] <= 76
    database.close()
    again = KeptCounts(path, most=100, clock=lambda: 9 * DAY)
    assert again.get((5).to_bytes(16, "big")) == TextFacts(5) and again.get(b"new" + b"0" * 13) == TextFacts(
        1
    )


def test_what_was_kept_while_the_clock_was_wrong_goes_first(tmp_path: Path) -> None:
    path = tmp_path / FILE
    ahead = KeptCounts(path, most=100, clock=lambda: 30_000 * DAY)
    for number in range(60):
        ahead.put(b"%016d" % number, TextFacts(number))
    ahead.close()
    now = KeptCounts(path, most=100, clock=lambda: 20_000 * DAY)
    assert now.get(b"%016d" % 7) == TextFacts(7)
    for number in range(100, 160):
        now.put(b"%016d" % number, TextFacts(number))
    now.close()
    again = KeptCounts(path, most=100, clock=lambda: 20_001 * DAY)
    assert all(again.get(b"%016d" % number) == TextFacts(number) for number in (7, *range(100, 160)))
    again.close()


def test_a_file_that_is_deleted_meanwhile_is_made_again_by_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "cache" / FILE
    kept = KeptCounts(path)
    kept.put(b"1" * 16, TextFacts(1))
    kept.flush()
    shutil.rmtree(path.parent)
    assert kept.get(b"1" * 16) in (None, TextFacts(1)) and kept.get(b"2" * 16) is None
    kept.put(b"2" * 16, TextFacts(2))
    kept.close()
    later = KeptCounts(path)
    later.put(b"3" * 16, TextFacts(3))
    later.close()
    assert KeptCounts(path).get(b"3" * 16) == TextFacts(3)


@pytest.mark.skipif(sys.platform == "win32", reason="a limit for files is made in other ways there")
def test_a_full_disk_costs_what_could_not_be_kept_and_nothing_else(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from app.tokens.count_cache import KeptCounts, TextFacts\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "kept = KeptCounts(Path(sys.argv[1])); kept.put(b'1' * 16, TextFacts(1)); kept.flush()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))\n"
        "for n in range(9000): kept.put(b'%016d' % n, TextFacts(n))\n"
        "kept.close(); print(kept.get(b'1' * 16))"
    )
    path = tmp_path / FILE
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert KeptCounts(path).get(b"1" * 16) == TextFacts(1)


def test_strings_like_keys_are_kept_with_the_tokens_and_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["nothing of the kind", "the key is " + "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"]
    first = fresh(KeptCounts(tmp_path / FILE))
    assert [first.secrets(Held(text)) for text in texts] == [0, 1]
    assert first.kept is not None
    first.kept.close()
    second = fresh(KeptCounts(tmp_path / FILE))
    monkeypatch.setattr("app.tokens.encode.count_secrets", lambda _: 9)
    assert [second.secrets(Held(text)) for text in texts] == [0, 1] and second.calls == 0
    assert second.kept is not None
    second.kept.close()

    # Another version of the program knows other shapes; tokens are what they were.
    monkeypatch.setattr("app.tokens.count_cache._SHAPES", 1)
    later = fresh(KeptCounts(tmp_path / FILE))
    assert [later.secrets(Held(text)) for text in texts] == [9, 9] and later.calls == 0


def test_what_was_counted_before_is_looked_through_later(tmp_path: Path) -> None:
    counts = fresh(KeptCounts(tmp_path / FILE))
    counts.count("a text without a key")
    assert counts.secrets(Held("a text without a key")) == 0
    assert counts.kept is not None
    counts.kept.close()
    key = key_of(mark_of("a text without a key"), O200K.name)
    assert KeptCounts(tmp_path / FILE).get(key) == TextFacts(5, None, 0)


def test_the_programs_own_encoders_keep_and_stop_keeping(tmp_path: Path) -> None:
    keep_counts(tmp_path)
    encoder().count("words that only this test has: 5c1e")
    write_kept_counts()
    assert KeptCounts(tmp_path / FILE).get(key_of(mark_of("words that only this test has: 5c1e"), O200K.name))
    keep_counts(None)
    encoder().count("other words of this test: 77ab")
    assert (
        KeptCounts(tmp_path / FILE).get(key_of(mark_of("other words of this test: 77ab"), O200K.name)) is None
    )
