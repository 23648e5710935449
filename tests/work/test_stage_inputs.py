"""What a stage waits for can be given, is replayed and undone, and nothing leaves without a yes."""

from __future__ import annotations

import sys

import pytest

from app.errors import InputError, Stopped, SummaryFailed
from app.model import Author, Message, Text, blocks_of
from app.pipeline import load, parse
from app.stages.base import StageResult
from app.summarizers import SummaryRequest
from app.summarizers.asking import AnswerLimits, Ask
from app.summarizers.program import by_command
from app.work.history import fold
from app.work.stage_inputs import ask_model, give_memory, give_refusal, give_summary, reset, wanted
from app.work.workspace import Workspace
from tests.build import assistant, result, use, user
from tests.work.test_workspace import session

WORK = "line of a file\n" * 400


def working(turns: int = 12) -> Workspace:
    messages: list[Message] = []
    for n in range(turns):
        messages += [
            user(f"Question {n}: never change the public names of module {n}."),
            assistant(use(f"r{n}", "Read", {"file_path": f"src/f{n}.py"})),
            user(result(f"r{n}", WORK)),
            assistant(f"Answer {n}."),
        ]
    return Workspace(session(*messages), load("layered"), exact=False, root="/w")


def minicode(turns: int = 12, window: int = 1500) -> Workspace:
    return Workspace(working(turns).session, load("minicode"), exact=False, window_tokens=window)


def after(workspace: Workspace, step: str) -> StageResult:
    return next(walked.result for walked in workspace.ahead if walked.name == step)


def summary_of(result: StageResult) -> str:
    return next(
        block.content.read()
        for _, block in blocks_of(result.messages)
        if isinstance(block, Text) and block.author is Author.SUMMARY
    )


def test_a_model_is_asked_only_after_a_yes_and_its_answer_fits_that_request_alone() -> None:
    workspace = working()
    workspace.set_options("summarize", {"max_total_chars": 3000})
    asked: list[SummaryRequest] = []

    def ask(request: SummaryRequest) -> str:
        asked.append(request)
        return "  The goal is to answer.\n"

    request = wanted(workspace, "summarize")
    assert request is not None and "Question 0" in request.text and "</log>" in request.text
    with pytest.raises(SummaryFailed, match="needs your consent"):
        ask_model(workspace, "summarize", ask, allowed=False)
    assert asked == []
    ask_model(workspace, "summarize", ask, allowed=True)
    assert [one.key for one in asked] == [request.key]
    done = after(workspace, "summarize")
    assert done.boundary is not None and done.wanted is None
    assert summary_of(done) == "[Compacted]\n\nThe goal is to answer."

    pinned = workspace.session.live[4].blocks[0].key
    workspace.pin([pinned])
    assert summary_of(after(workspace, "summarize")) == "[Compacted]\n\nThe goal is to answer."
    workspace.set_options("snip", {"max_messages": 12})
    assert after(workspace, "summarize").boundary is None, "the answer is to another conversation"
    workspace.undo()
    assert after(workspace, "summarize").boundary is not None
    for _ in range(2):
        workspace.undo()
    assert after(workspace, "summarize").boundary is None and wanted(workspace, "summarize") is not None


def test_three_failures_in_a_row_stop_asking_until_it_is_reset() -> None:
    workspace = working()
    workspace.set_options("summarize", {"max_total_chars": 3000})

    def ask(request: SummaryRequest) -> str:
        raise OSError("no route to host")

    for _ in range(3):
        with pytest.raises(SummaryFailed, match="no route to host"):
            ask_model(workspace, "summarize", ask, allowed=True)
    assert "3 failures in a row" in after(workspace, "summarize").note
    with pytest.raises(InputError, match="does not need a summary"):
        ask_model(workspace, "summarize", ask, allowed=True)
    reset(workspace, "summarize")
    assert wanted(workspace, "summarize") is not None
    workspace.undo()
    assert wanted(workspace, "summarize") is None


def test_only_summaries_that_failed_count_towards_the_stop() -> None:
    workspace = working()
    workspace.set_options("summarize", {"max_total_chars": 3000})

    def raising(error: Exception) -> Ask:
        def ask(request: SummaryRequest) -> str:
            raise error

        return ask

    def failures() -> int:
        return workspace.state.given("summarize").failures

    no_route = raising(OSError("no route to host"))
    for ask, allowed, error in (
        (raising(Stopped("stopped")), True, Stopped),
        (raising(InputError("the variable is not set")), True, InputError),
        (no_route, False, SummaryFailed),
    ):
        with pytest.raises(error):
            ask_model(workspace, "summarize", ask, allowed=allowed)
        assert failures() == 0, "nobody asked, or nobody was waited for"
    workspace.set_options("summarize", {"min_messages": 900})
    assert "too few" in after(workspace, "summarize").note and failures() == 0
    workspace.undo()
    for number, ask in enumerate((no_route, lambda request: " \n", lambda request: request.text * 2), 1):
        with pytest.raises(SummaryFailed):
            ask_model(workspace, "summarize", ask, allowed=True)
        assert failures() == number
    workspace.undo()
    assert failures() == 2 and wanted(workspace, "summarize") is not None
    ask_model(workspace, "summarize", lambda request: "It works.", allowed=True)
    assert failures() == 0 and after(workspace, "summarize").boundary is not None


