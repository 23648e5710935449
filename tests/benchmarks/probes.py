"""What is measured, each in a process of its own: `python -m tests.benchmarks.probes NAME [FILE]`.

A probe prints one JSON object of numbers. Seconds of work are processor time, so that what else the
machine does counts little; what a person waits for is time that passes. Only what a probe needs is
imported: the rest would count as memory of the program.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from tests.benchmarks import floors
from tests.benchmarks.floors import cpu, wall

Numbers: TypeAlias = Mapping[str, float]
Probe: TypeAlias = Callable[[Path], Numbers]

MEGABYTE: Final = 1_000_000


def peak() -> float:
    """The most memory that this process ever held, in MB."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / MEGABYTE
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE


def forget_peak() -> float:
    """Begin to note the most memory anew; what is held now, in MB. Linux only."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def bare(_: Path) -> Numbers:
    """The interpreter with nothing of the program in it."""
    return {"peak": peak()}


def index(path: Path) -> Numbers:
    """All records of a file found, parsed and looked at for damage, none of them kept."""
    from app.formats.lines import LineReader
    from app.formats.source import FileSource

    def read() -> None:
        with FileSource(path) as source:
            for _ in LineReader(source):
                pass

    return {
        "lines": cpu(lambda: floors.lines(path)),
        "parse": cpu(lambda: floors.parse(path)),
        "ours": cpu(read),
    }


def load(path: Path) -> Numbers:
    """A file read into a session, and the rough estimate of every block."""
    from app.cli.main import collect_seldom
    from app.formats import open_session
    from app.tokens import token_estimator

    collect_seldom()
    parse = cpu(lambda: floors.parse(path))
    ours = cpu(lambda: open_session(str(path)))
    session, _ = open_session(str(path))

    def estimate() -> int:
        return token_estimator(session.model, exact=False).total(session.messages)

    return {"parse": parse, "ours": ours, "rough": cpu(estimate)}


def count(path: Path) -> Numbers:
    """Every block counted with the vocabulary, its text read from the file."""
    from app.model import blocks_of, text_of
    from app.opening import open_workspace
    from app.tokens.encode import encoder

    workspace = open_workspace(str(path), pipeline="gentle").workspace
    texts = [text_of(block) for _, block in blocks_of(workspace.session.messages)]
    floor = cpu(lambda: floors.tokens(texts), 1)
    encoder().count("loaded")
    return {"tokens": floor, "ours": cpu(workspace.count_all, 1)}


def recount(path: Path) -> Numbers:
    """A pipeline's changes counted, where all that was there before is counted already."""
    from app.opening import open_workspace
    from app.tokens.encode import encoder

    workspace = open_workspace(str(path), pipeline="react-mini").workspace
    workspace.count_all()
    before = encoder().calls
    workspace.run_all()
    workspace.count_all()
    return {"encoded": encoder().calls - before, "changes": len(workspace.changes)}


def memory(path: Path) -> Numbers:
    """A session open and all of it counted."""
    from app.cli.main import collect_seldom
    from app.opening import open_workspace

    collect_seldom()
    opened = open_workspace(str(path), pipeline="gentle")
    loaded = peak()
    opened.workspace.count_all()
    return {"loaded": loaded, "peak": peak()}


def report(path: Path) -> Numbers:
    """`report --count rough`."""
    return {"seconds": cpu(lambda: _command("report", str(path), "--count", "rough"), 1), "peak": peak()}


def compact(path: Path) -> Numbers:
    """`compact --count rough`: pipeline, checks, backup, write and read back."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ("compact", str(path), "--count", "rough", "--drop-user-words")
        places = ("--out", str(Path(folder) / "new"), "--backup-dir", folder)
        seconds = cpu(lambda: _command(*arguments, *places), 1)
    return {"seconds": seconds, "peak": peak()}


def export(path: Path) -> Numbers:
    """An export by itself: what plan, backup, writing and reading back hold beside the open session."""
    from app.cli.main import collect_seldom
    from app.export.plan import ExportOptions, make_plan
    from app.export.write import write
    from app.opening import open_workspace

    collect_seldom()
    opened = open_workspace(str(path), pipeline="gentle", exact=False)
    opened.workspace.run_all()
    with tempfile.TemporaryDirectory() as folder:
        options = ExportOptions(out=Path(folder) / "new", backup_dir=Path(folder))
        assert opened.workspace.messages  # the stages are run when somebody asks
        held = forget_peak()
        write(make_plan(opened.workspace, opened.source, options), drop_user_words=True)
        return {"held": held, "added": peak() - held}


def _command(*arguments: str) -> None:
    from app.cli.main import main

    with contextlib.redirect_stdout(io.StringIO()):
        code = main(arguments)
    assert code == 0, f"{arguments[0]} ended with {code}"


def again(path: Path) -> Numbers:
    """`report` with exact counts, once with nothing remembered and once more."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HANDCOMPACT_CACHE_DIR"] = folder
        first = _seconds_of("report", str(path))
        second = _seconds_of("report", str(path))
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    return {"first": first, "second": second, "size": size / MEGABYTE}


