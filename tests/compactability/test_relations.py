"""What a later block makes of an earlier result: which reads are stale and which are not."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.compactability import REF, Cause, Judgement, Verdict, classify
from app.model import Block, Held, Message, SendStatus, ToolResult, ToolUse
from tests.build import Messages, assistant, conversation, image, off, result, use, user

LINES = "".join(f"{n}\tline {n}\n" for n in range(1, 61))


def read(id: str, path: str = "/w/a.py", text: str = LINES, **more: Any) -> list[Block]:  # noqa: A002
    return [use(id, "Read", {"file_path": path, **more}), result(id, text)]


def edit(id: str, path: str = "/w/a.py", *, error: bool = False) -> list[Block]:  # noqa: A002
    arguments = {"file_path": path, "old_string": "a", "new_string": "b"}
    return [use(id, "Edit", arguments), result(id, "not found" if error else "done", error=error)]


def write(id: str, path: str = "/w/a.py") -> list[Block]:  # noqa: A002
    return [use(id, "Write", {"file_path": path, "content": "x"}), result(id, "done")]


def bash(id: str, command: str, text: str = "ok", *, error: bool = False) -> list[Block]:  # noqa: A002
    return [use(id, "Bash", {"command": command}), result(id, text, error=error)]


def call(id: str, name: str, arguments: dict[str, Any], text: str = "ok") -> list[Block]:  # noqa: A002
    return [use(id, name, arguments), result(id, text)]


def talk(*pairs: list[Block]) -> Messages:
    """One exchange a pair, each call and its result keyed by the call's id: `c:r1` and `r1`."""
    messages: list[Message] = [user("Go.")]
    for made, gave in pairs:
        assert isinstance(made, ToolUse)
        assert isinstance(gave, ToolResult)
        messages += [
            assistant(use(made.id, made.name, made.input.value(), key=f"c:{made.id}")),
            user(result(gave.tool_use_id, *gave.parts, key=made.id, error=gave.is_error)),
        ]
    return conversation(*messages, assistant("Done."))


def found(judgements: dict[str, Judgement], *causes: Cause) -> dict[str, str | None]:
    return {key: j.related for key, j in judgements.items() if j.cause in causes}


def superseded(messages: Messages) -> dict[str, str | None]:
    """Key of each superseded result -> the block that made it so."""
    return {k: j.related for k, j in classify(messages).items() if j.verdict is Verdict.SUPERSEDED}


SHORT = "1\tline 1\n"


@pytest.mark.parametrize(
    ("pairs", "stale"),
    [
        pytest.param([read("r1"), read("r2")], {"r1": "r2"}, id="read again whole"),
        pytest.param(
            [read("r1"), read("r2"), read("r3")], {"r1": "r3", "r2": "r3"}, id="the newest is named"
        ),
        pytest.param([read("r1"), read("r2", "/w/b.py")], {}, id="another file"),
        pytest.param([read("r1"), read("r2", "/w/A.py")], {}, id="case tells files apart"),
        pytest.param([read("r1", "/w/x/../a.py"), read("r2")], {"r1": "r2"}, id="one file, two spellings"),
        pytest.param([read("r1", "C:\\w\\a.py"), read("r2", "c:/W/a.py")], {"r1": "r2"}, id="Windows"),
        pytest.param([read("r1"), edit("e1")], {"r1": "c:e1"}, id="edited later"),
        pytest.param([read("r1"), write("w1")], {"r1": "c:w1"}, id="written later"),
        pytest.param([read("r1"), edit("e1"), edit("e2")], {"r1": "c:e1"}, id="the nearest edit is named"),
        pytest.param([edit("e1"), read("r1")], {}, id="edited before"),
        pytest.param([read("r1"), edit("e1", error=True)], {}, id="an edit that failed"),
        pytest.param([read("r1"), edit("e1", "/w/b.py")], {}, id="another file edited"),
        pytest.param([read("r1"), edit("e1"), read("r2")], {"r1": "r2"}, id="edited, then read again"),
        pytest.param([read("r1", offset=1, limit=50), read("r2")], {"r1": "r2"}, id="a range, then all"),
        pytest.param([read("r1"), read("r2", text=SHORT, offset=1, limit=1)], {}, id="all, then a range"),
        pytest.param(
            [read("r1", offset=1, limit=50), read("r2", offset=51, limit=50)], {}, id="ranges side by side"
        ),
        pytest.param(
            [read("r1", offset=10, limit=5), read("r2", offset=1, limit=50)], {"r1": "r2"}, id="a wider range"
        ),
        pytest.param([read("r1", offset=10, limit=50), read("r2", offset=1, limit=50)], {}, id="overlapping"),
        pytest.param(
            [read("r1", offset=1, limit=50), read("r2", offset=1, limit=50)],
            {"r1": "r2"},
            id="the same range",
        ),
        pytest.param([read("r1", offset=5, limit=5), edit("e1")], {"r1": "c:e1"}, id="a range, then an edit"),
        pytest.param([read("r1", pages="1-5"), read("r2", pages="1-5")], {"r1": "r2"}, id="the same pages"),
        pytest.param(
            [read("r1", pages="1-5"), read("r2", pages="6-9")], {}, id="other pages though of equal text"
        ),
        pytest.param(
            [read("r1"), read("r2", limit=2000)], {"r1": "r2"}, id="equal text though asked otherwise"
        ),
        pytest.param([read("r1"), read("r2", text="")], {}, id="nothing came the second time"),
        pytest.param([read("r1"), read("r2", text="[Old tool result content cleared]")], {}, id="cleared"),
        pytest.param(
            [
                read("r1"),
                read("r2", text="File unchanged since last read. The earlier Read is still current"),
            ],
            {},
            id="the later one names the earlier",
        ),
        pytest.param(
            [read("r1", offset=2500, limit=9), read("r2", text="x\n" * 2000)],
            {},
            id="beyond the default limit",
        ),
        pytest.param(
            [read("r1", offset=2500, limit=9), read("r2", text="x\n" * 1900)],
            {"r1": "r2"},
            id="file got shorter",
        ),
        pytest.param(
            [read("r1", offset=50, limit=9), read("r2", text=LINES + "(Output truncated. Use offset)")],
            {},
            id="the later one says that it was cut",
        ),
    ],
)
def test_reads_of_tools(pairs: list[list[Block]], stale: dict[str, str]) -> None:
    assert superseded(talk(*pairs)) == stale


