"""Every error that a person can meet, as one family.

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
            └── NameTaken       another file has the name by now

Each message says which file, what was expected and what to do; it is plain text without markup
and is made safe for the terminal by whoever prints it.
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
    """The file can be read but is of no session format we know."""


class BadPipeline(InputError):
    """A pipeline, stage or option that does not exist or does not fit."""


class BadRecipe(InputError):
    """A file of steps that cannot be read, or says what no such file may."""


class RefusedError(HandcompactError):
    """Refused for safety, or something outside failed (exit code 3)."""

    exit_code = 3


class FileChanged(RefusedError):
    """The file on disk is no longer the one that was opened."""


class Stopped(RefusedError):
    """The person stopped it before anything was in place."""


class SummaryFailed(RefusedError):
    """A model was not asked for a summary, or gave none that can be used."""


class WriteFailed(RefusedError):
    """A file could not be written; nothing half written was left."""


class NameTaken(WriteFailed):
    """A file could not get its name because another one has it."""
