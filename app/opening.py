"""Opening a session as a Workspace: detect, read, load the pipeline, decide where an export will go."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import Final, TypeAlias

from msgspec import Struct

from app.errors import BadPipeline
from app.export.install import beside, installed_path
from app.export.manifests import is_as_written
from app.export.results_index import index_place
from app.formats import detect, fresh_id, open_source, read_branch
from app.formats.base import Format
from app.formats.source import BytesSource, FileSource, Source
from app.model import Session, blocks_of
from app.pipeline import Pipeline, load
from app.tokens import token_estimator
from app.tokens.encode import counts_are_kept
from app.work.workspace import Workspace

LARGE_BYTES: Final = 4 << 20
"""Size from which reading takes so long that the file's head is shown first."""
HEAD_BYTES: Final = 256 << 10
"""Size of that head: several screens of rows, read in a few milliseconds."""


class Opened(Struct, frozen=True):
    """A workspace with the source it was read from."""

    workspace: Workspace
    source: Source
    leaf: str | None = None
    """The branch that was asked for; None for the live one."""


Place: TypeAlias = Callable[[Format, str | None], Path]
"""Returns where an export goes, given the session's format and the new session's id."""


def open_workspace(
    file: str,
    *,
    leaf: str | None = None,
    pipeline: str | Pipeline,
    settings: Iterable[str] = (),
    exact: bool = True,
    out: Path | Place | None = None,
    install: bool = False,
    index: bool = True,
    counts_soon: bool = True,
    watch: Callable[[Source], None] = lambda _: None,
) -> Opened:
    """Open a file (`-` is standard input) with a pipeline whose options `settings` change.

    `settings` are texts `stage.option=value`. `out` is where an export goes, if known, or a function of
    the format and the new id; with `install` it goes where the session's agent looks. `index`: an export
    lists the results that were removed. `counts_soon`: tokens are counted right after reading, so a
    vocabulary that will be needed is loaded first. `watch` gets the source before it is read; its
    `reached` is the progress.
    Raises InputError for a file or a pipeline that cannot be used.
    """
    loaded = load(pipeline) if isinstance(pipeline, str) else pipeline
    chosen = loaded.with_options(parse_settings(settings))
    source = open_source(file)
    watch(source)
    # With marks (digests), texts counted in an earlier run are found in the cache without reading them.
    source.marks = exact and counts_are_kept()
    kind = detect(source)
    if exact and counts_soon and source.size >= LARGE_BYTES:
        _prepare_to_count(source, kind)
    session = read_branch(kind, source, leaf)
    source.reached = source.size
    new_id = fresh_id(session)
    if install:
        out = installed_path(session, kind, PurePath(source.name), new_id)
    target = out if out is None or isinstance(out, Path) else out(kind, new_id)
    root, listed = _places(source, kind, new_id, target)
    workspace = Workspace(
        session,
        chosen,
        exact=exact,
        new_id=new_id,
        root=root,
        index=listed if index else "",
        settled=_is_settled(source, session),
    )
    return Opened(workspace, source, leaf)


def open_head(file: str, pipeline: str) -> Opened | None:
    """The head of a large file as a session of its own, to look at while the whole file is read.

    None if the file is small enough to be read as fast, or if the head holds no message. Raises
    InputError as `open_workspace` does.
    """
    source = open_source(file)
    if source.size < LARGE_BYTES:
        return None
    session = _head(source, detect(source))
    if not session.messages:
        return None
    return Opened(Workspace(session, load(pipeline), exact=False), source)


def _head(source: Source, kind: Format) -> Session:
    """The first `HEAD_BYTES` of a file, cut at a line end, as a session of its own."""
    head = source.read(0, HEAD_BYTES)
    return kind.read(BytesSource(head[: head.rfind(b"\n") + 1] or head, source.name))


def _prepare_to_count(source: Source, kind: Format) -> None:
    """Load the vocabulary before reading, if texts in the head of the session were never counted.

    Loading needs 25 MB for a moment, which the session then reuses; loaded after it, both would add up.
    """
    head = _head(source, kind)
    token_estimator(head.model).prepare(block for _, block in blocks_of(head.messages))


def _is_settled(source: Source, session: Session) -> bool:
    """Whether nothing was appended since our export; only asked if its boundary names no preserved part."""
    hiding = (m.boundary for m in reversed(session.live) if m.boundary is not None and m.boundary.hides)
    newest = next(hiding, None)
    is_told = newest is None or newest.preserved is not None
    return not is_told and isinstance(source, FileSource) and is_as_written(source)


def _places(source: Source, kind: Format, new_id: str | None, out: Path | None) -> tuple[str, str]:
    """The folder for saved results and the path of the list of removed ones; empty if not known.

    The folder is the new session's side folder, else the one that holds the new file.
    """
    if out is not None:
        target = out.absolute()
    elif isinstance(source, FileSource):
        target = beside(source.path, kind.new_name(source.path, new_id))
    else:
        return "", ""
    side = kind.side_folder(target)
    root = str(side or target.parent)
    return root, index_place(root, target, side is not None)


def parse_settings(texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """Parse `stage.option=value` texts to stage name -> option -> text; raises BadPipeline on other forms."""
    settings: dict[str, dict[str, str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        stage, dot, option = name.strip().rpartition(".")
        if not (equals and dot and stage and option):
            raise BadPipeline(
                f"--set {text!r}: expected STAGE.OPTION=VALUE, as in microcompact.keep_recent=5"
            )
        settings.setdefault(stage, {})[option] = value.strip()
    return settings
