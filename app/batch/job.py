"""What is done with one session of a folder, and what came of it: all of it can go to another process."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache, partial
from pathlib import Path, PurePath
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from app.crash_log import note
from app.errors import HandcompactError, InputError, RefusedError, UnknownFormat
from app.export.files import make_folder
from app.export.plan import ExportOptions, make_plan
from app.export.plan_json import plan_as_json
from app.export.write import why_refused, write
from app.formats import format_named
from app.formats.base import Format
from app.formats.source import FileSource
from app.opening import Opened, open_workspace
from app.pipeline import Pipeline, load
from app.settings import lets_errors_through
from app.tokens.encode import keep_counts
from app.views.report import report


class Outcome(StrEnum):
    """What became of one file."""

    READ = "read"
    PLANNED = "planned"
    """A dry run: nothing was written."""
    NOTHING = "nothing"
    """The pipeline found nothing to take out, so there is nothing to write."""
    WRITTEN = "written"
    REFUSED = "refused"
    """Refused for safety, or it could not be written."""
    OTHER = "other"
    """No session: a file of another kind lies in the folder."""
    UNREADABLE = "unreadable"
    """It should be a session and cannot be used."""
    FAILED = "failed"
    """A mistake of ours."""


class Result(Struct, frozen=True):
    """What came of one file; small, whatever the size of the session."""

    path: Path
    size: int
    """Bytes."""
    outcome: Outcome
    reason: str = ""
    """Why it was not done, in words; may hold session text."""
    format: str = ""
    title: str = ""
    tokens: int = 0
    """Of the live segment, as counted."""
    freed: int = 0
    """Tokens that the pipeline frees."""
    told: Mapping[str, Any] = field(default_factory=dict)
    """What a JSON line tells beside these."""

    def as_json(self) -> dict[str, Any]:
        """The line that `--json` prints for it."""
        return {
            "source": str(self.path),
            "size": self.size,
            "outcome": str(self.outcome),
            "reason": self.reason or None,
            "format": self.format or None,
            "title": self.title or None,
            **self.told,
        }


class Compacting(Struct, frozen=True):
    """How the sessions of a folder are compacted."""

    root: Path
    """The folder, whose tree `out` repeats."""
    out: Path | None
    """Where the new sessions go; None: each beside its original."""
    options: ExportOptions
    write: bool
    drop_user_words: bool = False
    look_at_disk: bool = False
    index: bool = True
    """Whether the results that are gone are listed."""


class Job(Struct, frozen=True):
    """What is done with every session of a folder."""

    pipeline: str
    settings: tuple[str, ...] = ()
    exact: bool = True
    cache: Path | None = None
    """The folder where counts are kept; None keeps none."""
    compacting: Compacting | None = None
    """None: sessions are only reported on."""

    def begin(self) -> None:
        """Make this process ready."""
        _loaded.cache_clear()
        keep_counts(self.cache if self.exact else None)

    def do(self, path: Path, size: int) -> Result:
        """Do it with one file. Never raises: a file that cannot be used is a result like any other."""
        try:
            return self._compact(path, size) if self.compacting else self._report(path, size)
        except UnknownFormat as error:
            return Result(path, size, Outcome.OTHER, str(error))
        except InputError as error:
            return Result(path, size, Outcome.UNREADABLE, str(error))
        except (RefusedError, HandcompactError) as error:
            return Result(path, size, Outcome.REFUSED, str(error))
        except Exception as error:
            if lets_errors_through():
                raise
            # Never what the error says: it can hold session text.
            return Result(path, size, Outcome.FAILED, note(error, {"command": "a folder"}).words)

    def _report(self, path: Path, size: int) -> Result:
        workspace = self._open(path).workspace
        workspace.examine()
        whole = report(workspace)
        workspace.run_all()
        workspace.count_all()
        session = workspace.session
        before, after = workspace.tokens(session.live), workspace.tokens(workspace.messages)
        left_out = ("source", "rows", "summaries", "notices", "leaves", "format", "title")
        told = {name: value for name, value in whole.items() if name not in left_out}
        told["could_free"] = {"pipeline": workspace.pipeline.name, "tokens": before - after}
        return Result(
            path, size, Outcome.READ, "", session.format, session.title or "", before, before - after, told
        )

    def _compact(self, path: Path, size: int) -> Result:
        how = self.compacting
        assert how is not None
        opened = self._open(path)
        workspace = opened.workspace
        if how.look_at_disk:
            workspace.look_at_disk()
        workspace.run_all()
        workspace.count_all()
        session = workspace.session
        if session.live and not workspace.changes:
            tokens = workspace.tokens(session.live)
            return Result(path, size, Outcome.NOTHING, "", session.format, session.title or "", tokens)
        plan = make_plan(workspace, opened.source, replace(how.options, out=self._target_of(opened, path)))
        refusal = why_refused(plan, drop_user_words=how.drop_user_words)
        if how.out is not None and refusal and plan.target is not None and not plan.target.parent.is_dir():
            # Only the folder is missing, which is made when something is written.
            refusal = None if not (plan.broken or (plan.words_gone and not how.drop_user_words)) else refusal
        found = Result(
            path, size, Outcome.PLANNED, refusal or "", session.format, session.title or "",
            plan.tokens_before, plan.tokens_freed,
        )  # fmt: skip
        if refusal or not how.write:
            outcome = Outcome.REFUSED if refusal else Outcome.PLANNED
            return replace(found, outcome=outcome, told=_of_plan(plan_as_json(plan)) | {"written": False})
        if how.out is not None and plan.target is not None:
            make_folder(plan.target.parent)
        written = write(plan, drop_user_words=how.drop_user_words)
        return replace(found, outcome=Outcome.WRITTEN, told=_of_plan(written.as_json()))

    def _target_of(self, opened: Opened, path: Path) -> Path | None:
        how, workspace = self.compacting, opened.workspace
        if how is None or how.out is None:
            return None
        return self._target(path, how.out, format_named(workspace.session.format), workspace.new_id)

    def _target(self, path: Path, out: Path, kind: Format, new_id: str | None) -> Path:
        """Where the new session of a file goes below `out`."""
        assert self.compacting is not None
        inner = path.parent.relative_to(self.compacting.root)
        name = PurePath(kind.new_name(path, new_id))
        if name.parts[0] == "..":
            # A format that keeps a folder a session; nothing goes out of the folder that was named.
            inner, name = inner.parent, PurePath(*name.parts[1:])
        return out / inner / name

    def _open(self, path: Path) -> Opened:
        how = self.compacting
        opened = open_workspace(
            str(path),
            pipeline=_loaded(self.pipeline),
            settings=self.settings,
            exact=self.exact,
            # Saved results, and the list of those that are gone, lie beside the new session.
            out=None if how is None or how.out is None else partial(self._target, path, how.out),
            index=how is None or how.index,
        )
        assert isinstance(opened.source, FileSource)
        return opened


@cache
def _loaded(pipeline: str) -> Pipeline:
    """The pipeline, read once: all sessions of a run go through the same one."""
    return load(pipeline)


def _of_plan(told: Mapping[str, Any]) -> dict[str, Any]:
    """What a line tells of an export: neither the source again nor the texts and keys of its steps."""
    left_out = ("source", "steps", "user_messages_gone")
    kept = {name: value for name, value in told.items() if name not in left_out}
    return kept | {"user_messages_gone": len(told.get("user_messages_gone", ()))}