SPANS = st.tuples(st.integers(1, 12), st.integers(1, 8))


@settings(max_examples=50, deadline=None)
@given(st.lists(SPANS, max_size=12))
def test_a_range_is_superseded_exactly_by_a_later_one_around_it(spans: list[tuple[int, int]]) -> None:
    pairs = [read(f"{n}", text="same", offset=first, limit=count) for n, (first, count) in enumerate(spans)]
    named = superseded(talk(*pairs))
    for n, (first, count) in enumerate(spans):
        around = {
            f"{m}"
            for m, (other, more) in enumerate(spans)
            if m > n and other <= first and first + count <= other + more
        }
        assert (named.get(f"{n}") in around) if around else (f"{n}" not in named)


@pytest.mark.parametrize(
    ("pairs", "stale"),
    [
        pytest.param([bash("b1", "cat a", LINES), bash("b2", "cat a", LINES)], {"b1": "b2"}, id="cat twice"),
        pytest.param(
            [bash("b1", "sed -n 1,20p a", SHORT), bash("b2", "sed -n 1,60p a", LINES)],
            {"b1": "b2"},
            id="wider",
        ),
        pytest.param(
            [bash("b1", "cat a", LINES), bash("b2", "sed -i s/x/y/ a", "")], {"b1": "c:b2"}, id="sed -i"
        ),
        pytest.param(
            [bash("b1", "cat a", LINES), bash("b2", "cat > a <<E\nx\nE", "")], {"b1": "c:b2"}, id="heredoc"
        ),
        pytest.param(
            [bash("b1", "cat a", LINES), bash("b2", "cat a", "cat: a: No such file")], {}, id="failed unsaid"
        ),
        pytest.param(
            [
                bash("b1", "sed -n 1,20p a", SHORT),
                bash("b2", "cat a", f"{LINES}…900 tokens truncated…{LINES}"),
            ],
            {},
            id="the later one was cut in the middle",
        ),
        pytest.param(
            [bash("b1", "tail -5 a", SHORT), bash("b2", "cat a", LINES)], {"b1": "b2"}, id="tail, all"
        ),
        pytest.param(
            [bash("b1", "cat a | grep x", SHORT), bash("b2", "tail -5 a", LINES)], {}, id="two parts"
        ),
        pytest.param(
            [read("r1", "a", LINES), bash("b1", "cat a", LINES)], {"r1": "b1"}, id="tool, then shell"
        ),
        pytest.param([bash("b1", "cat a b", LINES), bash("b2", "cat a", LINES)], {}, id="one of two files"),
        pytest.param(
            [bash("b1", "ls", LINES), bash("b2", "ls", LINES)], {"b1": "b2"}, id="same call, same text"
        ),
        pytest.param(
            [bash("b1", "ls", LINES), bash("b2", "ls", LINES), bash("b3", "ls", LINES)],
            {"b1": "b3", "b2": "b3"},
            id="same call, the newest is named",
        ),
        pytest.param([bash("b1", "ls", LINES), bash("b2", "ls", SHORT)], {}, id="same call, other text"),
        pytest.param(
            [bash("b1", "tail -5 a", SHORT), bash("b2", "cat a", LINES), bash("b3", "cat a", LINES)],
            {"b1": "b3", "b2": "b3"},
            id="the newest of all reads of the whole is named",
        ),
        pytest.param([bash("b1", "ls", LINES), bash("b2", "ls -a", LINES)], {}, id="another call, same text"),
    ],
)
def test_reads_of_the_shell(pairs: list[list[Block]], stale: dict[str, str]) -> None:
    assert superseded(talk(*pairs)) == stale


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"filePath": "/w/a.py"}),
        ("read_file", {"absolute_path": "/w/a.py"}),
        ("read_file", {"target_file": "/w/a.py", "should_read_entire_file": True}),
        ("str_replace_editor", {"command": "view", "path": "/w/a.py"}),
        ("exec_command", {"cmd": "cat a.py", "workdir": "/w"}),
        ("shell", {"command": ["bash", "-lc", "cat a.py"], "workdir": "/w"}),
    ],
)
def test_every_agents_read_is_known(name: str, arguments: dict[str, Any]) -> None:
    messages = talk(call("r1", name, arguments, LINES), edit("e1"))
    assert superseded(messages) == {"r1": "c:e1"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: /w/a.py\n@@\n*** End Patch"}),
        ("str_replace_editor", {"command": "str_replace", "path": "/w/a.py", "old_str": "x", "new_str": "y"}),
        ("write_file", {"file_path": "/w/a.py", "content": "x"}),
        ("NotebookEdit", {"notebook_path": "/w/a.py", "new_source": "x"}),
    ],
)
def test_every_agents_edit_is_known(name: str, arguments: dict[str, Any]) -> None:
    assert superseded(talk(read("r1"), call("e1", name, arguments))) == {"r1": "c:e1"}


