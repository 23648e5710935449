"""Plans the contents of a shared export: no sealed thinking, no paths of this machine, no recovery data.

Sealed thinking is dropped whole: it cannot be searched for secrets, and a signature would not match masked
text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from app.errors import InputError
from app.export.results_index import FOLDER, free_name
from app.formats.base import Format
from app.formats.source import FileSource, Source
from app.model import Block, Image, Message, Opaque, Session, Thinking, ToolResult, blocks_of
from app.settings import in_agent_dir
from app.stages.base import PlannedFile
from app.stages.saving import safe_name
from app.work.checks import Check, CheckLevel

NOT_PROMISED = (
    "secrets of an unknown form, and words that only you know to be private",
    "anything encoded (base64, compressed, encrypted) or split over several texts",
    "anything visible in images",
    "names and places in the conversation, except user names in paths",
)
"""What masking may miss; shown wherever something is shared."""


class Unsealed(Struct, frozen=True):
    """Messages without their sealed blocks."""

    messages: tuple[Message, ...]
    left_out: int
    """The number of sealed blocks left out."""


def unsealed(messages: Sequence[Message]) -> Unsealed:
    """The messages without sealed blocks; a message of only sealed blocks is dropped."""
    kept: list[Message] = []
    left_out = 0
    for message in messages:
        blocks = tuple(block for block in message.blocks if not _is_sealed(block))
        left_out += len(message.blocks) - len(blocks)
        if blocks:
            kept.append(message if len(blocks) == len(message.blocks) else replace(message, blocks=blocks))
    return Unsealed(tuple(kept) if left_out else tuple(messages), left_out)


def _is_sealed(block: Block) -> bool:
    if isinstance(block, Opaque):
        return "encrypted_content" in block.content.read()
    return isinstance(block, Thinking)


def shared_target(source: Source, out: Path | None) -> Path:
    """The path of a shared session: `out`, else beside the original, but never in an agent's folder.

    Raises InputError if the source is not a file and `out` is not given.
    """
    if out is not None:
        return out
    if not isinstance(source, FileSource):
        where = "standard input" if source.name == "-" else source.name
        raise InputError(f"a session from {where} needs --out PATH (or --out - for standard output)")
    path = source.path.resolve()
    folder = Path.cwd() if in_agent_dir(path) else path.parent
    return folder / f"{path.stem}.shared{path.suffix}"


def shared_folder(kind: Format, target: Path) -> Path:
    """The folder that holds the saved results of a shared session."""
    return Path(kind.side_folder(target) or target.parent)


def shared_files(
    files: Sequence[tuple[Path, PlannedFile]],
    listed: tuple[Path, PlannedFile] | None,
    kind: Format,
    target: Path,
) -> tuple[tuple[tuple[Path, PlannedFile], ...], tuple[tuple[str, str], ...]]:
    """The files to write below the shared session's folder, and the path replacements for texts.

    `listed` is the index of removed results, which gets a file name of its own.
    """
    base = shared_folder(kind, target)
    short = "." if base == target.parent else base.name
    made: list[tuple[Path, PlannedFile]] = []
    moved: dict[str, str] = {}
    for path, file in files:
        inner = Path(FOLDER) / f"results-{safe_name(target.stem)}.md"
        if listed is None or file is not listed[1]:
            inner = Path(file.path)
            moved[str(path).removesuffix(file.path).rstrip("/\\")] = short
        place = Path(free_name(base / inner)) if listed and file is listed[1] else base / inner
        moved[str(path)] = f"{short}/{place.relative_to(base).as_posix()}"
        made.append((place, file))
    return tuple(made), tuple(moved.items())


def sharing_checks(session: Session, left_out: int) -> Iterator[Check]:
    """Warnings to show before a session is shared."""
    if left_out:
        blocks = "1 block" if left_out == 1 else f"{left_out:,} blocks"
        words = f"{blocks} of sealed thinking left out: sealed content cannot be searched"
        yield Check(CheckLevel.WARN, words)
    if pictures := sum(_pictures(block) for _, block in blocks_of(session.messages)):
        these = "1 image is kept" if pictures == 1 else f"{pictures:,} images are kept"
        yield Check(CheckLevel.WARN, f"{these} as they are: check what they show")
    yield Check(CheckLevel.WARN, "not every secret can be found: read it before you share it")


def _pictures(block: Block) -> int:
    parts = block.parts if isinstance(block, ToolResult) else (block,)
    return sum(isinstance(part, Image) for part in parts)
