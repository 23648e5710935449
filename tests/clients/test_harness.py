"""What the clients' tests stand on: the comparison sees what differs, and a client reaches only its model."""

from __future__ import annotations

import json
import stat
import sys
import threading
from pathlib import Path

import pytest

from tests.clients import npm
from tests.clients.agents import Resumed
from tests.clients.comparison import compacted_first, differences, strays, unsaid_reminders
from tests.clients.enclosure import Ended, OwnNetwork, network
from tests.clients.mock import PROMPT, MockModel, Request
from tests.clients.npm import Package, Unavailable

pytestmark = pytest.mark.clients

ASKED = {"role": "user", "content": "Read it."}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"n": 0}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x = 1"}]}
SAID = {"role": "assistant", "content": [{"type": "text", "text": "One."}]}
NEXT = {"role": "user", "content": [{"type": "text", "text": PROMPT}]}
PLANNED = [ASKED, CALL, RESULT, SAID]

TOOL = Package("some-tool", "1.2.3", "tool")
FAKE_NPM = """#!/bin/sh
echo "$1" >> "{calls}"
[ "$1" = view ] && exit {view}
mkdir -p "$3/node_modules/.bin"
printf '#!/bin/sh\\necho 1.2.3' > "$3/node_modules/.bin/tool"
chmod +x "$3/node_modules/.bin/tool"
"""


VISITOR = """
import socket, sys, urllib.request
model, outside = sys.argv[1:]
body = b'{"messages": [{"role": "user", "content": "Hi"}]}'
print(urllib.request.urlopen(model + "/v1/messages", body).status)
for place in (("127.0.0.1", int(outside)), ("192.0.2.1", 80)):
    try:
        socket.create_connection(place, 5)
    except OSError as error:
        print(type(error).__name__)
"""
"""Visits its model, another server on this machine, and one that is far away."""


def sent(*conversation: object) -> Request:
    return Request("messages", {}, conversation, 0, None)


def of_items(*conversation: object) -> Request:
    return Request("responses", {}, conversation, 0, None)


def result(text: str) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": text}]}


def test_what_a_client_says_by_itself_is_no_difference() -> None:
    reminder = {"type": "text", "text": "<system-reminder>\nToday.\n</system-reminder>"}
    request = sent(
        {"role": "user", "content": [reminder, {"type": "text", "text": "Read it.\n", "cache_control": {}}]},
        {"role": "system", "content": "You are a client."},
        CALL,
        result("x = 1\n\n<system-reminder>Careful.</system-reminder>"),
        SAID,
        NEXT,
    )
    assert differences(PLANNED, request) == []
    assert strays(PLANNED, request) == []


@pytest.mark.parametrize(
    "conversation",
    [
        [ASKED, SAID, NEXT],
        [ASKED, CALL, result("x = 2"), SAID, NEXT],
        [ASKED, CALL, RESULT, NEXT],
        [ASKED, SAID, CALL, RESULT, NEXT],
        [ASKED, CALL, RESULT, SAID, {"role": "user", "content": "More."}, NEXT],
        [],
    ],
    ids=["pair-lost", "other-result", "reply-lost", "other-order", "more-words", "nothing"],
)
def test_anything_else_is_a_difference(conversation: list[object]) -> None:
    assert differences(PLANNED, sent(*conversation))


def test_items_are_compared_one_by_one() -> None:
    planned = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Read it."}]}]
    planned += [{"type": "function_call_output", "call_id": "c1", "output": "x = 1", "id": "fco_1"}]
    context = {"type": "input_text", "text": "<environment_context>today</environment_context>"}
    behind = [
        {"type": "message", "role": "user", "content": [context]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": PROMPT}]},
    ]
    assert differences(planned, of_items(*planned, *behind)) == []
    other = {**planned[1], "output": "x = 2", "status": "completed"}
    assert len(differences(planned, of_items(planned[0], other, *behind))) == 1
    assert differences(planned, of_items(planned[0], *behind))
    assert differences(planned, of_items(*reversed(planned), *behind))


GEMINI_CALL = {"functionCall": {"id": "read__read_17_0", "name": "read", "args": {"n": 0}}}
GEMINI_RESULT = {"functionResponse": {"id": "c1", "name": "read", "response": {"output": "x = 1"}}}
CONTENTS = [
    {"role": "user", "parts": [{"text": "Read it."}]},
    {"role": "model", "parts": [{"text": "Hm.", "thought": True}, GEMINI_CALL]},
    {"role": "user", "parts": [GEMINI_RESULT]},
    {"role": "model", "parts": [{"text": "One."}]},
]


def test_contents_are_compared_without_context_seals_and_prompt() -> None:
    named = {"id": "read_17_0", "name": "read", "args": {"n": 0}}
    call = {"functionCall": named, "thoughtSignature": "c2VhbA=="}
    context = {"role": "user", "parts": [{"text": "<session_context>today"}, {"text": "Read it."}]}
    prompt = {"role": "user", "parts": [{"text": PROMPT}]}
    found = [context, {"role": "model", "parts": [call]}, *CONTENTS[2:], prompt]
    assert differences(CONTENTS, Request("contents", {}, tuple(found), 0, None)) == []
    answer = {"id": "c1", "name": "read", "response": {"output": "x = 2"}}
    other = {"functionResponse": answer}
    for wrong in ([*found[:2], {"role": "user", "parts": [other]}, *found[3:]], [*found[:1], *found[3:]], []):
        assert differences(CONTENTS, Request("contents", {}, tuple(wrong), 0, None))


def test_contents_are_found_again_in_chat_messages() -> None:
    function = {"name": "read", "arguments": '{"n": 0}'}
    call = {"id": "read_17_0", "type": "function", "function": function}
    found = [
        {"role": "system", "content": "You are a client."},
        {"role": "user", "content": [{"type": "text", "text": "Read it."}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "x = 1"}]},
        {"role": "assistant", "content": "One."},
        {"role": "user", "content": PROMPT},
    ]
    assert differences(CONTENTS, Request("chat", {}, tuple(found), 0, None)) == []
    less = [*found[:2], found[4], found[5]]
    assert differences(CONTENTS, Request("chat", {}, tuple(less), 0, None))
    other = [*found[:3], {"role": "tool", "tool_call_id": "c1", "content": "x = 2"}, *found[4:]]
    assert len(differences(CONTENTS, Request("chat", {}, tuple(other), 0, None))) == 1


