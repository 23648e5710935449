"""What stages leave alone, and whether its words or only its place."""

from __future__ import annotations

import pytest

from app.stages.protection import protected
from tests.build import Messages, assistant, conversation, injected, result, thinking, tool, use, user


def talk(
    name: str, arguments: dict[str, object] | str, text: str = "Rules.", *, error: bool = False
) -> Messages:
    """A call whose result has the key `r`, with a later turn after it."""
    return conversation(
        user("Go."),
        assistant(use("t", name, arguments)),
        user(result("t", text, key="r", error=error)),
        assistant("Read."),
        user("Thanks."),
        assistant("Done.", key="newest"),
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Read", {"file_path": "/w/CLAUDE.md"}),
        ("Read", {"file_path": "/w/CLAUDE.md", "offset": 1, "limit": 5}),
        ("Read", {"file_path": "C:\\w\\AGENTS.md"}),
        ("read_file", {"absolute_path": "/w/sub/GEMINI.md"}),
        ("read_many_files", {"paths": ["a.py", "docs/CONTEXT.md"]}),
        ("read", {"filePath": "skills/x/SKILL.md"}),
        ("str_replace_editor", {"command": "view", "path": "/w/PLAN.md"}),
        ("Bash", {"command": "cat AGENTS.md"}),
        ("exec_command", {"cmd": "sed -n '1,200p' docs/PLAN.md"}),
        ("exec_command", {"cmd": f"cd /w/{'long/' * 60} && ls && cat AGENTS.md && pytest -q"}),
        ("Skill", {"skill": "release"}),
        ("activate_skill", {"name": "release"}),
    ],
)
def test_instructions_stay_word_for_word(name: str, arguments: dict[str, object]) -> None:
    kept = protected(talk(name, arguments))
    assert kept.keeps_text("r")
    assert kept.keeps_place("r")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Read", {"file_path": "/w/README.md"}),
        ("Read", {"file_path": "/w/MYPLAN.md"}),
        ("Read", {"file_path": "/w/CLAUDE.md/notes.txt"}),
        ("Write", {"file_path": "/w/PLAN.md", "content": "x"}),
        ("Edit", {"file_path": "/w/PLAN.md", "old_string": "a", "new_string": "b"}),
        ("Grep", {"pattern": "x", "path": "/w/AGENTS.md"}),
        ("Bash", {"command": "git add AGENTS.md && git commit -m 'Add AGENTS.md'"}),
        ("Bash", {"command": "rm PLAN.md"}),
    ],
)
def test_other_results_are_free(name: str, arguments: dict[str, object]) -> None:
    kept = protected(talk(name, arguments))
    assert kept.keeps_text("r") is None
    assert kept.keeps_place("r") is None


def test_a_rule_file_that_was_not_found_holds_no_rules() -> None:
    assert (
        protected(talk("Read", {"file_path": "CLAUDE.md"}, "no such file", error=True)).keeps_text("r")
        is None
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("AskUserQuestion", 'User answered: "Which database?"="SQLite, nothing else"'),
        ("request_user_input", "yes"),
        ("ExitPlanMode", "User has approved your plan."),
        ("Bash", "The user doesn't want to proceed with this tool use. The user said: never delete data"),
        ("bash", "The user rejected permission to use this tool with the following feedback: no"),
        ("shell", "exec command rejected by user"),
        ("run_shell_command", "[Operation Cancelled] Reason: User denied execution."),
    ],
)
def test_the_persons_answers_stay(name: str, text: str) -> None:
    assert protected(talk(name, {}, text)).keeps_text("r") == "contains your answer"


def test_words_of_the_person_that_the_record_marks_stay() -> None:
    messages = conversation(
        assistant(use("t", "Bash")), user(result("t", "no", key="r", user_words=True)), user("x")
    )
    assert protected(messages).keeps_text("r")


def test_pins_name_blocks_or_whole_messages() -> None:
    messages = conversation(
        user("One.", "Two.", key="a"), user("Three.", key="b"), user("Four.", key="c"), assistant("Done.")
    )
    kept = protected(messages, pinned={"a/1", "b", "nowhere"})
    assert [key for key in ("a/0", "a/1", "b/0", "c/0") if kept.keeps_text(key)] == ["a/1", "b/0"]
    assert kept.pinned == {"a/1", "b/0"}
    lifted = kept.only_pinned()
    assert lifted.keeps_text("a/1") == "pinned by you"
    assert lifted.keeps_text("m4/0") is None


def test_the_newest_reply_keeps_its_words_and_its_results_keep_their_place() -> None:
    messages = conversation(
        user("Go."),
        assistant("Older.", use("a", "Read", {"file_path": "a"}), key="old"),
        user(result("a", "x", key="old result")),
        assistant("Newest.", use("b", "Read", {"file_path": "b"}), key="new"),
        tool(result("b", "x", key="result")),
        injected("<reminder>", key="reminder"),
    )
    kept = protected(messages)
    assert [key for key in ("new/0", "new/1") if kept.keeps_text(key)] == ["new/0", "new/1"]
    assert kept.keeps_place("result")
    assert kept.keeps_text("result") is None
    assert not any(kept.keeps_place(key) for key in ("old/0", "old/1", "old result", "reminder/0", "m1/0"))


def thoughts(*after: object) -> Messages:
    """Two turns; in the second a tool loop of two rounds, and then what is given."""
    return conversation(
        user("One."),
        assistant(thinking("a", key="t1"), "Yes."),
        user("Two."),
        assistant(thinking("b", key="t2"), use("x", "Read", {"file_path": "a"})),
        user(result("x", "1")),
        assistant(thinking("c", key="t3"), use("y", "Read", {"file_path": "b"})),
        *after,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("after", "kept_thoughts"),
    [
        pytest.param([user(result("y", "2"))], ["t2", "t3"], id="results came last"),
        pytest.param([tool(result("y", "2"))], ["t2", "t3"], id="as a tool message"),
        pytest.param([], ["t2", "t3"], id="the call was never answered"),
        pytest.param(
            [user(result("y", "2"), "And be quick.")], ["t2", "t3"], id="the person spoke while it ran"
        ),
        pytest.param([user(result("y", "2")), assistant("Done.")], [], id="the turn is over"),
        pytest.param([user(result("y", "2")), user("Stop.")], ["t3"], id="the person began another turn"),
    ],
)
def test_thinking_of_an_open_turn_stays(after: list[object], kept_thoughts: list[str]) -> None:
    kept = protected(thoughts(*after))
    assert [key for key in ("t1", "t2", "t3") if kept.keeps_text(key)] == kept_thoughts


def test_nothing_to_protect() -> None:
    assert protected(()).text == {}
    assert protected(conversation(user("Go.")), pinned=["gone"]).text == {}
