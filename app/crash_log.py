"""Logs of unexpected errors: enough to find the bug, without any session text.

A log holds the types of the exception and its causes, the frames by file, line and function, versions,
and sizes. Never exception messages, values of variables or lines of text: they can hold session text.
"""

from __future__ import annotations

import os
import platform
import sysconfig
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from msgspec import Struct

from app import __version__
from app.settings import state_dir

MOST_LOGS: Final = 20
_MOST_FRAMES: Final = 200
_PACKAGES: Final = ("textual", "rich", "tiktoken", "platformdirs", "regex")
_ROOT: Final = Path(__file__).parent.parent


class CrashNote(Struct, frozen=True):
    """An unexpected error, as it was logged."""

    kind: str
    """The exception's type, such as `KeyError`."""
    place: str
    """The innermost frame of our own code: `app/work/rows.py:12`."""
    log: Path | None
    """None if the log could not be written."""

    @property
    def words(self) -> str:
        """What happened, in a line."""
        where = f" in {self.place}" if self.place else ""
        log = f"log to attach to a bug report: {self.log}" if self.log else "no log could be written"
        return f"unexpected {self.kind}{where}; {log}"


def log_dir() -> Path:
    """The folder of the logs."""
    return state_dir() / "errors"


def note(error: BaseException, sizes: Mapping[str, object] | None = None) -> CrashNote:
    """Log an error to a private file. Never raises.

    `sizes` are numbers and words of our own that help to find the bug: never session text.
    """
    kind = type(error).__name__
    try:
        place = _our_place(error)
        return CrashNote(kind, place, _write(list(_lines(error, sizes or {}))))
    except Exception:
        # A failure here must not hide the original error.
        return CrashNote(kind, "", None)


def _lines(error: BaseException, sizes: Mapping[str, object]) -> Iterator[str]:
    yield f"handcompact {__version__}"
    yield f"when {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}"
    yield f"python {platform.python_version()} {platform.python_implementation()}"
    yield f"platform {platform.system()} {platform.release()} {platform.machine()}"
    yield f"terminal {os.environ.get('TERM', '')[:40]} {_terminal()}"
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            yield f"{name} {version(name)}"
    yield from (f"{name} {value}" for name, value in sizes.items())
    for cause in _chain(error):
        yield ""
        yield f"{type(cause).__module__}.{type(cause).__qualname__}"
        yield from (f"  {frame}" for frame in _frames(cause))


def _terminal() -> str:
    try:
        size = os.get_terminal_size()
    except (OSError, ValueError):
        return ""
    return f"{size.columns}x{size.lines}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and its causes, the outermost first."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def _frames(error: BaseException) -> list[str]:
    frames = [
        f"{_file(frame.f_code.co_filename)}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    if len(frames) <= _MOST_FRAMES:
        return frames
    half = _MOST_FRAMES // 2
    return [*frames[:half], f"... {len(frames) - 2 * half:,} frames ...", *frames[-half:]]


def _file(name: str) -> str:
    """A source file's name without the person's own folders."""
    paths = sysconfig.get_paths()
    for root in (str(_ROOT), paths["purelib"], paths["platlib"], paths["stdlib"]):
        if name.startswith(root + os.sep):
            return name[len(root) + 1 :].replace(os.sep, "/")
    return Path(name).name


def _our_place(error: BaseException) -> str:
    """The innermost frame in our own code."""
    for cause in reversed(list(_chain(error))):
        for frame, line in reversed(list(traceback.walk_tb(cause.__traceback__))):
            file = _file(frame.f_code.co_filename)
            if file.startswith("app/"):
                return f"{file}:{line}"
    return ""


def _write(lines: list[str]) -> Path | None:
    folder = log_dir()
    seconds, part = divmod(time.time_ns(), 10**9)
    name = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(seconds))}.{part:09}Z-{os.getpid()}.log"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("\n".join(lines) + "\n")
    except OSError:
        return None
    for old in sorted(folder.glob("*.log"))[:-MOST_LOGS]:
        with suppress(OSError):
            old.unlink()
    return folder / name
