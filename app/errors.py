"""Every error that a person can see, as one class hierarchy.

    HandcompactError            a line for the person; carries the exit code
    ├── InputError         (2)  the file or the arguments are not usable
    │   ├── UnreadableFile      missing, a folder, no permission, empty, binary
    │   ├── UnknownFormat       readable, but of no format we know
    │   ├── BadPipeline         a pipeline, stage or option that does not exist or fit
    │   └── BadRecipe           a file of steps that cannot be read or understood
    └── RefusedError       (3)  refused for safety, or something outside failed
        ├── FileChanged         the original is not what was opened
        ├── Stopped             the person stopped it before anything was in place
        ├── SummaryFailed       a model was not asked, or gave no usable summary
        └── WriteFailed         disk full, folder read-only, name too long ...
            └── NameTaken       another file has taken the name meanwhile

Each message says which file, what was expected and what to do. It is plain text without markup;
whoever prints it makes it safe for the terminal.
"""

from __future__ import annotations


class HandcompactError(Exception):
    """An error that ends a command with one line; `exit_code` is what the process returns."""

    exit_code = 1


class InputError(HandcompactError):
    """The file or the arguments are not usable (exit code 2)."""

    exit_code = 2


class UnreadableFile(InputError):
    """The file is missing, a folder, forbidden, empty or not text."""


class UnknownFormat(InputError):
    """The file can be read but is in no session format we know."""


class BadPipeline(InputError):
    """A pipeline, stage or option that does not exist or does not fit."""


class BadRecipe(InputError):
    """A recipe file that cannot be read, or contains something that no recipe may."""


class RefusedError(HandcompactError):
    """Refused for safety, or something outside failed (exit code 3)."""

    exit_code = 3


class FileChanged(RefusedError):
    """The file on disk is no longer the one that was opened."""


class Stopped(RefusedError):
    """The person stopped it before any file was put in place."""


class SummaryFailed(RefusedError):
    """A model was not asked for a summary, or gave none that can be used."""


class WriteFailed(RefusedError):
    """A file could not be written; no partial file was left behind."""


class NameTaken(WriteFailed):
    """A file could not be moved to its name because another file has it."""
