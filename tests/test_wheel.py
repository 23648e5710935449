"""What is installed is what is in the tree: a wheel, built and installed offline, opens its own sample."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_wheel_opens_a_packaged_sample(tmp_path: Path) -> None:
    build = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path / "dist"), str(ROOT)]
    _python(*build)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    place = tmp_path / "site"
    _python("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(place), str(wheel))
    listed = json.loads(_python("-m", "app", "list", "--json", cwd=place))
    samples = [session for session in listed["sessions"] if session["agent"] == "sample"]
    assert samples and all(Path(sample["path"]).is_relative_to(place) for sample in samples)
    smallest = min(samples, key=lambda sample: int(sample["size"]))
    report = json.loads(_python("-m", "app", "report", "--json", str(smallest["path"]), cwd=place))
    assert report["rows"]
    assert not (place / "app" / "samples" / "make.py").exists()
    assert not (place / "app" / "cli" / "REFERENCE.md").exists(), "a page for people who read the repository"


def _python(*arguments: str, cwd: Path = ROOT) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
