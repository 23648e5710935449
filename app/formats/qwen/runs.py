"""Handling consecutive replies: the client sends none of a run if one is unsound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.formats.contents.forms import ROLES
from app.formats.qwen.nodes import Node
from app.formats.tree_rows import Row
from app.model import Role

REPLY = ROLES[Role.ASSISTANT]


def without_broken(
    path: Sequence[Row[Node]], start: int, wanted: Mapping[Row[Node], str], before: str | None
) -> list[Row[Node]]:
    """The path without unsent replies that would now be adjacent to a `wanted` one.

    They stay in the file, off the path. `wanted` maps every sent row to its role; `before` is the role of
    the content before the row at `start`.
    """
    broken: set[Row[Node]] = set()
    run: list[Row[Node]] = []
    is_sent = before == REPLY
    for row in path[start:]:
        if row not in wanted:
            if row.node is not None and row.node.talk and row.node.role is Role.ASSISTANT:
                run.append(row)
            continue
        if wanted[row] == REPLY:
            is_sent = True
            continue
        if is_sent:
            broken.update(run)
        run, is_sent = [], False
    if is_sent:
        broken.update(run)
    return [row for row in path if row not in broken]
