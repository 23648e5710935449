"""`python -m tests.benchmarks`: the program beside the floors of this machine, as a table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from tests.benchmarks.made import SHAPES, make
from tests.benchmarks.rows import MEASURES, PEERS, File, Measure, Numbers, Row, growth

REPOSITORY = Path(__file__).parents[2]


def main() -> int:
    """Measure, print the table, and give 1 where a budget is not met."""
    args = _arguments()
    folder = Path(args.folder or Path(tempfile.gettempdir()) / "handcompact-benchmarks")
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for row in chain(_measured(args, folder), growth(rows)):
        rows.append(row)
        if not args.json:
            sys.stdout.write(_line(row) + "\n")
            sys.stdout.flush()
    if args.json:
        sys.stdout.write(json.dumps([asdict(row) | {"ok": row.ok} for row in rows], indent=1) + "\n")
    return 0 if all(row.ok for row in rows) else 1


def _arguments() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--size", default="10,100", metavar="MB,...", help="sizes of the files (10,100)")
    shapes = ",".join(SHAPES)
    parser.add_argument("--shape", default=shapes, metavar="NAME,...", help=f"kinds of files ({shapes})")
    names = ", ".join(dict.fromkeys(measure.probe for measure in MEASURES))
    parser.add_argument("--only", default="", metavar="NAME,...", help=f"only these: {names}")
    parser.add_argument("--folder", metavar="DIR", help="where the made files are kept for the next run")
    parser.add_argument("--json", action="store_true", help="print one JSON list instead of the table")
    return parser.parse_args()


def _measured(args: Namespace, folder: Path) -> Iterator[Row]:
    wanted = args.only.split(",") if args.only else [measure.probe for measure in MEASURES]
    files = [File(shape, float(size)) for shape in args.shape.split(",") for size in args.size.split(",")]
    if PEERS.shape in args.shape.split(","):
        files.append(PEERS)
    bare = _probe("bare", None)
    for measure in MEASURES:
        if measure.probe in wanted:
            for file in _files_of(measure, files):
                path = None if file is None else _made(file, folder)
                yield from measure.rows("" if file is None else file.name, _probe(measure.probe, path), bare)


def _files_of(measure: Measure, files: Iterable[File]) -> Sequence[File | None]:
    return [None] if measure.on is None else [file for file in files if measure.on(file)]


def _made(file: File, folder: Path) -> Path:
    ending = "json" if file.is_document else "jsonl"
    return make(folder / f"{file.shape}-{file.megabytes:g}.{ending}", file.shape, file.megabytes)


def _probe(name: str, path: Path | None) -> Numbers:
    command = [sys.executable, "-m", "tests.benchmarks.probes", name, *([] if path is None else [str(path)])]
    # As an installed program runs: its modules are compiled once, which a switch may keep from being so.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    compiled = Path(tempfile.gettempdir()) / "handcompact-benchmarks" / "compiled"
    env.setdefault("PYTHONPYCACHEPREFIX", str(compiled))
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=REPOSITORY, env=env)
    numbers: Numbers = json.loads(done.stdout.splitlines()[-1])
    return numbers


def _line(row: Row) -> str:
    ratio = f"{row.ratio:.2f} x" if row.unit == "x" else ""
    budget = f"{row.budget:g} {row.unit}"
    verdict = "ok" if row.ok else "misses"
    return f"| {row.what} | {row.file} | {row.floor} | {row.ours} | {ratio} | {budget} | {verdict} |"


if __name__ == "__main__":
    sys.exit(main())
