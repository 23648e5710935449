"""Matches tool names against a stage's list: exact names, patterns, and other agents' names."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from app.compactability.tools import tool_kind
from app.stages.base import Context, option


def aliases_option() -> Any:
    """The option that goes with a list of tools."""
    about = "also match these tools by other agents' names; auto: in sessions of other agents"
    return option("auto", about, choices=("auto", "on", "off"))


def is_listed(name: str, tools: tuple[str, ...], aliases: str, context: Context) -> bool:
    """Whether a tool is on a list; `*` matches any ending, and alone every tool.

    Names are case-sensitive. Another agent's name for a listed tool matches with `aliases` on, or with auto
    if the session calls no tool by a listed name.
    """
    return _is_listed(name, tools, aliases, context.tool_names)


@lru_cache(maxsize=4096)
def _is_listed(name: str, tools: tuple[str, ...], aliases: str, names: frozenset[str]) -> bool:
    if _matches(name, tools):
        return True
    if aliases == "off" or (aliases == "auto" and not _is_foreign(names, tools)):
        return False
    kinds = {tool_kind(tool) for tool in tools if "*" not in tool}
    return tool_kind(name) in kinds - {None}


def _is_foreign(names: frozenset[str], tools: tuple[str, ...]) -> bool:
    exact = {tool for tool in tools if "*" not in tool}
    return bool(names) and names.isdisjoint(exact)


def _matches(name: str, tools: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in tools)
