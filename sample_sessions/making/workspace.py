"""The invented repository while the session works on it: every read shows the true state of a file."""

from __future__ import annotations

import difflib
from fnmatch import fnmatch

from .kept import FILES
from .pages import PAGES, page
from .tables import access_log, currencies

SEEDS = FILES / "shop"
FOLDER = "/home/dev/shop"


class Workspace:
    """The files of `/home/dev/shop`, by their path inside it."""

    def __init__(self) -> None:
        self.files = {
            path.relative_to(SEEDS).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(SEEDS.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }
        self.files["shop/currencies.py"] = currencies()
        self.files["logs/access.log"] = access_log()
        self.files |= {f"pages/{name}.md": page(name) for name in PAGES}
        self.committed = dict(self.files)

    def commit(self) -> None:
        """What `git diff` compares with from now on."""
        self.committed = dict(self.files)

    def replace(self, path: str, old: str, new: str) -> None:
        """Change the one place where `old` stands; ValueError when it is not there exactly once."""
        if self.files[path].count(old) != 1:
            raise ValueError(f"{path}: {self.files[path].count(old)} places for {old!r}")
        self.files[path] = self.files[path].replace(old, new)

    def numbered(self, path: str, offset: int = 1, limit: int | None = None) -> tuple[str, str]:
        """Lines of a file as a reader shows them (number, tab, line), and the same without numbers."""
        lines = self.files[path].split("\n")
        chosen = lines[offset - 1 : None if limit is None else offset - 1 + limit]
        return "\n".join(f"{n}\t{line}" for n, line in enumerate(chosen, offset)), "\n".join(chosen)

    def grep(self, needle: str, where: str = "*") -> list[str]:
        """Lines that hold `needle`, as `path:number:line`."""
        return [
            f"{path}:{n}:{line}"
            for path, text in sorted(self.files.items())
            if fnmatch(path, where)
            for n, line in enumerate(text.splitlines(), 1)
            if needle in line
        ]

    def diff(self, *where: str) -> str:
        """The changes since the commit to paths that match any of `where`, as `git diff` prints them."""
        parts = []
        for path, new in sorted(self.files.items()):
            old = self.committed.get(path)
            if old == new or not any(fnmatch(path, pattern) for pattern in where):
                continue
            made = "new file mode 100644\n" if old is None else ""
            parts.append(f"diff --git a/{path} b/{path}\n{made}")
            before = "/dev/null" if old is None else f"a/{path}"
            lines = difflib.unified_diff(
                (old or "").split("\n")[:-1], new.split("\n")[:-1], before, f"b/{path}", lineterm=""
            )
            parts.extend(f"{line}\n" for line in lines)
        return "".join(parts).rstrip("\n")


def patch(old: str, new: str, context: int = 3) -> list[dict[str, object]]:
    """One hunk around what differs, in the form that the agent records beside an edit."""
    before, after = old.split("\n"), new.split("\n")
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    start = max(0, head - context)
    ends = [min(len(lines), len(lines) - tail + context) for lines in (before, after)]
    lines = [f" {line}" for line in before[start:head]]
    lines += [f"-{line}" for line in before[head : len(before) - tail]]
    lines += [f"+{line}" for line in after[head : len(after) - tail]]
    lines += [f" {line}" for line in before[len(before) - tail : ends[0]]]
    return [
        {
            "oldStart": start + 1,
            "oldLines": ends[0] - start,
            "newStart": start + 1,
            "newLines": ends[1] - start,
            "lines": lines,
        }
    ]
