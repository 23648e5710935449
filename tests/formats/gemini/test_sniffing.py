"""Gemini CLI's files are told from others by their content."""

from __future__ import annotations

import json

import pytest

from app.formats.source import BytesSource
from tests.formats.gemini.records import FORMAT, began, header, lines, message, patch, rewind, user

DOCUMENT = {**header(), "messages": [user("Hi.")]}


@pytest.mark.parametrize(
    "data",
    [
        lines(header()),
        lines(user("Hi.")),
        lines(message("i", "info", "x")),
        lines(began(user("Hi."))),
        lines(patch(summary="x")),
        lines(rewind("u")),
        b"\xef\xbb\xbf" + lines(header()),
        b'{"id":"torn\n' + lines(user("Hi.")),
        json.dumps(DOCUMENT, indent=2).encode(),
        json.dumps(DOCUMENT).encode(),
        json.dumps(DOCUMENT, indent=2).encode()[:-20],
    ],
)
def test_its_own_are_known(data: bytes) -> None:
    assert FORMAT.sniff(BytesSource(data))


@pytest.mark.parametrize(
    "value",
    [
        {"type": "user", "uuid": "1", "parentUuid": None, "message": {"role": "user", "content": "Hi."}},
        {"type": "session", "version": 3, "id": "1", "timestamp": "x", "cwd": "/"},
        {"type": "message", "id": "1", "parentId": None, "timestamp": "x", "message": {"role": "user"}},
        {"role": "user", "parts": [{"text": "Hi."}]},
        {"messages": [{"role": "user", "content": "Hi."}]},
        {"info": {"id": "ses_1"}, "messages": [{"info": {"id": "msg_1"}, "parts": []}]},
        {"sessionId": "1", "messages": []},
        [user("Hi.")],
        7,
    ],
)
def test_others_are_not(value: object) -> None:
    assert not FORMAT.sniff(BytesSource(json.dumps(value).encode() + b"\n"))
