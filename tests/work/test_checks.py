"""Whose fault a broken rule is, told from what stands around it alone, and what has to be mended there."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.formats import format_named, open_session
from app.formats.anthropic_repairs import mend_anthropic
from app.formats.base import Rewrite
from app.formats.claude_code.request import drafts_of
from app.formats.claude_code.transcript import transcript_of
from app.formats.repairs import UNREAD
from app.formats.responses.repairs import mend_responses
from app.formats.segments import stretches
from app.model import Message, Session
from app.validity import Options, check, compare, is_near
from app.work.checks import RuleBook
from tests.validity.made import call, paired, result, text, thinking
from tests.validity.subjects import files

FILES = {file.name: file for file in files() if file.stat().st_size}


def torn(session: Session, seed: int) -> tuple[Message, ...]:
    """The live messages with some blocks and messages taken out, whatever that breaks."""
    chance = random.Random(seed)
    kept = [message for message in session.live if chance.random() > 0.05]
    return tuple(
        replace(message, blocks=tuple(block for block in message.blocks if chance.random() > 0.15))
        for message in kept
    )


def conversations(session: Session) -> Iterator[Sequence[Message]]:
    yield session.live
    yield session.live[:-1]
    yield from (torn(session, seed) for seed in range(4))


@pytest.mark.parametrize("name", FILES)
def test_whose_fault_it_is_is_told_as_if_all_of_the_session_were_checked(name: str) -> None:
    session, _ = open_session(FILES[name])
    kind = format_named(session.format)
    before = list(kind.request(session, session.live))
    for messages in conversations(session):
        known = Options(before=before)
        after = check(kind.validity, kind.request(session, messages), known)
        whole = compare(check(kind.validity, before), after)
        found = RuleBook(session).faults(messages)
        assert found.already_broken == whole.already_broken
        assert found.broken_by_edit == whole.broken_by_edit


@pytest.mark.parametrize("name", FILES)
def test_repairs_near_the_faults_are_all_repairs(name: str) -> None:
    session, _ = open_session(FILES[name])
    if session.format == "claude-code":
        records = transcript_of(session)
        for messages in conversations(session):
            places = RuleBook(session).faults(messages).places
            whole = drafts_of(records, Rewrite(tuple(messages)))
            near = drafts_of(records, Rewrite(tuple(messages), faulty=places))
            assert near[0] == whole[0]
            assert near[1].repairs == whole[1].repairs
    elif format_named(session.format).validity == "openai-responses":
        for messages in conversations(session):
            pairs = list(format_named(session.format).request(session, messages))
            if RuleBook(session).faults(messages).places == frozenset():
                assert not mend_responses(partial(iter, pairs)).needed


BLOCKS = st.sampled_from(
    [
        text("hi"), text(""), text("end "), text(" \n"), call("a"), call("b"), call("c"), result("a"),
        result("b"), result("c"), thinking("hm", "s"), thinking("", "s"), thinking("hm", ""), "words", 7,
        {"type": "tool_result", "tool_use_id": "a", "content": [text(""), call("d")]},
        {"type": "tool_result", "tool_use_id": "b", "content": None},
        {"type": "tool_result", "tool_use_id": "c", "is_error": True, "content": [{"type": "image"}]},
        {"type": "tool_use", "id": "e", "name": "a b", "input": 3},
        {"type": "server_tool_use", "id": "s", "name": "web", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
        {"type": "hologram"}, text("\ud800"), {**text("x"), "n": math.nan},
        {**text("x"), "cache_control": {"type": "ephemeral"}}, {**text(""), "cache_control": {}},
    ]
)  # fmt: skip
MESSAGES = st.lists(
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["user", "assistant", "user", "assistant", "system"]),
        st.lists(BLOCKS, max_size=3) | st.sampled_from(["words", "", "end "]),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(MESSAGES)
def test_what_stands_far_from_a_fault_needs_no_look(messages: list[dict[str, Any]]) -> None:
    pairs = list(paired(messages))
    found = check("anthropic", pairs)
    if not all(is_near(violation.rule) for violation in found):
        return
    places = [int(violation.key[1:]) for violation in found]
    around = stretches([message["role"] == "assistant" for message in messages], places)
    looked_at = {place for part in around for place in part}
    partly = [(key, said if n in looked_at else UNREAD) for n, (key, said) in enumerate(pairs)]
    whole, near = mend_anthropic(lambda: iter(pairs)), mend_anthropic(lambda: iter(partly))
    assert near.repairs == whole.repairs and near.touched == whole.touched and near.made == whole.made
    for one, other in zip(near.run(), whole.run(), strict=True):
        assert one == other or (one.message is UNREAD and not other.touched)
