"""Opening a session for work: read, judged, with a pipeline, and with the place its export will have."""

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
"""Size from which a file takes so long to read that its beginning is worth a look first."""
HEAD_BYTES: Final = 256 << 10
"""How much of it is looked at: some screens full of rows, read in a few milliseconds."""


class Opened(Struct, frozen=True):
    """A workspace with the bytes it was read from."""

    workspace: Workspace
    source: Source
    leaf: str | None = None
    """The branch that was asked for; None for the one that goes on."""


Place: TypeAlias = Callable[[Format, str | None], Path]
"""Where an export shall go, by the session's format and the id that the new session gets."""


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

    `settings` are texts `stage.option=value`; `out` is where an export shall go, if that is known,
    or what tells it of the format and the new id;
    `install` says that it shall go where the session's agent looks; `index` whether an export lists the
    results that are no longer there; `counts_soon` that nobody waits for the rows: where a vocabulary will
    be needed, it is loaded first. `watch` is given the source before it is read: `reached` tells how far
    that is.
    Raises InputError for a file or a pipeline that cannot be used.
    """
    loaded = load(pipeline) if isinstance(pipeline, str) else pipeline
    chosen = loaded.with_options(parse_settings(settings))
    source = open_source(file)
    watch(source)
    # What was counted before is then known by its mark, and not read again.
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
    """The beginning of a large file as a session by itself, to be looked at while all of it is read.

    None for a file that is read as soon, and where the beginning holds no message. Raises InputError
    as `open_workspace` does.
    """
    source = open_source(file)
    if source.size < LARGE_BYTES:
        return None
    session = _head(source, detect(source))
    if not session.messages:
        return None
    return Opened(Workspace(session, load(pipeline), exact=False), source)


def _head(source: Source, kind: Format) -> Session:
    """The beginning of a file as a session by itself."""
    head = source.read(0, HEAD_BYTES)
    return kind.read(BytesSource(head[: head.rfind(b"\n") + 1] or head, source.name))


def _prepare_to_count(source: Source, kind: Format) -> None:
    """Load the vocabulary where the beginning of a large session was never counted.

    What its making takes for a moment, 25 MB, is then there for the session; the other way round both add up.
    """
    head = _head(source, kind)
    token_estimator(head.model).prepare(block for _, block in blocks_of(head.messages))


def _is_settled(source: Source, session: Session) -> bool:
    """Whether nothing was added since an export, asked where a summary does not tell what it left."""
    hiding = (m.boundary for m in reversed(session.live) if m.boundary is not None and m.boundary.hides)
    newest = next(hiding, None)
    is_told = newest is None or newest.preserved is not None
    return not is_told and isinstance(source, FileSource) and is_as_written(source)


def _places(source: Source, kind: Format, new_id: str | None, out: Path | None) -> tuple[str, str]:
    """The folder of saved results, and the list of those that are no longer there; empty where not known.

    It is the new session's side folder, else that of the new file.
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
    """Stage name -> option -> text, of `stage.option=value`; raises BadPipeline for another form."""
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