def test_a_patch_given_as_bare_text_is_known() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n*** End Patch"
    messages = conversation(
        assistant(use("r", "exec_command", {"cmd": "cat a.py"})),
        user(result("r", LINES, key="read")),
        assistant(use("e", "apply_patch", patch, key="patch")),
        user(result("e", "Success.")),
    )
    assert superseded(messages) == {"read": "patch"}
    refused = (*messages[:3], user(result("e", "apply_patch verification failed: no such lines", key="x")))
    assert superseded(refused) == {}


def test_relative_paths_lie_under_the_folder_of_the_session() -> None:
    messages = talk(
        call("r1", "exec_command", {"cmd": "cat a.py", "workdir": "/w"}, LINES), edit("e1", "a.py")
    )
    assert superseded(messages) == {}
    assert {k for k, j in classify(messages, "/w").items() if j.cause is Cause.STALE_READ} == {"r1"}


def test_a_picture_that_is_read_again_is_superseded() -> None:
    messages = conversation(
        assistant(use("i1", "Read", {"file_path": "/w/a.png"})),
        user(result("i1", image(), key="first")),
        assistant(use("i2", "Read", {"file_path": "/w/a.png"})),
        user(result("i2", image(), key="second")),
    )
    judged = classify(messages)
    assert (judged["first"].cause, judged["first"].related) == (Cause.READ_AGAIN, "second")
    assert (judged["second"].verdict, judged["second"].cause) == (Verdict.REGENERABLE, Cause.IMAGE)


def test_the_reason_says_whether_the_file_changed_in_between() -> None:
    judged = classify(talk(read("r1"), edit("e1"), read("r2"), read("r3"), edit("e2")))
    name = {"r3": "#41"}.__getitem__
    assert judged["r1"].explain(name) == "Read result; same path read again at #41; file changed in between"
    assert (
        judged["r2"].explain(name) == "Read result; same path read again at #41; file not changed in between"
    )


def test_of_calls_made_at_once_the_reason_names_what_stands_behind_the_result() -> None:
    """The call of such a change stands above the read: `changed later at` would point backwards."""
    arguments = {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}
    at_once = [
        use("r1", "Read", {"file_path": "/w/a.py"}, key="c:r1"),
        use("e1", "Edit", arguments, key="c:e1"),
    ]
    gave = [result("r1", LINES, key="r1"), result("e1", "done", key="e1")]
    together = conversation(user("Go."), assistant(*at_once), user(*gave), assistant("Done."))
    assert superseded(together) == {"r1": "e1"}
    assert superseded(talk(read("r1"), edit("e1"))) == {"r1": "c:e1"}


