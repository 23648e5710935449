"""Makes the pictures of this folder from the samples: `python screenshots/make.py`.

Each picture is a walk of keys on a sample, saved as SVG. The fonts that Textual's pictures name by
address are taken out, so that looking at one fetches nothing.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

SIZE = (120, 36)
WAIT_SECONDS = 4.0
FONT_FACE = re.compile(r"@font-face \{.*?\}", re.DOTALL)
UNIQUE = re.compile(r"terminal-\d+-")


@dataclass(frozen=True)
class Walk:
    """One picture: the file that is opened and the keys that are pressed before it is taken."""

    name: str
    sample: str | None
    keys: tuple[str, ...] = ()


WALKS = (
    Walk("sessions", None),
    Walk("inspect", "claude-code-long.jsonl", ("S",)),
    Walk("stepper", "claude-code-long.jsonl", ("right_square_bracket", "right_square_bracket")),
    Walk("diff", "claude-code-long.jsonl", ("right_square_bracket", "d")),
    Walk("export", "claude-code-long.jsonl", ("right_square_bracket", "a", "e")),
)


async def take(walk: Walk, folder: Path) -> None:
    """Take one picture."""
    from app.pipeline import FIRST
    from app.tui.app import HandcompactApp, Opening

    file = None if walk.sample is None else str(folder / walk.sample)
    app = HandcompactApp(Opening(file=file, pipeline=FIRST, theme="textual-dark"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(WAIT_SECONDS)
        for key in walk.keys:
            await pilot.press(key)
            await pilot.pause(WAIT_SECONDS / 2)
        picture = app.export_screenshot(title="handcompact")
    picture = UNIQUE.sub("terminal-", FONT_FACE.sub("", picture))
    # No picture shows where it was made; the stand-in has the same width.
    picture = picture.replace(str(ROOT), f"/home/dev/{'handcompact' * 9}"[: len(str(ROOT))])
    (HERE / f"{walk.name}.svg").write_text(picture, "utf-8")
    print(f"screenshots/{walk.name}.svg")


def main() -> None:
    """Take all pictures on copies of the samples, in a home of their own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own = ("HANDCOMPACT_DATA_DIR", "HANDCOMPACT_CONFIG_DIR", "HANDCOMPACT_STATE_DIR")
        for variable in ("HOME", *own):
            os.environ[variable] = str(folder / variable.lower())
        for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
            os.environ.pop(variable, None)
        work = Path("/tmp") / "shop" if os.name != "nt" else folder / "shop"
        work.mkdir(exist_ok=True)
        try:
            for sample in (ROOT / "sample_sessions").glob("*.json*"):
                shutil.copy(sample, work)
            for walk in WALKS:
                asyncio.run(take(walk, work))
        finally:
            shutil.rmtree(work)


if __name__ == "__main__":
    main()
