"""The command line in a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import Handcompact


@pytest.fixture
def handcompact(capsys: pytest.CaptureFixture[str], home: Path) -> Handcompact:
    return Handcompact(capsys)
