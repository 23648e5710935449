"""Running the command line inside the test, as a person would type it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from app.cli.main import main


@dataclass(frozen=True)
class Done:
    """What a command gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.out)
        return value

    @property
    def json_lines(self) -> list[dict[str, Any]]:
        """What was printed as a JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class Handcompact:
    """`handcompact ...` with its output caught."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Done:
        self._capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        caught = self._capsys.readouterr()
        return Done(code, caught.out, caught.err)
