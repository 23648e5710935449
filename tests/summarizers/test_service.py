"""Both services' own libraries against a service on loopback: what is sent, and what comes of each answer."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError, Stopped, SummaryFailed
from app.summarizers import SummaryRequest, service
from app.summarizers.model import obtain, summary_request
from app.summarizers.provider import Provider
from tests.build import conversation, user
from tests.summarizers.served import EVENTS, Answer, Handler, Served, hold, serving, status, stream

pytest.importorskip("anthropic")
pytest.importorskip("openai")

KEY = "sk-test-0123456789abcdef"
REQUEST = SummaryRequest("Summarise it.", f"<log>\n{'Long talk. ' * 60}\n</log>")
KINDS = pytest.mark.parametrize("kind", ["anthropic", "openai"])


def provider(kind: str, served: Served, **more: Any) -> Provider:
    named = {"base_url": served.url, "key_variable": "OUR_KEY", "env": {"OUR_KEY": f"{KEY}\n"}, **more}
    return Provider(kind, model="m-1", **named)


def asked(kind: str, answer: Answer, **more: Any) -> tuple[str, Served]:
    """The answer of a service, and what it was asked."""
    with serving(answer) as served:
        return obtain(REQUEST, provider(kind, served, **more).ask(), allowed=True), served


def failure(kind: str, answer: Answer, **more: Any) -> str:
    """The line that says what went wrong; it is one, and holds no key."""
    with pytest.raises(SummaryFailed) as caught:
        asked(kind, answer, **more)
    line = str(caught.value)
    assert "\n" not in line and KEY not in line and len(line) < 500
    return line


@KINDS
def test_what_is_sent_is_what_was_shown_and_the_key_of_the_settings(kind: str) -> None:
    request = summary_request(conversation(user("Fix it. 修复 \ud83d \U0001f600" + " more" * 100)), 80_000)
    with serving(stream(*EVENTS[kind]("The goal", " is 修复."))) as served:
        answer = obtain(request, provider(kind, served).ask(), allowed=True)
    assert answer == "The goal is 修复."
    [body], [headers] = served.bodies, served.headers
    texts = [body["system"]] if kind == "anthropic" else []
    texts += [message["content"] for message in body["messages"]]
    assert "\n\n".join(texts) == request.prompt and "\ufffd" in request.prompt
    assert set(body) <= {"model", "max_tokens", "system", "messages", "stream"} and body["model"] == "m-1"
    assert KEY in (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer "))
    assert len(served.bodies) == 1


@KINDS
def test_progress_is_told_while_it_answers(kind: str) -> None:
    told: list[int] = []
    with serving(stream(*EVENTS[kind]("abc", "de", "fgh"))) as served:
        ask = provider(kind, served).ask(told=told.append)
        assert obtain(REQUEST, ask, allowed=True) == "abcdefgh"
    assert sorted(set(told)) == [0, 3, 5, 8] and told == sorted(told)


def whole_of(kind: str, text: str) -> dict[str, Any]:
    if kind == "anthropic":
        return {"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}


@KINDS
def test_a_service_that_knows_no_streams_is_understood(kind: str) -> None:
    assert asked(kind, status(200, whole_of(kind, "All done.")))[0] == "All done."


@KINDS
@pytest.mark.parametrize("sent", [0, 3])
def test_stopping_closes_the_connection_at_once(kind: str, sent: int) -> None:
    never = stream(*EVENTS[kind](*["abc"] * sent, end=None, stop=False), hang=True) if sent else hold
    with serving(never) as served:
        stop = threading.Event()

        def press_escape() -> None:
            served.came.wait(5)
            stop.set()

        threading.Thread(target=press_escape, daemon=True).start()
        began = time.monotonic()
        with pytest.raises(Stopped, match="was stopped"):
            obtain(REQUEST, provider(kind, served).ask(stop.is_set), allowed=True)
        assert served.closed.wait(2)
        assert time.monotonic() - began < 4 and len(served.bodies) == 1


@KINDS
def test_a_service_that_never_answers_is_left_after_its_time(kind: str) -> None:
    with serving(hold) as served:
        with pytest.raises(SummaryFailed, match=r"no complete answer within 0\.3 seconds"):
            obtain(REQUEST, provider(kind, served, timeout_seconds=0.3).ask(), allowed=True)
        assert served.closed.wait(2)


ERRORS: list[tuple[Answer, str]] = [
    (
        status(401, {"type": "error", "error": {"message": f"no such key: {KEY}"}}),
        "does not accept the key in OUR_KEY (401): no such key: (the key)",
    ),
    (status(403, {"error": "not yours"}), "does not accept the key in OUR_KEY (403): not yours"),
    (
        status(404, {"error": {"message": "model m-1 not found"}}),
        "knows no model m-1, or no address /v1/",
    ),
    (status(404), "(404): no message"),
    (
        status(429, {"error": {"message": "slow down"}}, retry_after="17"),
        "asks to wait 17 seconds (429): slow down",
    ),
    (status(429, {"message": "slow down"}), "asks to wait (429): slow down"),
    (status(429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), "until Wed, 21 Oct 2026 07:28:00 GMT"),
    (status(500, b"<html>Bad Gateway</html>"), "failed on its side (500): try again later: a web page"),
    (status(529, {"error": {"message": "Overloaded"}}), "failed on its side (529): try again later: Over"),
    (
        status(400, {"error": {"message": "prompt is too long: 300000 tokens > 200000 maximum"}}),
        "set a lower input_chars: prompt is too long: 300000",
    ),
    (status(400, {"error": {"message": "bad\n\nmodel " + "x" * 5000}}), "(400): bad model xxx"),
    (
        status(307, location="https://elsewhere.example/v1"),
        "redirects to https://elsewhere.example/v1 (307), and nothing was sent there",
    ),
    (status(200, b"<html>Hello</html>"), "it sent a web page"),
    (status(200, b"<html"), "it sent a web page"),
    (status(200, b"{"), "is not an answer"),
    (status(200, []), "sent no answer"),
    (stream("event: message_start\ndata: {nonsense\n\n"), "is not an answer"),
    (stream("data: 42\n\n", "data: [1]\n\n"), "answer"),
    (stream("nothing of the kind\n\n" * 9), "sent no answer"),
    (stream(), "sent no answer"),
]


@KINDS
@pytest.mark.parametrize(("answer", "words"), ERRORS, ids=[words[:30] for _, words in ERRORS])
def test_each_failure_is_one_line_and_is_not_tried_again(kind: str, answer: Answer, words: str) -> None:
    with serving(answer) as served:
        with pytest.raises(SummaryFailed) as caught:
            obtain(REQUEST, provider(kind, served).ask(), allowed=True)
        line = str(caught.value)
        assert words in line and "\n" not in line and KEY not in line and len(line) < 500
        assert len(served.bodies) == 1


@KINDS
@pytest.mark.parametrize(
    ("texts", "options", "words"),
    [
        (["abcdef"], {"end": None, "stop": False}, "broke off after 6 characters"),
        ([], {}, "answer is empty"),
        ([" \n"], {}, "answer is empty"),
        (["x" * 400, "y" * 400], {}, "is not shorter than the 673 that it was made from"),
    ],
)
def test_an_answer_that_is_none_changes_nothing(
    kind: str, texts: list[str], options: dict[str, Any], words: str
) -> None:
    assert words in failure(kind, stream(*EVENTS[kind](*texts, **options)))


@KINDS
def test_an_answer_that_is_cut_off_says_so(kind: str) -> None:
    cut = {"anthropic": "max_tokens", "openai": "length"}[kind]
    line = failure(kind, stream(*EVENTS[kind]("abc", end=cut)))
    assert f"cut off after 3 characters, at the limit of output tokens ({cut})" in line
    broken = failure(kind, stream(*EVENTS[kind]("abc", end=None, stop=False), cut=True))
    assert "broke off after 3 characters" in broken
    other = {"anthropic": "refusal", "openai": "content_filter"}[kind]
    assert f"for another reason: {other}" in failure(kind, stream(*EVENTS[kind]("a", end=other)))


@KINDS
def test_an_error_in_the_middle_is_told_in_the_services_words(kind: str) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    line = failure(kind, stream(*EVENTS[kind]("abc", end=None, stop=False), error))
    assert "broke off with an error after 3 characters: Overloaded" in line


@KINDS
def test_an_endless_answer_is_not_read_to_its_end(kind: str) -> None:
    events = EVENTS[kind](*["z" * 200] * 50, end=None, stop=False)
    with serving(stream(*events, hang=True)) as served:
        with pytest.raises(SummaryFailed, match="is not shorter"):
            obtain(REQUEST, provider(kind, served).ask(), allowed=True)
        assert served.closed.wait(2)


@KINDS
def test_what_has_no_end_and_no_sense_is_left(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_BYTES", 1 << 20)

    def babble(handler: Handler, served: Served) -> None:
        stream(hang=False, cut=True)(handler, served)
        while not served.closed.is_set():
            handler.wfile.write(b"4000\r\n" + b"x" * 0x4000 + b"\r\n")

    with serving(babble) as served:
        with pytest.raises(SummaryFailed, match=r"sent more than 1\.0 MiB without an end"):
            obtain(REQUEST, provider(kind, served).ask(), allowed=True)
        assert served.closed.wait(2)


@KINDS
def test_an_interrupt_closes_the_connection(kind: str) -> None:
    with serving(hold) as served:

        def interrupt() -> bool:
            if served.came.is_set():
                raise KeyboardInterrupt
            return False

        with pytest.raises(KeyboardInterrupt):
            obtain(REQUEST, provider(kind, served).ask(interrupt), allowed=True)
        assert served.closed.wait(2)


@KINDS
def test_nobody_there_is_told_at_once(kind: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = failure_at(kind, f"http://127.0.0.1:{port}")
    assert f"127.0.0.1:{port} cannot be reached: " in line and "refused" in line
    assert "cannot be reached" in failure_at(kind, "http://nowhere.invalid")


def failure_at(kind: str, url: str) -> str:
    ours = Provider(kind, model="m", base_url=url, key_variable="OUR_KEY", env={"OUR_KEY": KEY})
    with pytest.raises(SummaryFailed) as caught:
        obtain(REQUEST, ours.ask(), allowed=True)
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "path", "asked_at"),
    [
        ("anthropic", "", "/v1/messages"),
        ("anthropic", "/", "/v1/messages"),
        ("anthropic", "/v1", "/v1/messages"),
        ("anthropic", "/v1/", "/v1/messages"),
        ("anthropic", "/v1/messages", "/v1/messages"),
        ("anthropic", "/proxy/v1", "/proxy/v1/messages"),
        ("openai", "", "/v1/chat/completions"),
        ("openai", "/", "/chat/completions"),
        ("openai", "/v1", "/v1/chat/completions"),
        ("openai", "/v1/", "/v1/chat/completions"),
        ("openai", "/v1/chat/completions", "/v1/chat/completions"),
        ("openai", "/api/v3", "/api/v3/chat/completions"),
    ],
)
def test_an_address_can_be_named_in_every_usual_way(kind: str, path: str, asked_at: str) -> None:
    with serving(stream(*EVENTS[kind]("Done."))) as served:
        ours = provider(kind, served, base_url=served.url + path)
        assert obtain(REQUEST, ours.ask(), allowed=True) == "Done."
    assert served.paths == [asked_at]


@KINDS
def test_the_environment_cannot_send_it_elsewhere(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(stream(*EVENTS[kind]("Wrong."))) as other, serving(stream(*EVENTS[kind]("Right."))) as ours:
        for name in ("HTTP_PROXY", "ALL_PROXY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
            monkeypatch.setenv(name, other.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another-secret")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "another-secret")
        monkeypatch.setenv("OPENAI_API_KEY", "another-secret")
        assert obtain(REQUEST, provider(kind, ours).ask(), allowed=True) == "Right."
        assert not other.paths and "another-secret" not in json.dumps(ours.headers)
        keyless = provider(kind, ours, key_variable="")
        assert obtain(REQUEST, keyless.ask(), allowed=True) == "Right."
        assert "another-secret" not in json.dumps(ours.headers[1])


@KINDS
def test_a_proxy_is_used_and_told(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(stream(*EVENTS[kind]("Done."))) as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:secret@127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        ours = provider(kind, proxy, base_url="http://model.test:9/v1")
        assert ours.place == f"m-1 at model.test:9, through the proxy 127.0.0.1:{proxy.port}, not encrypted"
        assert obtain(REQUEST, ours.ask(), allowed=True) == "Done."
        assert proxy.paths[0].startswith("http://model.test:9/v1/")
        monkeypatch.setenv("no_proxy", "model.test")
        assert "proxy" not in ours.place


@KINDS
def test_the_key_stands_in_no_log_and_no_form_of_the_provider(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(stream(*EVENTS[kind]("Done."))) as served:
        ours = provider(kind, served)
        obtain(REQUEST, ours.ask(), allowed=True)
    assert KEY not in caplog.text and KEY not in repr(ours) and KEY not in ours.place


@pytest.mark.parametrize("key", ["", "  ", "two words", "schlüssel", "a\nb"])
def test_what_can_be_no_key_is_told_without_it(key: str, tmp_path: Path) -> None:
    ours = Provider("openai", model="m", key_variable="OUR_KEY", env={"OUR_KEY": key})
    with pytest.raises(InputError, match="OUR_KEY") as caught:
        ours.ask()
    assert not key.strip() or key not in str(caught.value)
