"""The table: what is measured on which file, what it is held against, and how much is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

Numbers: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    file: str
    """The file that it was measured on, as in `claude 100 MB`; empty for none."""
    floor: str
    """What it is held against, with its figure; empty where the budget is a figure."""
    ours: str
    ratio: float
    """Ours by what is allowed to be 1; the figure itself where there is no floor."""
    budget: float
    unit: str = "x"

    @property
    def ok(self) -> bool:
        return self.ratio <= self.budget


@dataclass(frozen=True, slots=True)
class File:
    """A made session."""

    shape: str
    megabytes: float

    @property
    def name(self) -> str:
        return f"{self.shape} {self.megabytes:g} MB"

    @property
    def is_document(self) -> bool:
        return self.shape == "openai"


@dataclass(frozen=True, slots=True)
class Measure:
    """One probe with the rows that its numbers make; `on` says for which files it is run."""

    probe: str
    rows: Callable[[str, Numbers, Numbers], Iterator[Row]]
    """Of the file's name, the numbers, and those of the bare interpreter."""
    on: Callable[[File], bool] | None = None
    """None: once, without a file."""


def _against(what: str, file: str, floor: float, name: str, ours: float, budget: float) -> Row:
    return Row(what, file, f"{name} {floor:.2f} s", f"{ours:.2f} s", ours / floor, budget)


def _figure(what: str, file: str, ours: float, budget: float, unit: str) -> Row:
    shown = (
        f"{ours:.0f} {unit}" if ours >= 100 else f"{ours:.2f} {unit}" if ours < 10 else f"{ours:.1f} {unit}"
    )
    return Row(what, file, "", shown, ours, budget, unit)


def _index(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _against("index of all records", file, n["parse"], "F_parse", n["ours"], 1.3)


def _load(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _against("whole load to the model", file, n["parse"], "F_parse", n["ours"], 4)
    yield _against("rough estimate of every block", file, n["parse"], "F_parse", n["rough"], 1)


def _count(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _against("all real counts", file, n["tokens"], "F_tok", n["ours"], 1.25)


def _recount(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    changes, encoded = n["changes"], n["encoded"]
    ratio = encoded / changes
    yield Row(
        "encoded again after a pipeline", file, f"{changes:.0f} changes", f"{encoded:.0f} texts", ratio, 1
    )


def allowed_memory(file: File) -> float:
    """MB that an open and counted session may hold."""
    size = file.megabytes
    if file.is_document:
        return 100 + 3.5 * size
    return 100 + 0.5 * min(size, 100) + 0.3 * max(size - 100, 0)


def _memory(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    shape, size, _unit = file.split()
    budget = allowed_memory(File(shape, float(size)))
    yield _figure("memory, open and counted", file, n["peak"], budget, "MB")


def _report(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _figure("report --count rough", file, n["seconds"], 1.0, "s")
    yield _figure("memory of report --count rough", file, n["peak"], 130, "MB")


def _compact(file: str, n: Numbers, bare: Numbers) -> Iterator[Row]:
    if file == PEERS.name:
        yield _figure("compact --count rough", file, n["seconds"], 2.0, "s")
        yield _figure("memory of compact --count rough", file, n["peak"], 130, "MB")
    yield _figure("export above the bare interpreter", file, n["peak"] - bare["peak"], 60, "MB")


def _export(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _figure("export, above the open session", file, n["added"], 60, "MB")


def _again(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _against("second report, all counted", file, n["first"], "the first", n["second"], 0.25)


def _start(_file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _against("handcompact --version", "", n["nothing"], "python -c pass", n["version"], 6)


def _stages(_file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    names = [key.removesuffix(" growth") for key in n if key.endswith(" growth")]
    slowest = max(names, key=lambda name: n[f"{name} per pass"])
    steepest = max(names, key=lambda name: n[f"{name} growth"])
    floor = n[f"{slowest} seconds"] / n[f"{slowest} per pass"]
    ours = n[f"{slowest} seconds"]
    yield _against(f"slowest stage ({slowest}), 100,000 messages", "", floor, "F_pass", ours, 4)
    look = f"a look at every block {n['look']:.1f} x"
    yield Row(f"steepest stage ({steepest}), 10,000 to 100,000", "", look, "", n[f"{steepest} growth"], 13)


def _texts(_file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    for name, seconds in n.items():
        yield _figure(f"1 MB of {name} counted", "", seconds, 1.5, "s")


def _diffs(_file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _figure("line diff of 10,000 lines", "", 1000 * n["ten"], 150, "ms")
    yield _figure("diff of 200,000 lines, a summary", "", 1000 * n["vast"], 1000, "ms")


def _drop(_file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _figure("drop 10,000 of 20,000 by hand", "", n["seconds"], 1.0, "s")


def _screen(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _figure(FIRST_ROWS, file, n["rows"], 100, "ms")
    yield _figure("rows in view counted", file, n["in view"], 150, "ms")
    yield _figure("longest stop of the screen", file, n["stop"], 350, "ms")
    yield _figure("second longest stop", file, n["second stop"], 100, "ms")


def _steps(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _figure("longest stop while a stage is tried", file, n["next"], 100, "ms")
    yield _figure("longest stop while all are run", file, n["all"], 100, "ms")
    yield _figure("longest stop while an export is planned", file, n["plan"], 100, "ms")


def _keys(_file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _figure("key to paint of 100,000, median", "", n["median"], 25, "ms")
    yield _figure("key to paint of 100,000, 95 of 100", "", n["p95"], 70, "ms")


def _paint(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _against("first paint", file, n["plain"], "two widgets", n["ours"], 1.5)


FIRST_ROWS: Final = "first rows after the first paint"


def _rows(file: str, n: Numbers, _: Numbers) -> Iterator[Row]:
    yield _figure("first rows, from the start of the program", file, n["seconds"], 0.5, "s")


PEERS: Final = File("claude", 56.5)
"""The size that other programs were measured on."""


def growth(rows: Sequence[Row]) -> Iterator[Row]:
    """How much longer the first rows of the largest file of a shape take than those of the smallest."""
    shown = [row for row in rows if row.what == FIRST_ROWS]
    for shape in dict.fromkeys(row.file.split()[0] for row in shown):
        sized = [row for row in shown if row.file.split()[0] == shape]
        if len(sized) > 1:
            least, most = sized[0], sized[-1]
            ratio = most.ratio / least.ratio
            yield Row("the same, by those of 10 MB", most.file, least.ours, most.ours, ratio, 2)


def _up_to(most: float, *shapes: str) -> Callable[[File], bool]:
    return lambda file: file.megabytes <= most and (not shapes or file.shape in shapes)


def _is_peers(file: File) -> bool:
    return file == PEERS


MEASURES: Final = (
    Measure("index", _index, lambda file: not file.is_document),
    Measure("load", _load, _up_to(100)),
    Measure("count", _count, _up_to(100)),
    Measure("recount", _recount, _up_to(10)),
    Measure("memory", _memory, lambda file: True),
    Measure("report", _report, _is_peers),
    Measure("compact", _compact, lambda file: not file.is_document),
    Measure("export", _export, lambda file: True),
    Measure("again", _again, _is_peers),
    Measure("start", _start),
    Measure("stages", _stages),
    Measure("texts", _texts),
    Measure("diffs", _diffs),
    Measure("drop", _drop),
    Measure("screen", _screen, lambda file: file != PEERS),
    Measure("steps", _steps, lambda file: file != PEERS),
    Measure("keys", _keys),
    Measure("paint", _paint, _up_to(10, "claude")),
    Measure("rows", _rows, _is_peers),
)
"""In the order of the table."""
