"""Each rule of each provider by the shortest conversation that breaks it, and near misses that break none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from app.validity import CHECKERS, RULES, Certainty, Options, check
from tests.validity.made import paired, table

MADE_IN_PYTHON = {"anthropic.image-size", "anthropic.image-count", "anthropic.request-size"}
"""Rules about size: see test_images and test_anthropic."""


def _broken() -> Iterator[Any]:
    for validity in CHECKERS:
        for i, entry in enumerate(table(f"{validity}-broken")):
            yield pytest.param(validity, entry, id=f"{validity}-{i}-{entry['rule']}")


def _valid() -> Iterator[Any]:
    for validity in CHECKERS:
        for entry in table(f"{validity}-valid"):
            yield pytest.param(validity, entry["messages"], id=f"{validity}-{entry['what']}")


@pytest.mark.parametrize(("validity", "entry"), list(_broken()))
def test_a_broken_rule_is_named_alone_and_where_it_is_broken(validity: str, entry: dict[str, Any]) -> None:
    options = dict(entry.get("options", {}))
    if "before" in entry:
        options["before"] = paired(entry["before"])
    found = check(validity, paired(entry["messages"]), Options(**options))
    assert [(v.rule, v.where) for v in found] == [(entry["rule"], where) for where in entry["where"]]
    assert all(_names_its_message(v.where, v.key) for v in found)


@pytest.mark.parametrize(("validity", "messages"), list(_valid()))
def test_near_misses_are_valid(validity: str, messages: list[Any]) -> None:
    assert check(validity, paired(messages)) == []


def test_every_rule_is_broken_by_some_conversation() -> None:
    shown = {entry["rule"] for validity in CHECKERS for entry in table(f"{validity}-broken")}
    assert shown | MADE_IN_PYTHON == set(RULES)


def test_every_rule_says_what_is_wrong_in_a_line_and_where_it_was_learnt() -> None:
    for name, rule in RULES.items():
        assert rule.name == name
        assert rule.level in Certainty
        assert rule.text and "\n" not in rule.text and not rule.text.endswith(".")
        assert any(sign in rule.source for sign in ("#", "docs", "RFC", "recorded"))


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no rules named 'nobody'; available: anthropic, gemini"):
        check("nobody", [])


def _names_its_message(where: str, key: str) -> bool:
    return key == "" if where == "messages" else where.startswith(f"messages[{key.removeprefix('k')}]")