def test_a_program_can_be_asked() -> None:
    workspace = working()
    workspace.set_options("summarize", {"max_total_chars": 3000})
    shout = "import sys; text = sys.stdin.buffer.read(); print('Read', len(text), 'bytes.')"
    ask_model(workspace, "summarize", by_command([sys.executable, "-c", shout]), allowed=True)
    assert summary_of(after(workspace, "summarize")).startswith("[Compacted]\n\nRead ")
    for code, words in (
        ("import sys; sys.exit('no key')", "status 1: no key"),
        ("print()", "answer is empty"),
        ("import time; time.sleep(9)", "no complete answer within 0.2 seconds"),
        ("import sys; print(sys.stdin.read() * 2)", "is not shorter"),
    ):
        fresh = working()
        fresh.set_options("summarize", {"max_total_chars": 3000})
        timeout = 0.2 if "sleep" in code else 20
        with pytest.raises(SummaryFailed, match=words):
            ask = by_command([sys.executable, "-c", code], AnswerLimits(timeout))
            ask_model(fresh, "summarize", ask, allowed=True)


def test_ones_own_words_come_before_a_models() -> None:
    workspace = working()
    workspace.set_options("summarize", {"max_total_chars": 3000})
    give_summary(workspace, "summarize", "hand", "All is answered.")
    done = after(workspace, "summarize")
    assert summary_of(done) == "[Compacted]\n\nAll is answered."
    [transcript] = done.files
    assert transcript.path == ".transcripts/transcript_0.jsonl"
    assert len(transcript.text.splitlines()) == 48


def test_the_projects_memory_stands_for_what_was_said() -> None:
    workspace = minicode()
    structured = after(workspace, "summarize")
    assert summary_of(structured).splitlines()[0].endswith("— Full Compact]")
    assert "memory: no memory text given" in structured.note
    give_memory(workspace, "summarize", ["# Shop\n\nPrices are in cents.\n", "Never log in twice.\n"])
    workspace.set_options("summarize", {"max_tail_tokens": 500})
    told = summary_of(after(workspace, "summarize"))
    assert (
        "## Project Memory & Context\n\n# Shop\n\nPrices are in cents.\n\nNever log in twice.\n\n---" in told
    )
    assert fold(workspace.history.done).summaries["summarize"].memory.startswith("# Shop")


def test_a_refusal_is_answered_by_harder_cuts_until_it_gives_up() -> None:
    workspace = minicode(24, window=200_000)
    workspace.set_options("tool_result_budget", {"enabled": False})
    assert after(workspace, "recover").note == "no provider refused the conversation as too long"
    give_refusal(workspace, "recover", "prompt is too long: 300000 tokens > 1000 maximum")
    counts = []
    for attempt in (1, 2, 3):
        done = after(workspace, "recover")
        assert f"attempt {attempt}]" in str(done.messages[0].blocks[0].content.read())  # type: ignore[union-attr]
        assert done.boundary is not None and done.boundary.trigger == "reactive"
        counts.append(len(done.messages))
        give_refusal(workspace, "recover")
    assert counts == sorted(counts, reverse=True) and len(set(counts)) == 3
    given_up = after(workspace, "recover")
    assert given_up.failed and given_up.note == "gives up: 3 attempts did not make it fit"
    workspace.undo()
    assert after(workspace, "recover").boundary is not None
    reset(workspace, "recover")
    assert after(workspace, "recover").note.startswith("no provider refused")


def test_what_a_stage_does_not_take_is_refused() -> None:
    workspace = working()
    with pytest.raises(InputError, match="does not take a summary from memory: use hand, model"):
        give_summary(workspace, "summarize", "memory", "Prices are in cents.")
    with pytest.raises(InputError, match="snip does not take a summary from hand: it writes none"):
        give_summary(workspace, "snip", "hand", "x")
    with pytest.raises(InputError, match="is empty"):
        give_summary(workspace, "summarize", "hand", " \n")
    with pytest.raises(InputError, match="does not handle refusals"):
        give_refusal(workspace, "snip")
    with pytest.raises(InputError, match="does not say that the conversation is too long"):
        give_refusal(workspace, "recover", "Overloaded")
    assert workspace.history.done == ()


def test_operations_say_what_they_are_and_hold_what_was_given() -> None:
    workspace = working()
    give_summary(workspace, "summarize", "hand", "All is answered.")
    [done] = workspace.history.done
    assert done.words == "give summarize a summary from hand"
    assert done.as_json() == {
        "deed": "summary",
        "step": "summarize",
        "options": {"source": "hand", "text": "All is answered."},
    }


def test_a_pipeline_can_name_its_own_order_of_sources() -> None:
    text = 'name = "mine"\n[[step]]\nstage = "summarize"\nwhen = "always"\nsource = ["model", "structured"]'
    workspace = Workspace(working().session, parse(text, "mine.toml"), exact=False)
    done = after(workspace, "summarize")
    assert done.boundary is not None and done.boundary.strategy == "full"
    assert done.wanted is not None, "a model's summary can still be had"
    give_summary(workspace, "summarize", "model", "Short.", done.wanted.key)
    assert after(workspace, "summarize").boundary.strategy == "summarize"  # type: ignore[union-attr]
