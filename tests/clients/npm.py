"""Pinned clients, installed by npm into a cache folder of their own."""

from __future__ import annotations

import fcntl
import functools
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

ASK_SECONDS: Final = 30
INSTALL_SECONDS: Final = 300
NODE_VERSION: Final = "22.23.5"
"""Which Node.js is installed for clients that need a newer one than there is."""

_MACHINES: Final = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
"""What Node.js calls processors."""


class Unavailable(Exception):
    """A client cannot be had on this machine now; the message says why."""


@dataclass(frozen=True, slots=True)
class Package:
    """One version of a package that holds a program."""

    name: str
    version: str
    program: str
    node: tuple[int, int] | None = None
    """The least version of Node.js that it runs on, where not any will do."""

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


def cache_dir() -> Path:
    """Where clients are kept (`HANDCOMPACT_CLIENTS_CACHE`, else in the platform's cache folder)."""
    named = os.environ.get("HANDCOMPACT_CLIENTS_CACHE")
    return Path(named) if named else platformdirs.user_cache_path("handcompact", appauthor=False) / "clients"


def install(package: Package) -> Path:
    """The program of a package, installed with the Node.js it needs when not there; raises Unavailable."""
    search_path(package, "")
    folder = cache_dir() / re.sub(r"[^A-Za-z0-9.]+", "-", str(package)).strip("-")
    program = folder / "node_modules" / ".bin" / package.program
    if not program.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(folder.with_name(f"{folder.name}.lock")):
            if not program.exists():
                _install(package, folder)
    return program


def search_path(package: Package, path: str) -> str:
    """`path` with a Node.js in front on which the package runs, if this machine has only an older one."""
    if package.node is None or _node_version() >= package.node:
        return path
    return f"{install(_node()).parent}{os.pathsep}{path}"


@functools.cache
def _node_version() -> tuple[int, int]:
    """This machine's Node.js; (0, 0) where there is none."""
    node = shutil.which("node")
    told = subprocess.run([node, "--version"], capture_output=True, text=True).stdout if node else ""
    found = re.match(r"v(\d+)\.(\d+)", told)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _node() -> Package:
    """Node.js as npm has it for this machine."""
    machine = _MACHINES.get(platform.machine().lower(), platform.machine().lower())
    return Package(f"node-{sys.platform}-{machine}", NODE_VERSION, "node")


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Let one process at a time in; a process that dies lets go."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(package: Package, folder: Path) -> None:
    """Install beside the folder and rename, so that half an install is never taken for a whole one."""
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable(f"{package}: there is no npm")
    # A registry that does not answer would keep an install waiting for minutes.
    patience = ["--fetch-retries=0", "--fetch-timeout=20000"]
    _run([npm, "view", str(package), "version", *patience], package, ASK_SECONDS)
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    for old in (folder, unfinished):
        shutil.rmtree(old, ignore_errors=True)
    options = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error"]
    _run([npm, "install", "--prefix", str(unfinished), *options, str(package)], package, INSTALL_SECONDS)
    program = unfinished / "node_modules" / ".bin" / package.program
    path = search_path(package, os.environ.get("PATH", os.defpath))
    version = _run([str(program), "--version"], package, ASK_SECONDS, {**os.environ, "PATH": path})
    if package.version not in version:
        raise Unavailable(f"{package}: the program says that it is {version.strip()!r}")
    unfinished.rename(folder)


def _run(command: list[str], package: Package, seconds: int, env: Mapping[str, str] | None = None) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, env=env
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{package}: {error}") from error
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[:120]
        raise Unavailable(f"{package}: {Path(command[0]).name} {command[1]} failed: {said}")
    return done.stdout
