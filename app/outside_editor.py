"""Editing a text in the person's own editor, through a private temp file."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from app.errors import RefusedError

VARIABLES: Final = ("VISUAL", "EDITOR")
"""Environment variables that name the editor; the first non-empty one is used."""
USUAL: Final = ("nano", "vi")
"""Editors tried when none is named."""
FILE_NAME: Final = "text.md"


def editor_of(env: Mapping[str, str]) -> tuple[str, ...]:
    """The command that starts the person's editor; raises RefusedError if there is none."""
    named = next((name for name in VARIABLES if env.get(name, "").strip()), None)
    path = env.get("PATH")
    if named is None:
        found = next((editor for editor in USUAL if shutil.which(editor, path=path)), None)
        if found is None:
            raise RefusedError(
                f"no editor is set: set {' or '.join(VARIABLES)} to the command of your editor"
            )
        return (found,)
    try:
        command = tuple(shlex.split(env[named]))
    except ValueError as error:
        raise RefusedError(f"{named} cannot be read ({error}): quote it as in a shell") from error
    if shutil.which(command[0], path=path) is None:
        raise RefusedError(f"{named} names {command[0]!r}, which cannot be started here")
    return command


def edited_outside(text: str, command: Sequence[str]) -> str | None:
    """The text as edited in the person's editor; None if it is unchanged.

    The temp file is private (0600, in a 0700 folder) and removed with its folder and anything else the
    editor left there. Line ends are kept, except that a final line end added by the editor is removed.
    Raises RefusedError if the editor failed or the result is not UTF-8.
    """
    try:
        before = text.encode()
    except UnicodeEncodeError:
        raise RefusedError(
            "the text contains half a character, which a file cannot hold: edit it here"
        ) from None
    try:
        # Windows cannot delete a file that an editor still has open.
        with tempfile.TemporaryDirectory(prefix="handcompact-", ignore_cleanup_errors=True) as folder:
            file = Path(folder) / FILE_NAME
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(before)
            _run([*command, str(file)])
            after = file.read_bytes()
    except OSError as error:
        raise RefusedError(f"nothing changed: {error.strerror or error}") from error
    if after == before:
        return None
    try:
        left = after.decode()
    except UnicodeDecodeError as error:
        raise RefusedError(
            f"nothing changed: the editor wrote a file that is not UTF-8 (byte {error.start:,})"
        ) from error
    ended = left.removesuffix("\n").removesuffix("\r")
    if not text.endswith("\n") and left.endswith("\n"):
        left = ended
    return None if left == text else left


def _run(command: Sequence[str]) -> None:
    """Run the editor and wait for it; ctrl+c is left to the editor."""
    process = subprocess.Popen(command)
    while True:
        with suppress(KeyboardInterrupt):
            code = process.wait()
            break
    if code:
        ended = f"ended with exit code {code}" if code > 0 else f"was ended by signal {-code}"
        raise RefusedError(f"nothing changed: {Path(command[0]).name} {ended}")
