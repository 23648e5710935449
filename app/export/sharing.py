"""Writes an export that is to be shared: masks everything written, then verifies the result.

The session is first written and compared with the plan like any other. Its bytes are then masked, parsed
again, compared in structure with the unmasked session, and searched once more for secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from app import __version__
from app.display import counted
from app.errors import RefusedError
from app.export.artifacts import stamp
from app.export.cancellation import TO_THE_END, Stopper
from app.export.files import StagedFile, discard, encoded, names_of, publish_free, stage
from app.export.plan import ExportPlan
from app.export.plan_json import step_as_json
from app.export.share_plan import NOT_PROMISED
from app.formats.source import FileSource, chunks
from app.formats.splice import scan
from app.json_out import json_bytes
from app.masking import SEALED, MaskedPlace, Masker, MaskingOptions
from app.model import Message, ToolUse
from app.private_paths import NAME
from app.validity import check, errors

HEAD = 65_536
"""Bytes at the start of a file that decide whether it is text."""


@dataclass
class Sharing:
    """The masking state of one shared export while it is written."""

    plan: ExportPlan
    masker: Masker
    not_texts: list[str] = field(default_factory=list)
    """Masked names of files that were left out because they are not text."""
    names_elsewhere: int = 0
    """How often user names that were masked in paths also occur elsewhere in the session."""

    def staged(self, whole: StagedFile, stopper: Stopper = TO_THE_END) -> StagedFile:
        """Replace the staged session by a masked copy; the unmasked file is removed in any case.

        Raises RefusedError or Stopped; the masked copy is then removed too.
        """
        try:
            with FileSource(whole.path) as source:
                pieces = masked_pieces(partial(chunks, source), self._name, self.masker)
                made = stage(whole.path.parent, stopper.each(pieces))
                try:
                    self._prove(source, made, stopper)
                except BaseException:
                    discard(made.path)
                    raise
        finally:
            discard(whole.path)
        return made

    def copy(self, file: Path, inner: PurePath) -> tuple[PurePath, Iterator[bytes]] | None:
        """The masked name and bytes of a file that belongs to the session; None if it is not text."""
        source = FileSource(file)
        name = PurePath(self.masker.text(inner.as_posix(), MaskedPlace(inner.as_posix(), 0)))
        head = source.read(0, HEAD)
        if b"\0" in head or not _is_text(head):
            self.not_texts.append(name.as_posix())
            return None
        return name, masked_pieces(partial(chunks, source), name.as_posix(), self.masker)

    def text(self, text: str, path: Path) -> str:
        """The masked text of a file written beside the session: a saved result or the results index."""
        name = self._inside(path)
        pieces = masked_pieces(lambda: [encoded(text)], name, self.masker)
        return b"".join(pieces).decode("utf-8", "surrogatepass")

    @property
    def _name(self) -> str:
        return "standard output" if self.plan.target is None else self.plan.target.name

    def _prove(self, source: FileSource, made: StagedFile, stopper: Stopper) -> None:
        kind, where = self.plan.format, self.plan.target_words
        with FileSource(made.path) as masked:
            before, after = kind.read(source), kind.read(masked)
            if _outline(before.live) != _outline(after.live) or len(before.records) != len(after.records):
                raise RefusedError(
                    f"{where} was not written: masking would change its structure;"
                    " leave out a --mask that occurs in names of fields or tools"
                )
            if broken := errors(check(kind.validity, kind.request(after, after.live))):
                raise RefusedError(
                    f"{where} was not written: masked, it would break {broken[0].rule} at {broken[0].where}"
                )
            again = Masker(MaskingOptions(addresses=self.masker.wanted.addresses))
            names = [name.lower().encode() for name in self.masker.tally.different[NAME] if len(name) > 3]
            for piece in stopper.each(masked_pieces(partial(chunks, masked), self._name, again)):
                lowered = piece.lower()
                self.names_elsewhere += sum(lowered.count(name) for name in names)
            if again.tally.times:
                kinds = ", ".join(sorted(again.tally.times))
                raise RefusedError(
                    f"{where} was not written: after masking it still seems to contain: {kinds}"
                )

    def as_json(self) -> dict[str, Any]:
        """What kinds were masked and where, and what masking may miss; never the masked values."""
        return {
            "masked": [row for row in self.masker.tally.as_json() if row["kind"] != SEALED],
            "sealed_left_out": self.plan.sealed + self.masker.tally.times[SEALED],
            "files_left_out": self.not_texts,
            "names_elsewhere": self.names_elsewhere,
            "not_promised": list(NOT_PROMISED),
        }

    def lines(self) -> Iterator[str]:
        """`as_json` as lines for a person."""
        told = self.as_json()
        rows = told["masked"]
        if not rows:
            yield "Masked    nothing: no string looks like a secret and no path contains a user name"
        for row in rows:
            different = f", {row['different']} different" if row["different"] > 1 else ""
            times = f"{counted(row['times'], 'time')}{different}"
            yield f"Masked    {row['kind']}: {times}{_where(row['places'])}"
        if sealed := told["sealed_left_out"]:
            yield f"Left out  {counted(sealed, 'piece')} of sealed thinking, anywhere in the file"
        for name in self.not_texts:
            yield f"Left out  {name}: not text, so it cannot be searched"
        if self.names_elsewhere:
            times = counted(self.names_elsewhere, "time")
            words = f"a user name masked in paths occurs {times} elsewhere"
            yield f"May miss  {words}: --mask masks it"
        for words in NOT_PROMISED:
            yield f"May miss  {words}"

    def manifest(self, size: int, sha256: str, files: Iterable[Path]) -> bytes:
        """The manifest that accompanies a shared session; it names no folder of this machine."""
        plan = self.plan
        assert plan.target is not None, "a file"
        data = {
            "handcompact": __version__,
            "made": stamp(),
            "shared": True,
            "in_place": False,
            "pipeline": plan.pipeline,
            "format": plan.format.name,
            "source": None,
            "backup": None,
            "target": {"path": plan.target.name, "size": size, "sha256": sha256},
            "tokens_before": plan.tokens_before,
            "tokens_after": plan.tokens_after,
            "estimator": plan.estimator,
            "steps": [step_as_json(step) for step in plan.steps],
            "files": [self._inside(path) for path in files],
            **self.as_json(),
        }
        return self.masker.json(b"".join(json_bytes(data)), MaskedPlace("manifest", 0))

    def write_manifest(self, size: int, sha256: str, files: Iterable[Path]) -> Path | None:
        """Write the manifest beside the session (`size` in bytes); None if no report is wanted."""
        target = self.plan.target
        if target is None or not self.plan.report:
            return None
        paper = stage(target.parent, [self.manifest(size, sha256, files)])
        return publish_free(paper, names_of(target.parent, f"{target.stem}.manifest", ".json"))

    def _inside(self, path: Path) -> str:
        assert self.plan.target is not None, "a file"
        folder = self.plan.target.parent
        if not folder.is_absolute():
            folder = folder.absolute()
            path = path.absolute()
        return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def sharing_of(plan: ExportPlan) -> Sharing | None:
    """The masking state for an export; None if it is not to be shared."""
    if plan.share is None:
        return None
    wanted = MaskingOptions(plan.share.addresses, plan.share.words, tuple(dict.fromkeys(_roots(plan))))
    return Sharing(plan, Masker(wanted))


def foreseen(plan: ExportPlan, stopper: Stopper = TO_THE_END) -> Sharing | None:
    """Dry run: what would be masked in the session itself. Writes nothing; raises Stopped."""
    found = sharing_of(plan)
    if found is not None:
        for _ in stopper.each(masked_pieces(plan.rewriting.pieces, found._name, found.masker)):
            pass
    return found


def _roots(plan: ExportPlan) -> Iterator[tuple[str, str]]:
    """Pairs of a folder of this machine that texts may name and what replaces it in the shared session."""
    yield from plan.moved
    if plan.side_folder is not None:
        old, new = plan.side_folder
        yield str(old), new.name


def masked_pieces(pieces: Callable[[], Iterable[bytes]], name: str, masker: Masker) -> Iterator[bytes]:
    """The masked bytes of a file: JSON Lines, one JSON document, or plain text.

    `pieces` is called more than once and must start over each time. JSON Lines are streamed, never joined.
    """
    if _begins_with_json(pieces()):
        yield from masker.lines(pieces(), name)
        return
    data = b"".join(pieces())
    if scan(data).whole:
        yield masker.json(data, MaskedPlace(name, 0))
    elif data[:1] in (b"{", b"["):
        # JSON Lines whose first line is damaged: the others are masked as JSON.
        yield from masker.lines([data], name)
    else:
        yield masker.text_bytes(data, MaskedPlace(name, 0))


def _begins_with_json(pieces: Iterable[bytes]) -> bool:
    """Whether the first line is a complete JSON value."""
    held: list[bytes] = []
    for piece in pieces:
        held.append(piece if held else piece.lstrip())
        if b"\n" in held[-1]:
            break
        if not held[-1]:
            held.pop()
    line = b"".join(held).partition(b"\n")[0]
    return line[:1] in (b"{", b"[") and scan(line).whole


def _is_text(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError as error:
        # A character cut off at the end of the sample does not count.
        return error.start >= len(head) - 3
    return True


def _outline(messages: Iterable[Message]) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The structure of messages without their text: roles, block kinds, tool call ids and tool names."""
    return [
        (
            str(message.role),
            [
                (
                    block.kind,
                    block.id if isinstance(block, ToolUse) else getattr(block, "tool_use_id", ""),
                    block.name if isinstance(block, ToolUse) else "",
                )
                for block in message.blocks
            ],
        )
        for message in messages
    ]


def _where(places: list[dict[str, Any]]) -> str:
    """The first places where something was masked: up to 3 files, up to 5 lines in each."""
    files: dict[str, list[int]] = {}
    for place in places:
        files.setdefault(place["file"], []).append(place["line"])
    said = []
    for name, numbers in list(files.items())[:3]:
        shown = [str(number) for number in numbers if number][:5]
        more = " ..." if len(numbers) > 5 else ""
        said.append(f"{name} line {', '.join(shown)}{more}" if shown else name)
    rest = f" and {len(files) - 3} more files" if len(files) > 3 else ""
    return f" ({'; '.join(said)}{rest})"
