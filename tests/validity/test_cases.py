"""The bug-report cases: what their sidecars say about the input is what the checkers say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.validity import Options, check, errors
from tests.validity.made import DATA, paired

VALIDITY = {
    "anthropic-messages": "anthropic",
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "gemini": "gemini",
}


def cases() -> list[Any]:
    """Path of the sidecar and its content, of every case in a form that the checkers know."""
    sidecars = sorted((DATA / "cases").glob("*.expect.json"))
    read = ((path, json.loads(path.read_text("utf-8"))) for path in sidecars)
    return [pytest.param(path, case, id=case["id"]) for path, case in read if case["format"] in VALIDITY]


def messages_of(path: Path, case: dict[str, Any]) -> list[Any]:
    """The messages of a case whose sidecar is `path`, with its long texts made."""
    content = path.with_name(case["file"]).read_text("utf-8")
    for step in case.get("expand", ()):
        content = content.replace(step["token"], step["unit"] * step["times"])
    document = json.loads(content)
    messages: list[Any] = document["messages"] if isinstance(document, dict) else document
    return messages


@pytest.mark.parametrize(("path", "case"), cases())
def test_a_case_breaks_the_rules_that_its_sidecar_names(path: Path, case: dict[str, Any]) -> None:
    expected = case["expect"]["resume"]
    options = Options(**case.get("validity_options", {}))
    found = check(VALIDITY[case["format"]], paired(messages_of(path, case)), options)
    broken = {violation.rule for violation in errors(found)}
    assert broken == set(expected["input_rules"])
    assert (not broken) is expected["input_valid"]
    assert set(expected.get("input_risks", ())) <= {violation.rule for violation in found}
