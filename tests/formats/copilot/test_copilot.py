"""Copilot CLI's sessions: what the client sends of a log, and logs that it resumes as planned.

Each rule was seen in the client (1.0.102) against a model on loopback: which events it replays, that a
compaction stands for what is before it, and that it takes logs as they are written here.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePath

import pytest
from msgspec.structs import replace

from app.export.plan import ExportOptions, make_plan
from app.export.write import write
from app.formats import FORMATS, detect
from app.formats.source import BytesSource, FileSource
from app.model import (
    Author,
    Block,
    Boundary,
    Held,
    Message,
    Role,
    SendStatus,
    Text,
    ToolResult,
    ToolUse,
    text_of,
    with_text,
)
from app.opening import open_workspace
from app.running import users_of
from app.validity import check, errors
from tests.cli.run import Handcompact
from tests.formats.copilot.records import (
    FORMAT,
    NEW_ID,
    OLD_ID,
    Value,
    again,
    assistant,
    call,
    called,
    compacted,
    event,
    failure,
    lines,
    read,
    request,
    result,
    rewrite,
    start,
    usage,
    user,
)
from tests.formats.edits import written
from tests.plain_session import SAMPLES

SAMPLE = SAMPLES / "copilot-compacted.jsonl"
LOG = "a line of a log\n" * 30


def talk() -> list[Value]:
    return [
        start(),
        user(1, "Look."),
        event("system.message", 2, role="system", content="Vendor."),
        usage(3, 900, cached=200),
        assistant(4, "I look.", call("a", path="a.py"), call("b", path="b.py")),
        called(5, "a"),
        called(6, "b"),
        result(7, "a", LOG),
        failure(8, "b", "Path does not exist"),
        assistant(9, "Seen."),
        user(10, "Go on.", wrapped=False),
        assistant(11, "Done."),
    ]


def test_what_is_sent_are_words_replies_and_results() -> None:
    session = read(*talk())
    assert request(session) == [
        {"role": "user", "content": [
            {"type": "text", "text": text} for text in ("<now>1</now>\n\n", "Look.", "")
        ]},
        {"role": "assistant", "content": "I look.", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "view", "arguments": '{"path":"a.py"}'}},
            {"id": "b", "type": "function", "function": {"name": "view", "arguments": '{"path":"b.py"}'}},
        ]},
        {"role": "tool", "tool_call_id": "a", "content": LOG},
        {"role": "tool", "tool_call_id": "b", "content": "Path does not exist"},
        {"role": "assistant", "content": "Seen."},
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "Done."},
    ]  # fmt: skip
    assert (session.session_id, session.cwd, session.title, session.model) == (OLD_ID, "/w", "Look.", "gpt-5")
    assert session.last_usage is not None and session.last_usage.context == 900
    failed = [b.is_error for m in session.live for b in m.blocks if isinstance(b, ToolResult)]
    assert failed == [False, True]


def test_the_clients_wrapping_is_not_the_users_words() -> None:
    blocks = read(*talk()).live[0].blocks
    assert [(text_of(b), b.author) for b in blocks if isinstance(b, Text)] == [
        ("<now>1</now>\n\n", Author.INJECTED),
        ("Look.", Author.USER),
    ]


def test_a_compaction_that_succeeded_stands_for_what_is_before_it() -> None:
    session = read(
        *talk(), compacted(12, "Not done.", success=False), compacted(13, "A story."), user(14, "More.")
    )
    assert [text_of(m.blocks[-1]) for m in session.live] == ["A story.", "More."]
    (boundary,) = session.boundaries
    assert session.live[0].boundary == boundary and boundary.trigger == "auto"
    summary = session.live[0].blocks[0]
    assert isinstance(summary, Text) and summary.author is Author.SUMMARY
    assert all(m.standing is SendStatus.BEFORE_BOUNDARY for m in session.messages[:7])


def test_a_compaction_of_the_client_tells_what_it_was() -> None:
    (boundary,) = FORMAT.read(BytesSource(SAMPLE.read_bytes())).boundaries
    assert (boundary.trigger, boundary.tokens_before, boundary.removed) == ("manual", 11_285, 24)


def test_what_a_subagent_did_is_not_sent() -> None:
    apart = [{**assistant(20, "Inside."), "agentId": "x"}, {**user(21, "Do."), "agentId": "x"}]
    session = read(*talk()[:2], *apart, assistant(22, "Outside."))
    assert [m.standing for m in session.messages].count(SendStatus.SIDECHAIN) == 2
    assert [form["role"] for form in request(session)] == ["user", "assistant"]


def test_a_log_that_nobody_changed_keeps_every_byte() -> None:
    for data in (lines(*talk()), SAMPLE.read_bytes()):
        session = FORMAT.read(BytesSource(data))
        assert written(rewrite(session, *session.live)) == data


def test_a_new_session_has_another_name_and_no_other_byte() -> None:
    session = read(*talk())
    out = written(rewrite(session, *session.live, session_id=NEW_ID))
    assert out == lines(*talk()).replace(OLD_ID.encode(), NEW_ID.encode())


def test_a_cleared_result_loses_its_second_copy() -> None:
    session = read(*talk())
    place = next(n for n, m in enumerate(session.live) if isinstance(m.blocks[0], ToolResult))
    first, second = session.live[place], session.live[place + 1]
    messages = list(session.live)
    for at, message in ((place, first), (place + 1, second)):
        (block,) = message.blocks
        assert isinstance(block, ToolResult)
        messages[at] = replace(message, blocks=(with_text(block, "[cleared]"),))
    rewriting = rewrite(session, *messages)
    out = written(rewriting)
    assert LOG[:20].encode() not in out and b"detailedContent" not in out and rewriting.changed == 2
    assert request(again(rewriting)) == request(session, tuple(messages))
    assert json.loads(out.splitlines()[8])["data"]["error"] == {"message": "[cleared]", "code": "failure"}


def test_a_pair_goes_with_the_event_that_shows_its_call() -> None:
    session = read(*talk())
    kept = {message.key: tuple(b for b in message.blocks if _call(b) != "a") for message in session.live}
    keep = [replace(m, blocks=kept[m.key]) for m in session.live if kept[m.key]]
    rewriting = rewrite(session, *keep)
    out = [json.loads(line) for line in written(rewriting).splitlines()]
    assert not any(value["data"].get("toolCallId") == "a" for value in out)
    assert any(value["type"] == "tool.execution_start" for value in out)
    back = again(rewriting)
    assert request(back) == request(session, tuple(keep))
    assert errors(check("openai-chat", FORMAT.request(back, back.live))) == []


def test_a_result_that_lost_its_call_becomes_words_of_the_user() -> None:
    session = read(start(), user(1, "Look."), result(2, "gone", LOG), assistant(3, "Seen."))
    plan = rewrite(session, *session.live)
    assert [notice.word for notice in plan.repairs] == ["orphan-result"]
    out = written(plan)
    back = again(plan)
    assert errors(check("openai-chat", FORMAT.request(back, back.live))) == []
    assert [message.role for message in back.live] == [Role.USER, Role.USER, Role.ASSISTANT]
    told = json.loads(out.splitlines()[2])
    assert told["type"] == "user.message" and LOG in told["data"]["content"]
    assert told["id"] == result(2, "gone", LOG)["id"], "it is the same event in the chain"


def _call(block: Block) -> str | None:
    if isinstance(block, ToolResult):
        return block.tool_use_id
    return block.id if isinstance(block, ToolUse) else None


def test_a_summary_becomes_a_compaction_and_takes_what_it_hides_along() -> None:
    before = [
        *talk(),
        compacted(12, "Old story."),
        user(13, "Then."),
        assistant(14, "Yes."),
        user(15, "Now."),
    ]
    session = read(*before)
    boundary = Boundary("made", "manual")
    text = Text("made:0", Held("New story."), Author.SUMMARY)
    summary = Message("made", Role.USER, (text,), boundary=boundary)
    rewriting = rewrite(session, summary, *session.live[3:], boundary=boundary, session_id=NEW_ID)
    back = again(rewriting)
    assert [text_of(m.blocks[-1] if len(m.blocks) < 3 else m.blocks[1]) for m in back.messages] == [
        "New story.",
        "Now.",
    ]
    assert back.boundaries and back.live[0].boundary is not None
    assert b"Old story." not in written(rewriting) and b"Look." not in written(rewriting)


def test_a_summary_that_goes_takes_along_what_it_stood_for() -> None:
    session = read(*talk(), compacted(12, "Old story."), user(13, "Then."), assistant(14, "Yes."))
    back = again(rewrite(session, *session.live[1:], session_id=NEW_ID))
    assert [text_of(m.blocks[-1]) for m in back.live] == ["Then.", "Yes."]


def test_made_messages_of_every_role_are_events() -> None:
    session = read(*talk())
    use = ToolUse("n:0", "n1", "bash", Held('{"command":"ls"}'))
    told = ToolResult("r:0", "n1", (Text("r:0/0", Held("a b"), Author.INJECTED),))
    made = (
        Message("q", Role.USER, (Text("q:0", Held("Made words."), Author.USER),)),
        Message("n", Role.ASSISTANT, (Text("n:t", Held("Made reply."), Author.ASSISTANT), use)),
        Message("r", Role.TOOL, (told,)),
    )
    back = again(rewrite(session, *session.live, *made))
    assert request(back)[-3:] == request(session, made)
    assert len({record.key for record in map(back.records.__getitem__, range(len(back.records)))}) == len(
        back.records
    )


def test_a_made_message_of_several_texts_is_planned_as_the_one_text_that_an_event_holds() -> None:
    session = read(*talk())
    texts = tuple(Text(f"q:{n}", Held(word), Author.SUMMARY) for n, word in enumerate(("Short.", "Old.")))
    made = Message("q", Role.USER, texts)
    assert request(session, (made,)) == request(again(rewrite(session, *session.live, made)))[-1:]


def test_the_users_words_can_be_written_anew_inside_their_wrapping() -> None:
    session = read(*talk())
    first = session.live[0]
    blocks = tuple(
        replace(b, content=Held("Look here.")) if isinstance(b, Text) and b.author is Author.USER else b
        for b in first.blocks
    )
    out = written(rewrite(session, replace(first, blocks=blocks), *session.live[1:]))
    data = json.loads(out.splitlines()[1])["data"]
    assert (data["content"], data["transformedContent"]) == ("Look here.", "<now>1</now>\n\nLook here.")


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_no_other_format_takes_a_log(known: object) -> None:
    assert detect(BytesSource(lines(*talk()))).name == "copilot"
    assert detect(BytesSource(lines(user(1, "Begins in the middle.")))).name == "copilot"


def test_an_export_lies_in_a_folder_of_its_own_where_the_client_looks(home: Path) -> None:
    folder = home / ".copilot/session-state" / OLD_ID
    folder.mkdir(parents=True)
    path = folder / "events.jsonl"
    path.write_bytes(lines(*talk()))
    opened = open_workspace(str(path), pipeline="react-mini", exact=False)
    done = write(make_plan(opened.workspace, opened.source, ExportOptions()))
    assert done.target is not None and done.target.parent.parent == folder.parent
    ident = done.target.parent.name
    assert done.target.name == "events.jsonl" and done.plan.resuming.command == f"copilot --resume={ident}"
    with FileSource(done.target) as source:
        assert FORMAT.read(source).session_id == ident
    assert sorted(p.name for p in folder.iterdir()) == ["events.jsonl"]


def test_a_log_from_elsewhere_is_installed_where_the_client_looks(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "shared.jsonl"
    path.write_bytes(lines(*talk()))
    opened = open_workspace(str(path), pipeline="react-mini", exact=False, install=True)
    looked_in = home / ".copilot/session-state"
    told = make_plan(opened.workspace, opened.source, ExportOptions()).resuming.why_none("x")
    assert told == f"Copilot CLI looks in {looked_in}, not here: x"
    plan = make_plan(opened.workspace, opened.source, ExportOptions(install=True))
    assert plan.target is not None and plan.target.name == "events.jsonl"
    assert plan.target.parent.parent == home / ".copilot/session-state"
    assert plan.resuming.command == f"copilot --resume={plan.target.parent.name}"


def test_a_session_that_the_client_has_open_is_known_by_its_lock(home: Path) -> None:
    folder = home / ".copilot/session-state" / OLD_ID
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_bytes(lines(start()))
    (folder / "inuse.4194305.lock").touch()
    (folder / "inuse.².lock").touch()  # a digit to Python, and no number
    assert users_of(folder / "events.jsonl") == ()
    (folder / "inuse.1.lock").touch()
    assert users_of(folder / "events.jsonl") == ("Copilot CLI (1)",)


def test_names_of_new_files() -> None:
    assert FORMAT.new_name(PurePath("/s/x/events.jsonl"), NEW_ID) == f"../{NEW_ID}/events.jsonl"
    assert FORMAT.new_name(PurePath("/s/copy.jsonl"), NEW_ID) == f"{NEW_ID}.events.jsonl"
    assert FORMAT.new_name(PurePath("/s/x/events.jsonl"), None) == "events.jsonl"


def test_sessions_compacted_together_stay_in_the_folder_that_was_named(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    handcompact = Handcompact(capsys)
    source, out = tmp_path / "kept", tmp_path / "out"
    twice = [start(), user(1, "Look.")]
    for number in range(2, 20, 2):
        twice += [
            assistant(number, "", call(f"c{number}", path="a.py")),
            result(number + 1, f"c{number}", LOG),
        ]
    for place in (source / OLD_ID, source):
        place.mkdir(parents=True, exist_ok=True)
        (place / "events.jsonl").write_bytes(lines(*twice, assistant(20, "Seen."), user(21, "Thanks.")))
    options = ("--pipeline", "gentle", "--count", "rough", "--set", "superseded-reads.target_share=0")
    done = handcompact("compact", source, "--out", out, "--write", *options)
    assert done.code in (0, 1), done.err
    found = [path for path in tmp_path.rglob("events.jsonl") if source not in path.parents]
    assert len(found) == 2 and all(path.is_relative_to(out) for path in found)
