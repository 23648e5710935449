"""`report DIR` and `compact DIR`: every session below a folder, with a bar, lines as they come, and a sum."""

from __future__ import annotations

import heapq
from argparse import Namespace
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

from app.batch import Compacting, Entry, Job, Outcome, Result, run, sessions_below
from app.cli.command import DONE, FOUND, as_path, lists_results
from app.cli.exporting import wishes_of
from app.cli.output import bar, columns, complain, end_of_bar, say, say_json_line
from app.display import counted, human_bytes, human_number, one_line
from app.errors import InputError, RefusedError
from app.settings import cache_dir

LARGEST: Final = 10
"""Sessions that a summary names unasked."""
NAMED: Final = 50
"""Files that could not be used, and new sessions, that have a line of their own; the rest is counted."""

_SESSIONS: Final = (Outcome.READ, Outcome.PLANNED, Outcome.NOTHING, Outcome.WRITTEN, Outcome.REFUSED)
_FOR_ONE: Final = (
    "in_place", "install", "title", "share", "summary_file", "memory", "refusal", "model_command",
    "ask_model", "yes_send", "add_rules", "leaf",
)  # fmt: skip
"""What can be asked for one session only."""
_TROUBLE: Final = (Outcome.REFUSED, Outcome.UNREADABLE, Outcome.FAILED)


def report_folder(args: Namespace) -> int:
    """Report on every session below a folder; gives the exit code."""
    _refuse_for_one(args)
    job = Job(args.pipeline, tuple(args.settings), args.count == "exact", _cache(args))
    return _run(args, job, Path(args.file), (), args.top or LARGEST)


def compact_folder(args: Namespace) -> int:
    """Compact every session below a folder, or say what it would do; gives the exit code."""
    _refuse_for_one(args)
    if args.out == "-":
        raise InputError("standard output can take only one session: give --out DIR for a folder")
    folder, out = Path(args.file), as_path(args.out)
    if out is not None and out.exists() and not out.is_dir():
        raise InputError(f"{out} is not a folder: give --out DIR for a folder of sessions")
    compacting = Compacting(
        folder,
        out,
        wishes_of(args),
        write=(args.write or out is not None) and not args.dry_run,
        drop_user_words=args.drop_user_words,
        look_at_disk=args.look_at_disk,
        index=lists_results(args),
    )
    job = Job(args.pipeline, tuple(args.settings), args.count == "exact", _cache(args), compacting)
    leave_out = tuple(path for path in (out, as_path(args.backup_dir)) if path is not None)
    code = _run(args, job, folder, leave_out, LARGEST)
    if not compacting.write and not args.json:
        say(
            "",
            "Dry run: nothing was written. --write writes each beside its original, --out DIR elsewhere.",
        )
    return code


def _refuse_for_one(args: Namespace) -> None:
    for word in _FOR_ONE:
        if getattr(args, word, None):
            option = f"--{word.replace('_', '-')}"
            raise InputError(
                f"{option} works on one session, but {args.file} is a folder: give a session file"
            )


def _cache(args: Namespace) -> Path | None:
    return None if args.no_cache else cache_dir()


def _run(args: Namespace, job: Job, folder: Path, leave_out: tuple[Path, ...], largest: int) -> int:
    from app.opening import parse_settings
    from app.pipeline import load

    pipeline = load(args.pipeline).with_options(parse_settings(args.settings))
    if args.jobs is not None and args.jobs < 1:
        raise InputError(f"--jobs {args.jobs}: at least one process is needed")
    unlisted: list[Result] = []
    entries = sessions_below(
        folder,
        leave_out=leave_out,
        unlisted=lambda at, why: unlisted.append(_unlisted(at, why)),
    )
    if not entries:
        raise InputError(f"{folder} contains no .jsonl, .json or .traj files: give a folder of sessions")
    tally = Totals(largest, len(entries) + len(unlisted))
    try:
        with closing(_results(job, entries, args.jobs)) as results:
            for result in chain(unlisted, _with_bar(results, entries)):
                tally.add(result)
                if args.json:
                    say_json_line(result.as_json())
    except KeyboardInterrupt:
        # What was done by then may have taken long, and may have been written.
        tally.stopped = True
        _tell(args, folder, tally, job, pipeline.name)
        raise
    _tell(args, folder, tally, job, pipeline.name)
    return tally.exit_code


def _tell(args: Namespace, folder: Path, tally: Totals, job: Job, pipeline: str) -> None:
    if args.json:
        say_json_line({"summary": tally.as_json()})
        return
    say(*_lines(folder, tally, pipeline, compacts=job.compacting is not None))
    for line in tally.trouble_lines():
        complain(line)


def _unlisted(folder: Path, why: str) -> Result:
    reason = f"{folder} cannot be listed ({why}): its contents were skipped"
    return Result(folder, 0, Outcome.UNREADABLE, reason)


def _results(job: Job, entries: list[Entry], jobs: int | None) -> Generator[Result, None, None]:
    yield from run(job, entries, processes=jobs)


