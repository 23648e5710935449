"""`compact` with a summary, a memory, a refusal or a model, and what it sends without a yes: nothing."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.run import Handcompact
from tests.cli.test_compact import tree
from tests.summarizers.served import Served, messages_events, serving, status, stream
from tests.tui.files import anthropic_file

ROUGH = ("--count", "rough", "--drop-user-words")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return anthropic_file(folder, turns=12)


def command(code: str) -> str:
    return shlex.join([sys.executable, "-c", f"import sys; text = sys.stdin.read(); {code}"])


def test_ones_own_summary_stands_for_what_goes(handcompact: Handcompact, session: Path) -> None:
    mine = session.parent / "summary.md"
    mine.write_text("All twelve questions are answered.")
    asked = ("compact", session, "--pipeline", "layered", "--summary-file", mine, *ROUGH)
    done = handcompact(*asked, "--out", session.parent / "out.json", "--json")
    assert done.code == 0, done.err
    assert "All twelve questions are answered." in (session.parent / "out.json").read_text()
    [step] = [step for step in done.json["steps"] if step["stage"] == "summarize"]
    assert step["boundary"] is not None


def test_a_memory_stands_for_what_goes(handcompact: Handcompact, session: Path) -> None:
    memory = session.parent / "CLAUDE.md"
    memory.write_text("Prices are in cents.")
    asked = ("compact", session, "--pipeline", "minicode", "--memory", memory, *ROUGH)
    more = ("--set", "summarize.max_tail_tokens=500", "--set", "tool_result_budget.enabled=false")
    done = handcompact(*asked, *more, "--out", session.parent / "out.json")
    assert done.code == 0, done.err
    assert "Prices are in cents." in (session.parent / "out.json").read_text()


def test_a_memory_over_its_limit_is_cut_and_told(handcompact: Handcompact, session: Path) -> None:
    memory = session.parent / "CLAUDE.md"
    asked = ("compact", session, "--pipeline", "minicode", "--memory", memory, *ROUGH, "--dry-run")
    memory.write_text("Prices are in cents.\n" * 3000)
    done = handcompact(*asked)
    assert done.code == 0 and "lines did not fit in 6,000 tokens" in done.err
    for content, words in (
        (b"x" * 90_000, "the first line of the memory alone exceeds"),
        (b"x\n" * 1_000_000, "is larger than 1 MiB"),
        (b"caf\xe9", "cannot be read"),
        (b" \n", "is empty"),
    ):
        memory.write_bytes(content)
        failed = handcompact(*asked)
        assert failed.code == 2 and words in failed.err and failed.err.count("\n") == 1
    memory.unlink()
    memory.mkdir()
    assert "is not a file" in handcompact(*asked).err


@pytest.mark.parametrize("as_file", [False, True])
def test_a_refusal_is_answered(handcompact: Handcompact, session: Path, as_file: bool) -> None:
    words = "prompt is too long: 300000 tokens > 1000 maximum"
    (session.parent / "error.txt").write_text(words)
    answer = f"@{session.parent / 'error.txt'}" if as_file else words
    done = handcompact(
        "compact", session, "--pipeline", "minicode", "--refusal", answer, *ROUGH, "--dry-run", "--json"
    )
    assert done.code == 0, done.err
    [step] = [step for step in done.json["steps"] if step["stage"] == "recover"]
    assert step["boundary"]["trigger"] == "reactive"


def test_without_a_yes_the_prompt_is_printed_and_nothing_else_happens(
    handcompact: Handcompact, session: Path, tmp_path: Path
) -> None:
    before = tree(tmp_path)
    sent = tmp_path / "sent.txt"
    model = command(f"open({str(sent)!r}, 'w').write(text)")
    asked = ("compact", session, "--pipeline", "layered", "--model-command", model, *ROUGH)
    done = handcompact(*asked)
    assert done.code == 3 and "Question 3" in done.out and "\x1b" not in done.out
    assert "would be sent to the program" in done.out and "0 strings in it" in done.out
    assert "--yes-send" in done.err
    as_json = handcompact(*asked, "--json")
    assert as_json.code == 3 and as_json.json["sent"] is False and "Question 3" in as_json.json["prompt"]
    assert tree(tmp_path) == before


def test_a_model_is_asked_after_a_yes(handcompact: Handcompact, session: Path) -> None:
    asked = ("compact", session, "--pipeline", "layered", "--yes-send", *ROUGH, "--model-command")
    out = session.parent / "out.json"
    done = handcompact(*asked, command("print('Read', 'Question 3' in text)"), "--out", out)
    assert done.code == 0, done.err
    assert "[Compacted]\\n\\nRead True" in out.read_text()
    failed = handcompact(*asked, command("sys.exit('no key')"), "--out", session.parent / "two.json")
    assert failed.code == 3 and "no key" in failed.err and not (session.parent / "two.json").exists()


def named_in_settings(home: Path, served: Served, **more: str) -> None:
    """The settings name a service, and the environment holds its key."""
    values = {"kind": "anthropic", "model": "m-1", "base_url": served.url, "key_variable": "OUR_KEY", **more}
    (home / "config").mkdir(exist_ok=True)
    lines = "".join(f'{name} = "{value}"\n' for name, value in values.items())
    (home / "config" / "config.toml").write_text(f"[model]\n{lines}")


def test_the_model_of_the_settings_is_asked_after_a_yes(
    handcompact: Handcompact, session: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_KEY", "sk-test-0123456789")
    asked = ("compact", session, "--pipeline", "layered", "--ask-model", *ROUGH)
    out = session.parent / "out.json"
    with serving(stream(*messages_events("All is ", "answered."))) as served:
        named_in_settings(home, served)
        first = handcompact(*asked, "--out", out)
        assert first.code == 3 and f"m-1 at 127.0.0.1:{served.port}, not encrypted" in first.out
        assert not served.bodies and not out.exists()
        done = handcompact(*asked, "--yes-send", "--out", out)
        assert done.code == 0, done.err
        assert f"sent to m-1 at 127.0.0.1:{served.port}, not encrypted: ~" in done.err
        assert "0 strings in it look like a key" in done.err and "sk-test" not in done.err + done.out
        assert "[Compacted]\\n\\nAll is answered." in out.read_text()
        [body] = served.bodies
        assert f"{body['system']}\n\n{body['messages'][0]['content']}" in first.out


def test_a_service_that_fails_ends_with_3_and_writes_nothing(
    handcompact: Handcompact, session: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_KEY", "sk-test-0123456789")
    asked = ("compact", session, "--pipeline", "layered", "--ask-model", "--yes-send", *ROUGH)
    with serving(status(429, {"error": {"message": "slow down"}}, retry_after="17")) as served:
        named_in_settings(home, served)
        before = tree(tmp_path)
        done = handcompact(*asked, "--out", session.parent / "out.json")
        assert done.code == 3 and "asks to wait 17 seconds (429): slow down" in done.err
        assert tree(tmp_path) == before and len(served.bodies) == 1
    monkeypatch.delenv("OUR_KEY")
    assert handcompact(*asked).code == 2 and "OUR_KEY is not set" in handcompact(*asked).err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--pipeline", "react-mini", "--summary-file", "{session}"), "no stage that writes a summary"),
        (("--pipeline", "react-mini", "--refusal", "too long"), "no stage that handles a refusal"),
        (
            ("--pipeline", "layered", "--refusal", "Overloaded"),
            "does not say that the conversation is too long",
        ),
        (("--pipeline", "layered", "--summary-file", "missing.md"), "missing.md is not a file"),
        (("--pipeline", "layered", "--refusal", "@missing.txt"), "missing.txt is not a file"),
        (("--pipeline", "layered", "--model-command", "'"), "--model-command"),
        (("--pipeline", "layered", "--model-command", " "), "is empty: give a program"),
        (("--pipeline", "layered", "--model-command", "x", "--ask-model"), "cannot be used together"),
        (("--pipeline", "layered", "--ask-model"), "needs a [model] in"),
        (("--pipeline", "layered", "--yes-send"), "needs --ask-model or"),
    ],
)
def test_what_fits_no_stage_is_one_line(
    handcompact: Handcompact, session: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = handcompact(
        "compact", session, *(a.format(session=session) for a in arguments), "--count", "rough"
    )
    assert done.code == 2 and words in done.err and done.err.count("\n") == 1
