"""Everything the program knows of a session, as one JSON object: the contract of `report --json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from app.formats import format_named
from app.model import Author, Notice, SendStatus, Session, Text, blocks_of
from app.secrets import count_secrets
from app.validity.pairs import PairIndex
from app.work.rows import BlockRow
from app.work.workspace import Workspace


def report(workspace: Workspace) -> dict[str, Any]:
    """The report of an open session. Figures are those of the workspace's counter as it stands.

    Strings that look like keys are told where the workspace examined the session.
    """
    return {
        **_shape(workspace),
        **_figures(workspace),
        "rows": _rows(workspace),
    }


def _shape(workspace: Workspace) -> dict[str, Any]:
    session = workspace.session
    facts = session.facts
    pairs = PairIndex(session.live)
    live = list(blocks_of(session.live))
    notices = (*session.notices, *secret_notices(workspace))
    turns = {m.key for m, b in live if isinstance(b, Text) and b.author is Author.USER}
    return {
        "source": session.name,
        "format": session.format,
        "records": facts.records,
        "bad_lines": list(facts.bad_lines),
        "conversation": facts.conversation,
        "messages": facts.messages,
        **({"items": facts.messages} if sent_unit(session) == "items" else {}),
        "tool_pairs": pairs.tool_pairs if facts.strict_pairs is None else facts.strict_pairs,
        "server_pairs": pairs.server_pairs,
        "legacy_pairs": pairs.legacy_pairs,
        "open_calls": list(pairs.open_call_ids),
        "orphan_results": list(pairs.orphan_result_ids),
        "missing_parents": list(facts.missing_parents),
        "branches": facts.branches,
        "leaves": [
            {"key": leaf.key, "messages": leaf.messages, "time": leaf.time, "preview": leaf.preview}
            for leaf in session.leaves
        ],
        "sidechain_records": facts.sidechain_records,
        "hidden_bytes": facts.hidden_bytes,
        "boundaries": len(session.boundaries),
        "user_turns": len(turns),
        "summaries": [
            b.content.read() for _, b in live if isinstance(b, Text) and b.author is Author.SUMMARY
        ],
        "session_id": session.session_id,
        "title": session.title,
        "model": session.model,
        "warnings": list(dict.fromkeys(notice.word for notice in notices)),
        "notices": [
            {"word": notice.word, "line": notice.line, "detail": notice.detail} for notice in notices
        ],
    }


def sent_unit(session: Session) -> str:
    """The unit the provider's requests consist of, used in the facts: `messages` or `items`."""
    return "items" if format_named(session.format).validity == "openai-responses" else "messages"


def secret_notices(workspace: Workspace) -> Iterator[Notice]:
    """One notice that says how many strings of an examined session look like keys, if any does."""
    if workspace.secrets is None:
        return
    if found := workspace.secrets + count_secrets(workspace.session.title or ""):
        yield Notice("secret-like", None, f"{found} strings look like keys or passwords")


def live_rows(workspace: Workspace) -> list[BlockRow]:
    """The rows of the live segment."""
    return [row for row in workspace.rows if row.message.standing is SendStatus.LIVE]


def _figures(workspace: Workspace) -> dict[str, Any]:
    session = workspace.session
    verdicts: Counter[str] = Counter()
    for row in live_rows(workspace):
        verdicts[str(row.verdict)] += workspace.block_tokens(row.block)
    usage, last = session.usage, session.last_usage
    return {
        "estimator": workspace.estimator.describe(),
        "calibration": _calibration(workspace),
        "counted_share": round(workspace.counted_share, 4),
        "window_tokens": workspace.window_tokens,
        "tokens": {
            "live": workspace.tokens(session.live),
            "all": workspace.tokens(session.messages),
            "by_verdict": dict(verdicts),
        },
        "usage": {
            "reported_usage": None
            if usage is None
            else {
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cache_read_input_tokens": usage.cache_read_tokens,
                "cache_creation_input_tokens": usage.cache_creation_tokens,
            },
            "context_now": None if last is None else last.context + last.output_tokens,
        },
    }


def _calibration(workspace: Workspace) -> dict[str, Any] | None:
    """What the recorded usage says of the estimate; None where there is too little of it."""
    found = workspace.calibration
    if not found.calibrated:
        return None
    return {
        "factor": round(found.factor, 4),
        "spread": round(found.spread, 4),
        "replies": found.increments,
        "unseen_tokens": found.overhead,
    }


def _rows(workspace: Workspace) -> list[dict[str, Any]]:
    return [
        {
            "message": row.number,
            "block": row.place,
            "key": row.key,
            "role": str(row.message.role),
            "kind": row.block.kind,
            "tool": row.tool or None,
            "path": row.path or None,
            "tokens": workspace.block_tokens(row.block),
            "verdict": str(row.verdict),
            "reason": row.reason,
            "states": list(row.states),
        }
        for row in workspace.rows
    ]
