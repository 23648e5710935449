"""The examples of CONTRIBUTING.md are true: they run, and do what is said of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from app.formats import FORMATS
from app.formats.base import Format, Rewrite
from app.formats.source import BytesSource
from app.model import ToolResult, text_of, with_text
from app.stages.base import run_stage
from tests.build import assistant, conversation, result, use, user
from tests.stages.given import context, results

PAGE = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text("utf-8")
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

CALL = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
MESSAGES = [
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "mood": "calm"},
    {"role": "tool", "tool_call_id": "c", "content": "a.py"},
]
FILE = json.dumps({"version": 3, "dialogue": MESSAGES, "seen": 1.10}, indent=2).encode()


def example(name: str) -> Any:
    """What the example of this name defines."""
    source = next(code for code in CODE if f"class {name}" in code)
    defined: dict[str, Any] = {}
    exec(compile("from __future__ import annotations\n" + source, "CONTRIBUTING.md", "exec"), defined)
    return defined[name]


def test_the_format_reads_and_writes_its_files() -> None:
    scribe: Format = example("Scribe")()
    source = BytesSource(FILE)
    assert scribe.sniff(source) and not any(known.sniff(source) for known in FORMATS)
    opened = scribe.read(source)
    assert [len(message.blocks) for message in opened.live] == [1, 1, 1]
    assert b"".join(scribe.rewrite(opened, Rewrite(opened.live)).pieces()).rstrip(b"\n") == FILE
    last = opened.live[-1]
    result = last.blocks[0]
    assert isinstance(result, ToolResult) and text_of(result) == "a.py"
    cleared = replace(last, blocks=(with_text(result, "[cleared]"),))
    written = b"".join(scribe.rewrite(opened, Rewrite((*opened.live[:-1], cleared))).pieces())
    assert written.rstrip(b"\n") == FILE.replace(b'"a.py"', b'"[cleared]"')


def test_the_format_takes_no_file_of_another() -> None:
    assert not example("Scribe")().sniff(BytesSource(json.dumps({"messages": MESSAGES}).encode()))


def test_the_stage_cuts_what_shouts() -> None:
    messages = conversation(
        user("Look."),
        assistant(use("c1", "Read"), use("c2", "Read")),
        user(result("c1", "Look! Out! Now! " * 9), result("c2", "calm!")),
        user("Go on."),
    )
    done = run_stage(example("Shout")(), messages, context(messages))
    assert results(done.messages) == {"c1": "[shouting removed]", "c2": "calm!"}
    assert [change.reason for change in done.changes] == ["it shouts"]
