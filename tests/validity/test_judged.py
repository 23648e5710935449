"""Another checker, written by others from the same public sources, judged these conversations alike.

`tests/data/validity/judged.json` holds its answers: of each conversation as it is every rule that it found
broken, risks too, and of what each preset makes of a sample those that a provider refuses.
"""

from __future__ import annotations

import json
from typing import Final

import pytest

from app.validity import Options, check, errors
from tests.validity.made import DATA
from tests.validity.subjects import as_it_is, files, through_presets

JUDGED: Final[dict[str, dict[str, list[str]]]] = json.loads((DATA / "validity" / "judged.json").read_bytes())
AS_IT_IS: Final = "as it is"

KNOWN: Final = {file.name: file for file in files() if file.name in JUDGED}
SAMPLES: Final = [name for name in KNOWN if len(JUDGED[name]) > 1]


@pytest.mark.parametrize("name", KNOWN)
def test_a_conversation_breaks_the_rules_that_another_checker_found(name: str) -> None:
    rules, pairs = as_it_is(KNOWN[name])
    assert sorted({each.rule for each in check(rules, pairs)}) == sorted(JUDGED[name][AS_IT_IS])


@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_preset_makes_of_it_breaks_no_others(name: str) -> None:
    found = {
        preset: sorted({each.rule for each in errors(check(rules, after, Options(before=before)))})
        for preset, rules, before, after in through_presets(KNOWN[name])
        if preset in JUDGED[name]
    }
    assert {**found, AS_IT_IS: JUDGED[name][AS_IT_IS]} == JUDGED[name]