def test_failures_name_the_try_that_worked() -> None:
    judged = classify(
        talk(
            bash("b1", "pytest", "1 failed", error=True),
            edit("e1", error=True),
            edit("e2"),
            bash("b2", "pytest", "1 failed", error=True),
            bash("b3", "pytest", "ok"),
            bash("b4", "make", "no rule", error=True),
        )
    )
    assert found(judged, Cause.RETRIED) == {"b1": "b3", "e1": "e2", "b2": "b3"}
    assert found(judged, Cause.FAILED) == {"b4": None}
    assert {judged[key].verdict for key in ("b1", "e1", "b2", "b4")} == {Verdict.ERROR}


@pytest.mark.parametrize(
    ("name", "arguments", "text", "verdict"),
    [
        ("read_file", {"path": "a"}, "Error: no such file", Verdict.ERROR),
        ("read_file", {"path": "a"}, "Error handling\n\nEvery function", Verdict.REGENERABLE),
        ("read_file", {"path": "a"}, "Error: " + "x" * 9_000, Verdict.REGENERABLE),
        ("exec_command", {"cmd": "cat a"}, "Exit code: 1\nWall time: 0 s\nOutput:\nno such", Verdict.ERROR),
        ("exec_command", {"cmd": "cat a"}, "Exit code: 0\nWall time: 0 s\nOutput:\nx", Verdict.REGENERABLE),
        (
            "exec_command",
            {"cmd": "x"},
            "Wall time: 0 s\nProcess exited with code 127\nOutput:",
            Verdict.ERROR,
        ),
        ("bash", {"command": "x"}, '{\n  "returncode": -1,\n  "output": ""}', Verdict.ERROR),
    ],
)
def test_failures_without_a_flag_are_told_by_their_text(
    name: str, arguments: dict[str, Any], text: str, verdict: Verdict
) -> None:
    assert classify(talk(call("r", name, arguments, text)))["r"].verdict is verdict


def test_runs_before_an_edit_tell_of_a_state_that_is_gone() -> None:
    judged = classify(
        talk(
            bash("b1", "pytest -q", "8 passed"),
            bash("b2", "ls"),
            edit("e1"),
            bash("b3", "pytest -q", "9 passed"),
        )
    )
    assert found(judged, Cause.GONE_STATE) == {"b1": "c:e1"}
    assert judged["b1"].verdict is Verdict.ONLY_COPY
    assert judged["b2"].verdict is judged["b3"].verdict is Verdict.REGENERABLE


@pytest.mark.parametrize("standing", [SendStatus.SIDECHAIN, SendStatus.OFF_BRANCH, SendStatus.NEVER_SENT])
def test_what_is_not_on_the_main_line_supersedes_nothing(standing: SendStatus) -> None:
    main, other = talk(read("r1")), talk(read("r2"), edit("e2"))
    messages = (*main, *(off(message, standing) for message in other))
    assert superseded(messages) == {}


def test_what_stands_before_the_boundary_is_on_the_main_line() -> None:
    old, live = talk(read("r1")), talk(read("r2"))
    messages = (*(off(message, SendStatus.BEFORE_BOUNDARY) for message in old), *live)
    assert superseded(messages) == {"r1": "r2"}


def test_a_result_belongs_to_the_nearest_call_of_its_id() -> None:
    messages = conversation(
        assistant(use("same", "Read", {"file_path": "/w/a.py"})),
        user(result("same", LINES, key="first")),
        assistant(use("same", "WebFetch", {"url": "https://example.org"})),
        user(result("same", "page", key="second")),
    )
    judged = classify(messages)
    assert judged["first"].cause is Cause.FILE
    assert judged["second"].cause is Cause.WEB


@pytest.mark.parametrize("arguments", ["[" * 100_000, "{", "null", "7", '"text"', "", "{}" * 90])
def test_arguments_that_are_no_object_are_taken_as_none(arguments: str) -> None:
    made = use("t", "Read", key="call")
    broken = replace(made, input=Held(arguments))
    judged = classify(conversation(assistant(broken), user(result("t", "text", key="r"))))
    assert judged["r"].verdict is Verdict.REGENERABLE


@pytest.mark.parametrize("same_path", [True, False])
def test_many_reads_take_linear_time(same_path: bool) -> None:
    def seconds(count: int) -> float:
        pairs = [
            read(f"r{n}", "/w/a" if same_path else f"/w/{n}", f"{n}", offset=n * 7 % 4_001, limit=n % 13 + 1)
            for n in range(count)
        ]
        messages = talk(*pairs)
        start = time.process_time()
        classify(messages)
        return time.process_time() - start

    seconds(200)
    assert seconds(3_000) < 40 * max(seconds(300), 0.001)


def test_a_reason_holds_no_text_of_the_session() -> None:
    judged = classify(talk(read("r1", "/w/\x1b[31m{ref}"), call("x", "{ref}\x1b", {}, "\x1b"), read("r2")))
    assert all("\x1b" not in j.reason for j in judged.values())
    assert all((REF in j.reason) == (j.related is not None) for j in judged.values())
