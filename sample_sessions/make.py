"""Write the made sample sessions: `python sample_sessions/make.py [--into FOLDER] [--record]`.

The same bytes come out on every run and every machine. Files that a real agent wrote are not touched.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from making import recordings  # noqa: E402
from making.awkward import AWKWARD  # noqa: E402
from making.long import long_session  # noqa: E402
from making.plain import PLAIN  # noqa: E402


def made_files() -> dict[str, bytes]:
    """Every made file by its path inside `sample_sessions`."""
    files = {name: make() for name, make in {**AWKWARD, **PLAIN}.items()}
    long = long_session()
    files["claude-code-long.jsonl"] = long.session.encode()
    files |= {f"claude-code-long/{name}": text.encode() for name, text in long.side.items()}
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--into", type=Path, default=HERE, help="where to write (default: beside this script)"
    )
    parser.add_argument(
        "--record", action="store_true", help="run the commands of the long session anew (needs pytest)"
    )
    options = parser.parse_args()
    recordings.recording = options.record
    for name, data in made_files().items():
        place = options.into / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        print(f"{len(data):>9,} {name}")


if __name__ == "__main__":
    main()
