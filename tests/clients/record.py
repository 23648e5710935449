"""What came of each kind of edit in each agent, as the tests found it, and as a table for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from tests.clients.edits import EDITS
from tests.clients.pinned import PINNED

FILE: Final = Path(__file__).with_name("record.json")
"""Written by the tests where `UPDATE_CLIENTS_RECORD` is set."""

BEGIN: Final = "<!-- edits x agents, by python -m tests.clients --write app/cli/REFERENCE.md -->"
END: Final = "<!-- end -->"

Record: TypeAlias = dict[str, dict[str, bool]]
"""Edit -> agent with its version -> whether all its tests passed."""


def load() -> Record:
    """The record as it was committed."""
    record: Record = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return record


def update(found: Mapping[tuple[str, str], bool]) -> None:
    """Write what was found into the record; what was not tried stays, versions that are not pinned go."""
    known = load()
    for (edit, agent), passed in found.items():
        known.setdefault(edit, {})[agent] = passed
    agents = [str(one.agent) for one in PINNED]
    kept = {
        name: {agent: known[name][agent] for agent in agents if agent in known[name] and edit.is_for(agent)}
        for name, edit in EDITS.items()
        if name in known
    }
    FILE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def table() -> str:
    """The record as a table in Markdown: `ok`, `fails`, or a dash where there is nothing to do."""
    return "\n".join(_lines(load()))


def _lines(record: Record) -> Iterator[str]:
    agents = [str(one.agent) for one in PINNED]
    yield _row("edit", agents)
    yield _row("---", ["---"] * len(agents))
    for name, edit in EDITS.items():
        if name in record:
            yield _row(edit.told, [_cell(record[name].get(agent)) for agent in agents])


def _row(first: str, others: list[str]) -> str:
    return f"| {' | '.join((first, *others))} |"


def _cell(passed: bool | None) -> str:
    return "–" if passed is None else "ok" if passed else "fails"


def written_into(text: str) -> str:
    """A text with the table between its two marks; raises ValueError for one without them."""
    before, begin, rest = text.partition(BEGIN)
    _, end, behind = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the text lacks {BEGIN} or, behind it, {END}")
    return f"{before}{BEGIN}\n{table()}\n{END}{behind}"
