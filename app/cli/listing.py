"""`handcompact list`: the sessions on this machine."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from app.cli.command import DONE, add_json
from app.cli.output import columns, say, say_json
from app.discovery.folders import discover
from app.discovery.found_session import FoundSession
from app.display import human_age, human_bytes, one_line, short_number
from app.running import Running, running


class List:
    """Lists the sessions of the agents on this machine, newest first, samples last."""

    name = "list"
    summary = "list the sessions on this machine, newest first"

    def configure(self, parser: ArgumentParser) -> None:
        parser.add_argument("--limit", type=int, default=None, metavar="N", help="only the newest N")
        add_json(parser)

    def run(self, args: Namespace) -> int:
        found = discover(args.limit)
        at_work = running()
        if args.json:
            say_json(
                {
                    "sessions": [_as_json(session, at_work) for session in found.sessions],
                    "looked_in": [
                        {"agent": shelf.agent, "folder": str(shelf.folder), "found": shelf.found}
                        for shelf in found.shelves
                    ],
                }
            )
            return DONE
        now = time.time()
        say(*columns((_row(session, now) for session in found.sessions), right=frozenset({1, 2, 3})))
        for session in found.sessions:
            if users := at_work.on(session.name):
                say(f"! in use: {session.path}: {', '.join(users)}")
        for shelf in found.shelves:
            say(f"Looked in {shelf.folder} ({shelf.agent}): {shelf.found} sessions")
        return DONE


def _row(session: FoundSession, now: float) -> tuple[str, ...]:
    age = "" if session.is_sample else human_age(now - session.modified)
    tokens = "" if session.tokens is None else short_number(session.tokens)
    title = one_line(session.title, 48).rstrip()
    return (
        session.agent,
        age,
        human_bytes(session.size) if session.size else "",
        tokens,
        title,
        str(session.path),
    )


def _as_json(session: FoundSession, at_work: Running) -> dict[str, object]:
    return {
        "path": str(session.path),
        "agent": session.agent,
        "project": session.project,
        "title": session.title,
        "modified": session.modified,
        "size": session.size,
        "tokens": session.tokens,
        "messages": session.messages,
        "messages_estimated": session.about,
        "subagents": session.subagents,
        "at_work": list(at_work.on(session.name)),
    }