def _with_bar(results: Iterator[Result], entries: list[Entry]) -> Iterator[Result]:
    """The results, with a bar on the terminal that tells how many bytes are done."""
    everything, done = sum(entry.size for entry in entries), 0
    bar(0.0, f"0 of {counted(len(entries), 'file')}, ctrl+c stops")
    try:
        for number, result in enumerate(results, 1):
            done += result.size
            end_of_bar()
            yield result
            bar(done / max(everything, 1), f"{number:,} of {counted(len(entries), 'file')}, ctrl+c stops")
    finally:
        end_of_bar()


@dataclass
class Totals:
    """What all sessions come to; of the sessions themselves it holds the largest few."""

    largest: int
    files: int
    """That there are."""
    stopped: bool = False
    """Whether somebody stopped it before all of them were done."""
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    size: int = 0
    tokens: int = 0
    freed: int = 0
    _top: list[tuple[int, int, Result]] = field(default_factory=list)
    _troubles: list[Result] = field(default_factory=list)
    _written: list[tuple[Path, str]] = field(default_factory=list)

    def add(self, result: Result) -> None:
        """One more file."""
        self.outcomes[result.outcome] += 1
        if result.outcome in _TROUBLE and len(self._troubles) < NAMED:
            self._troubles.append(result)
        if result.outcome is Outcome.WRITTEN and len(self._written) < NAMED:
            self._written.append((result.path, str(result.told["target"])))
        if not result.format:
            return
        self.size += result.size
        self.tokens += result.tokens
        self.freed += result.freed
        heapq.heappush(self._top, (result.tokens, -self.outcomes.total(), result))
        if len(self._top) > self.largest:
            heapq.heappop(self._top)

    @property
    def sessions(self) -> int:
        """Files that are sessions and could be read."""
        return sum(self.outcomes[one] for one in _SESSIONS)

    @property
    def top(self) -> list[Result]:
        """The sessions with the most tokens, the largest first."""
        return [result for _, _, result in sorted(self._top, key=lambda held: held[:2], reverse=True)]

    @property
    def exit_code(self) -> int:
        """3 where something was refused or failed, 1 where a file could not be read, else 0."""
        if self.outcomes[Outcome.REFUSED] or self.outcomes[Outcome.FAILED]:
            return RefusedError.exit_code
        if not self.sessions:
            return InputError.exit_code
        return FOUND if self.outcomes[Outcome.UNREADABLE] else DONE

    def written_lines(self, folder: Path) -> Iterator[str]:
        """Where each new session lies, as far as they are kept."""
        for path, target in sorted(self._written):
            yield f"wrote     {path.relative_to(folder)} -> {target}"
        more = self.outcomes[Outcome.WRITTEN] - len(self._written)
        if more:
            yield f"wrote     and {more:,} more; --json has a line for each"

    def trouble_lines(self) -> Iterator[str]:
        """A line for each file that could not be used, as far as they are kept."""
        for result in self._troubles:
            why = result.reason.removeprefix(f"{result.path} ")
            yield f"! {result.path}: {result.outcome}: {why}"
        more = sum(self.outcomes[one] for one in _TROUBLE) - len(self._troubles)
        if more:
            yield f"! and {more:,} more; --json has a line for each"

    def as_json(self) -> dict[str, object]:
        """The last line that `--json` prints."""
        return {
            "files": self.outcomes.total(),
            "stopped": self.stopped,
            "sessions": self.sessions,
            "outcomes": {str(outcome): count for outcome, count in sorted(self.outcomes.items())},
            "size": self.size,
            "tokens": self.tokens,
            "freed": self.freed,
            "largest": [
                {"source": str(r.path), "tokens": r.tokens, "freed": r.freed, "size": r.size}
                for r in self.top
            ],
        }


def _lines(folder: Path, tally: Totals, pipeline: str, *, compacts: bool) -> Iterator[str]:
    others = tally.outcomes[Outcome.OTHER]
    aside = f", {counted(others, 'other file')} skipped" if others else ""
    yield f"{folder}  {counted(tally.sessions, 'session')}, {human_bytes(tally.size)}{aside}"
    if tally.stopped:
        open_ends = (
            "; some of those in progress may have been written" if tally.outcomes[Outcome.WRITTEN] else ""
        )
        yield f"stopped   after {tally.outcomes.total():,} of {counted(tally.files, 'file')}{open_ends}"
    freed = "frees" if tally.outcomes[Outcome.WRITTEN] else "would free"
    all_tokens, all_freed = human_number(tally.tokens), human_number(tally.freed)
    yield f"tokens    ~{all_tokens}, of which {pipeline} {freed} ~{all_freed}"
    if compacts:
        yield f"outcome   {', '.join(f'{n:,} {outcome}' for outcome, n in sorted(tally.outcomes.items()))}"
    yield ""
    rows = [("~tokens", f"~{freed.removeprefix('would ')}", "size", "format", "session")]
    for result in tally.top:
        name = str(result.path.relative_to(folder))
        words = f"{name}  {one_line(result.title, 48).rstrip()}" if result.title else name
        figures = human_number(result.tokens), human_number(result.freed), human_bytes(result.size)
        rows.append((*figures, result.format, words))
    yield from columns(rows, right=frozenset({0, 1, 2}))
    if tally.sessions > len(tally.top):
        yield f"and {counted(tally.sessions - len(tally.top), 'smaller session')}"
    if tally.outcomes[Outcome.WRITTEN]:
        yield ""
        yield from tally.written_lines(folder)
