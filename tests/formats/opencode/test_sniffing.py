"""opencode's exports are told from other documents by their content."""

from __future__ import annotations

import json

import pytest

from app.formats.source import BytesSource
from tests.formats.opencode.records import FORMAT, assistant, document, user


@pytest.mark.parametrize("indent", [None, 2])
def test_its_own_are_known(indent: int | None) -> None:
    for value in (document(user("Hi."), assistant("Hello.")), document()):
        assert FORMAT.sniff(BytesSource(json.dumps(value, indent=indent).encode()))
    data = json.dumps(document(user("Hi."), assistant("Hello.")), indent=indent).encode()
    assert FORMAT.sniff(BytesSource(data[: data.index(b"Hello")]))


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [{"role": "user", "content": "Hi."}]},
        {"info": {"model_stats": {}}, "messages": [{"role": "user", "content": "Hi."}]},
        {"info": {"id": "x"}, "messages": []},
        {"sessionId": "x", "projectHash": "y", "messages": []},
        [{"info": {}, "parts": []}],
        7,
    ],
)
def test_others_are_not(value: object) -> None:
    assert not FORMAT.sniff(BytesSource(json.dumps(value, indent=2).encode()))