def _seconds_of(*arguments: str) -> float:
    import resource
    import subprocess

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "app", *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start(_: Path) -> Numbers:
    """The program's commands from nothing, beside an interpreter that does nothing."""
    import subprocess

    def run(*arguments: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    return {
        "nothing": wall(run("-c", "pass"), 5),
        "version": wall(run("-m", "app", "--version"), 5),
        "help": wall(run("-m", "app", "report", "--help"), 5),
    }


def stages(_: Path) -> Numbers:
    """Every stage over 10,000 and 100,000 messages with what they measure known; the slowest is told."""
    from app.gc_control import collector_paused
    from app.stages import STAGES
    from app.stages.base import Context, run_stage
    from app.stages.protection import protected
    from app.tokens import token_estimator
    from tests.benchmarks.conversations import long_conversation

    estimator = token_estimator(None, exact=False)
    found: dict[str, float] = {}
    sizes = (10_000, 100_000)
    made = {size: long_conversation(size) for size in sizes}
    passes = {size: cpu(partial(floors.visit, _dicts(size))) for size in sizes}
    gc.collect()
    gc.freeze()
    looks = [cpu(partial(floors.look, made[size])) for size in sizes]
    found["look"] = looks[1] / looks[0]
    for kind in STAGES:
        seconds = {}
        for size in sizes:
            messages = made[size]
            estimator.total(messages)
            context = Context(estimator=estimator, protection=protected(messages), now=2e9)
            run = partial(run_stage, kind(), messages, context)
            run()  # what is worked out once for all stages is no work of this one
            with collector_paused():  # its next search is due whenever it is, at no fault of the stage
                seconds[size] = cpu(run)
        found[f"{kind.name} per pass"] = seconds[sizes[1]] / passes[sizes[1]]
        found[f"{kind.name} growth"] = seconds[sizes[1]] / max(seconds[sizes[0]], 1e-4)
        found[f"{kind.name} seconds"] = seconds[sizes[1]]
    return found


def _dicts(size: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": number} for number in range(size)]


def texts(_: Path) -> Numbers:
    """A megabyte of what tokenizers choke on."""
    from app.tokens.encode import encoder

    counts = encoder()
    counts.count("loaded")
    kinds = {"spaces": " " * MEGABYTE, "letters": "a" * MEGABYTE, "base64": "QUJD" * (MEGABYTE // 4)}
    return {name: cpu(partial(counts.count, text), 1) for name, text in kinds.items()}


def diffs(_: Path) -> Numbers:
    """Two texts of 10,000 lines compared, and two far above the limits."""
    from app.diff import text_rows

    def lines(count: int, step: int) -> str:
        return "\n".join(f"line {n} of {n % 97} {'x' if n % step else 'y'}" for n in range(count))

    ten = (lines(10_000, 50), lines(10_000, 61))
    vast = tuple("\n".join(f"{side} {n}" for n in range(200_000)) for side in ("one", "other"))
    return {"ten": cpu(lambda: text_rows(*ten)), "vast": cpu(lambda: text_rows(vast[0], vast[1]), 1)}


def drop(_: Path) -> Numbers:
    """10,000 of 20,000 messages dropped by hand, in one step."""
    from app.edits.drop import Drop
    from app.pipeline import load as load_pipeline
    from app.work.workspace import Workspace
    from tests.benchmarks.conversations import long_session

    session = long_session(20_000)
    workspace = Workspace(session, load_pipeline("gentle"), exact=False)
    keys = tuple(block.key for message in session.live[2:10_002] for block in message.blocks)
    assert workspace.rows
    seconds = cpu(lambda: workspace.try_edit(Drop(keys=keys, allow_words=True)), 2)
    return {"seconds": seconds, "passes": cpu(partial(floors.visit, _dicts(20_000)))}


def screen(path: Path) -> Numbers:
    """The screens over a file, until all is counted: time to its rows, and the longest stop of the screen."""
    import asyncio

    from app.cli.main import collect_seldom
    from tests.benchmarks.screens import watched

    collect_seldom()
    return asyncio.run(watched(path))


def steps(path: Path) -> Numbers:
    """The stages and the plan of an export on the screens: the longest stop meanwhile, in milliseconds."""
    import asyncio

    from app.cli.main import collect_seldom
    from tests.benchmarks.screens import stepped

    collect_seldom()
    return asyncio.run(stepped(path))


def keys(_: Path) -> Numbers:
    """Keys pressed in a list of 100,000 messages, each until it is painted, in milliseconds."""
    import asyncio

    from app.cli.main import collect_seldom
    from tests.benchmarks.screens import pressed

    collect_seldom()
    return asyncio.run(pressed())


def paint(path: Path) -> Numbers:
    """The first paint of the program in a terminal of its own, and that of an app of two widgets."""
    from tests.benchmarks.painting import first_paint

    ours = [sys.executable, "-m", "app", str(path)]
    plain = [sys.executable, "-m", "tests.benchmarks.two_widgets"]
    return {"ours": first_paint(ours, b"handcompact"), "plain": first_paint(plain, b"two widgets")}


def rows(path: Path) -> Numbers:
    """The first rows of a file in a terminal, from the start of the program."""
    from tests.benchmarks.painting import first_paint

    return {"seconds": first_paint([sys.executable, "-m", "app", str(path)], b"assistant")}


PROBES: Final[Mapping[str, Probe]] = {
    probe.__name__: probe
    for probe in (
        bare, index, load, count, recount, memory, report, compact, export, again, start, stages, texts,
        diffs, drop, screen, steps, keys, paint, rows,
    )
}  # fmt: skip


def _own_folders() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="handcompact-bench-") as folder:
        for name in ("DATA", "CONFIG", "CACHE", "STATE"):
            os.environ[f"HANDCOMPACT_{name}_DIR"] = str(Path(folder) / name.lower())
        yield folder


def main() -> None:
    """Run one probe and print what it found."""
    name, path = sys.argv[1], Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    for _ in _own_folders():
        found = PROBES[name](path)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
