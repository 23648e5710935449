"""Clearing old results: when, which, and what stands for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from app.compactability import Form, compacted_form
from app.model import ToolResult, Usage, blocks_of
from app.stages.base import ChangeKind
from tests.build import Messages, assistant, conversation, from_anthropic, result, use, user
from tests.stages.given import CHARS, results, run

CASES = Path(__file__).parents[1] / "data" / "cases"
ALWAYS = {"when": "always", "keep_recent": 1, "min_chars": 120, "tools": "*"}
LONG = "line\n" * 200


def talk(*texts: str, name: str = "Read", seconds: float = 0.0) -> Messages:
    """A call and a result for each text, the given time apart, named r0, r1 ...; then a last word."""
    pairs = [
        (
            assistant(use(f"r{n}", name, {"file_path": f"f{n}.py"}), time=n * seconds),
            user(result(f"r{n}", text), time=n * seconds),
        )
        for n, text in enumerate(texts)
    ]
    return conversation(user("Go."), *(m for pair in pairs for m in pair), assistant("Done."))


def recorded(messages: Messages, tokens: int) -> Messages:
    """The messages, the newest reply of which reports a prompt of so many tokens."""
    usage = Usage(input_tokens=tokens, output_tokens=10)
    return (*messages[:-1], replace(messages[-1], usage=usage))


def cleared(messages: Messages, options: dict[str, Any], **more: Any) -> list[str]:
    """The ids of the results that are cleared."""
    done = run("microcompact", messages, options, **more)
    return [change.before.tool_use_id for change in done.changes if isinstance(change.before, ToolResult)]


def test_an_hour_by_the_sessions_own_clock() -> None:
    messages = talk(LONG, LONG, LONG, seconds=1800)
    options = {**ALWAYS, "when": "interval"}
    assert cleared(messages, options, now=3600.0) == ["r0", "r1"]
    assert cleared(messages, options, now=3599.0) == []
    assert run("microcompact", messages, options, now=3599.0).note == (
        "3,599 s have passed since the last run, not 3,600"
    )
    assert cleared(messages, {**options, "last_run": 1000.0}, now=3600.0) == []
    assert cleared(messages, {**options, "now": 9000.0}, now=0.0) == ["r0", "r1"]
    assert run("microcompact", messages, options, now=3600.0).trace == (
        "compact.micro replaced=2",
        "compact.run stage=micro elapsed=3600 strategy=micro",
    )


def test_a_session_without_times_does_not_say_when() -> None:
    messages = conversation(assistant(use("a", "Read")), user(result("a", LONG)))
    note = run("microcompact", messages, {**ALWAYS, "when": "interval"}).note
    assert note == "the session has no timestamps, so the time since the last run is unknown"


def test_results_nobody_answered_are_cleared_only_when_told() -> None:
    messages = talk(LONG, LONG, LONG)[:-1]
    done = run("microcompact", messages, {**ALWAYS, "keep_recent": 0})
    assert len(done.changes) == 3
    assert done.note == "1 of them the model has not answered yet"
    assert cleared(messages, {**ALWAYS, "keep_recent": 1, "skip_unseen": True}) == ["r0"]


def test_the_next_prompt_counts_as_it_was_recorded() -> None:
    options = {"when": "over-tokens", "trigger_tokens": 1000, "keep_recent": 1, "min_chars": 0, "tools": "*"}
    messages = talk(LONG, LONG, LONG)
    small, large = recorded(messages, 400), recorded(messages, 1001)
    assert cleared(large, options) == ["r0", "r1"]
    assert run("microcompact", small, options, tokens=CHARS).note.endswith(" tokens is within 1,000")
    # What came since the newest call is measured and added to what that call reported.
    more = conversation(*small, user("x" * 601))
    assert cleared(more, {**options, "trigger_tokens": 1000}) == ["r0", "r1"]


def test_excluded_tools_stay_and_count_among_the_newest() -> None:
    options = {**ALWAYS, "keep_recent": 1, "tools": "*", "exclude_tools": "Read"}
    assert cleared(talk(LONG, LONG, LONG), options) == []
    messages = conversation(
        assistant(use("a", "Read", {}), use("b", "Grep", {}), use("c", "Read", {})),
        user(result("a", LONG), result("b", LONG), result("c", LONG)),
        assistant("Done."),
    )
    assert cleared(messages, options) == ["b"]


def test_too_little_is_not_worth_a_broken_prefix() -> None:
    messages = talk(LONG, LONG, LONG)
    freed = run("microcompact", messages, ALWAYS)
    size = CHARS.total(messages) - CHARS.total(freed.messages)
    just = run("microcompact", messages, {**ALWAYS, "clear_at_least": size})
    assert just.messages == freed.messages
    little = run("microcompact", messages, {**ALWAYS, "clear_at_least": size + 1})
    assert little.messages is messages and little.changes == () and little.files == ()
    assert little.note == f"it would free {size:,} characters, less than the minimum of {size + 1:,}"


def test_a_bare_placeholder_is_known_the_next_time() -> None:
    options = {**ALWAYS, "min_chars": 0, "placeholder": "[cleared]"}
    done = run("microcompact", talk(LONG, LONG, LONG), options)
    assert results(done.messages)["r0"] == "[cleared]"
    assert run("microcompact", done.messages, {**ALWAYS, "min_chars": 0}).changes == ()


def test_fewer_results_than_stay_are_left_alone() -> None:
    assert cleared(talk(LONG, LONG), {**ALWAYS, "keep_recent": 3}) == []
    assert run("microcompact", talk(LONG), {**ALWAYS, "keep_recent": 3}).note == (
        "there are no more than 3 results, all kept"
    )


def test_cleared_and_saved_ones_may_be_left_out_of_the_count() -> None:
    saved = "<persisted-output>\nFull output: /s/a.txt\nPreview:\n" + LONG
    messages = talk(LONG, saved, LONG, "[Old tool result content cleared]")
    assert cleared(messages, {**ALWAYS, "keep_recent": 2}) == ["r0", "r1"]
    assert cleared(messages, {**ALWAYS, "keep_recent": 2, "skip_compacted": True}) == []
    assert cleared(messages, {**ALWAYS, "keep_recent": 1, "skip_compacted": True}) == ["r0"]


def test_a_saved_result_keeps_the_way_to_its_file() -> None:
    saved = "<persisted-output>\nOutput too large (9KB). Full output saved to: /s/a b.txt\n\n" + LONG
    assert results(run("microcompact", talk(saved, LONG), ALWAYS).messages)["r0"] == (
        "[Earlier tool result saved at /s/a b.txt]"
    )


def test_saving_first_leaves_the_path() -> None:
    done = run("microcompact", talk(LONG, LONG), {**ALWAYS, "save_before_clear": True})
    assert results(done.messages)["r0"] == (
        "[Earlier tool result saved at /saved/.task_outputs/tool-results/r0.txt]"
    )
    assert [(file.path, file.text) for file in done.files] == [(".task_outputs/tool-results/r0.txt", LONG)]
    assert done.changes[0].kind is ChangeKind.SAVED


@pytest.mark.parametrize(
    ("placeholder", "text"),
    [
        (
            "[Old tool result content cleared] tool={tool} {path}",
            "[Old tool result content cleared] tool=Read f0.py",
        ),
        ("[gone]", "[gone]"),
        ("{path} by {tool} {other}", "f0.py by Read {other}"),
    ],
)
def test_a_placeholder_may_name_the_call(placeholder: str, text: str) -> None:
    done = run("microcompact", talk(LONG, LONG), {**ALWAYS, "placeholder": placeholder})
    assert results(done.messages)["r0"] == text


def test_a_path_that_is_no_line_still_makes_a_placeholder() -> None:
    messages = conversation(
        assistant(use("a", "Read", {"file_path": "a\nb\u2028c"})), user(result("a", LONG)), assistant("Done.")
    )
    done = run("microcompact", messages, {"when": "always", "keep_recent": 0})
    assert results(done.messages)["a"] == "[Old tool result content cleared] tool=Read a b c"
    found = next(b for _, b in blocks_of(done.messages) if isinstance(b, ToolResult))
    assert compacted_form(found) is Form.CLEARED


def test_the_read_that_a_newer_stub_names_stays() -> None:
    stub = (
        "File unchanged since last read. The content from the earlier Read tool_result in this conversation"
    )
    messages = conversation(
        *talk(LONG, LONG, LONG)[:-1],
        assistant(use("again", "Read", {"file_path": "f1.py"})),
        user(result("again", stub)),
        assistant("Done."),
    )
    assert cleared(messages, {**ALWAYS, "keep_recent": 2}) == ["r0"]
    assert cleared(messages, {**ALWAYS, "keep_recent": 1}) == ["r0", "r2"]


def test_it_stops_at_its_target_oldest_first() -> None:
    assert cleared(talk(LONG, LONG, LONG, LONG), {**ALWAYS, "target_chars": 3200}) == ["r0"]
    assert cleared(talk(LONG, LONG, LONG, LONG), {**ALWAYS, "target_tokens": 2500}) == ["r0", "r1"]


def test_other_agents_names_count_in_their_sessions() -> None:
    options = {"when": "always", "keep_recent": 1}
    assert cleared(talk(LONG, LONG, name="read_file"), options) == ["r0"]
    assert cleared(talk(LONG, LONG, name="read_file"), {**options, "aliases": "off"}) == []
    mixed = conversation(
        *talk(LONG, LONG, name="read_file"), assistant(use("x", "Bash")), user(result("x", "1"))
    )
    assert cleared(mixed, options) == []
    assert cleared(mixed, {**options, "aliases": "on"}) == ["r0", "r1"]
    assert cleared(talk(LONG, LONG, name="ask_human"), options) == []


def test_markers_of_an_earlier_run_are_passed_over() -> None:
    messages = from_anthropic(CASES / "116-already-cleared.json")
    done = cleared(messages, {"when": "always", "keep_recent": 4, "min_chars": 20})
    assert done and set(done) <= {"toolu_r0", "toolu_r1", "toolu_r2", "toolu_r3"}


def test_nothing_grows_where_results_are_short() -> None:
    messages = from_anthropic(CASES / "114-placeholder-longer-than-content.json")
    done = run("microcompact", messages, {"when": "always", "keep_recent": 0, "min_chars": 0, "tools": "*"})
    assert done.messages is messages
    assert done.note.startswith("no replacement would be shorter")


def test_instructions_and_answers_stay() -> None:
    for case in ("110-users-words-inside-a-result.json", "120-instruction-files.json"):
        done = run("microcompact", from_anthropic(CASES / case), {**ALWAYS, "min_chars": 0, "keep_recent": 0})
        assert done.protected >= 2