def test_a_conversation_that_is_told_as_one_text_is_a_compaction() -> None:
    said = [{"role": "user", "content": f"Words that nobody says by chance, number {n}."} for n in range(3)]
    told = {"role": "user", "content": f"Sum up: {json.dumps(said)}"}
    summing = sent(told)
    main = sent(NEXT)
    ended = Ended(0, "", "", 0.0)
    assert compacted_first(Resumed(ended, (summing, main)), said)
    assert not compacted_first(Resumed(ended, (sent({"role": "user", "content": "A title?"}), main)), said)


def test_strays_are_what_was_not_planned() -> None:
    assert strays(PLANNED, sent(ASKED, SAID, NEXT)) == []
    assert strays(PLANNED, sent(SAID, ASKED, NEXT))
    assert strays(PLANNED, sent(ASKED, CALL, result("x = 2"), NEXT))


def test_reminders_must_be_said_somewhere() -> None:
    planned = [{"role": "user", "content": "<system-reminder>\nToday.\n</system-reminder>"}]
    assert unsaid_reminders(planned, sent({"role": "system", "content": "It is so: Today. And more."})) == []
    assert unsaid_reminders(planned, sent(ASKED)) == ["Today."]


def test_a_client_reaches_its_model_and_nothing_else(tmp_path: Path) -> None:
    net = network()
    if not isinstance(net, OwnNetwork):
        pytest.skip("this system gives a program no network of its own")
    with MockModel() as outside:
        command = [sys.executable, "-c", VISITOR, net.url, outside.url.rpartition(":")[2]]
        running = net.start(command, {}, tmp_path, tmp_path)
        with MockModel(running.listener) as model:
            ended = running.wait(20)
    assert ended.stdout.split() == ["200", "ConnectionRefusedError", "OSError"], ended
    assert len(model.requests) == 1 and not outside.requests


def test_a_program_that_does_not_end_is_ended(tmp_path: Path) -> None:
    running = network().start(["sleep", "60"], {"PATH": "/usr/bin:/bin"}, tmp_path, tmp_path)
    with running.listener:
        ended = running.wait(0.2)
    assert ended.exit_code is None
    assert running.process.poll() is not None


@pytest.fixture
def fake_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An npm that installs a program of one line; gives the file that lists how it was called."""
    calls = tmp_path / "calls"
    place_npm(tmp_path, calls, view=0)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    monkeypatch.setenv("HANDCOMPACT_CLIENTS_CACHE", str(tmp_path / "cache"))
    return calls


def place_npm(folder: Path, calls: Path, *, view: int) -> None:
    program = folder / "bin" / "npm"
    program.parent.mkdir(exist_ok=True)
    program.write_text(FAKE_NPM.format(calls=calls, view=view), "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def test_two_runs_at_once_install_once(fake_npm: Path) -> None:
    found: list[Path] = []
    runs = [threading.Thread(target=lambda: found.append(npm.install(TOOL))) for _ in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(set(found)) == 1 and found[0].exists()
    assert fake_npm.read_text("utf-8").split() == ["view", "install"]


def test_a_registry_that_does_not_answer_is_a_reason(fake_npm: Path, tmp_path: Path) -> None:
    place_npm(tmp_path, fake_npm, view=1)
    with pytest.raises(Unavailable, match=r"some-tool@1\.2\.3: npm view failed"):
        npm.install(TOOL)


def test_no_npm_is_a_reason(fake_npm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake_npm.parent / "nowhere"))
    with pytest.raises(Unavailable, match="there is no npm"):
        npm.install(TOOL)


@pytest.mark.parametrize("have", [(20, 20), (0, 0)])
def test_a_client_that_needs_a_newer_node_gets_one_of_its_own(
    fake_npm: Path, monkeypatch: pytest.MonkeyPatch, have: tuple[int, int]
) -> None:
    monkeypatch.setattr(npm, "_node_version", lambda: have)
    monkeypatch.setattr(npm, "_node", lambda: Package("node-here", "1.2.3", "tool"))
    picky = Package("some-tool", "1.2.3", "tool", node=(22, 19))
    program = npm.install(picky)
    first, _, rest = npm.search_path(picky, "/usr/bin").partition(":")
    assert rest == "/usr/bin" and "node-here" in first and "some-tool" in str(program)
    assert npm.search_path(TOOL, "/usr/bin") == "/usr/bin"


def test_a_node_that_is_new_enough_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npm, "_node_version", lambda: (22, 19))
    assert npm.search_path(Package("some-tool", "1.2.3", "tool", node=(22, 19)), "/usr/bin") == "/usr/bin"
