"""`handcompact restore`: list the backups, see what one would change, put it back."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.cli.colours import say_lines
from app.cli.command import DONE, FOUND, add_json, as_path
from app.cli.output import columns, say, say_json
from app.display import counted, human_bytes
from app.errors import InputError, RefusedError
from app.export.manifests import Manifest, looked_in, manifests
from app.export.plan_text import still_open_words
from app.export.stray_files import remove, strays
from app.formats import open_session
from app.restore import Restored, State, manifest_of_backup, restore, state_of, why_not_restore
from app.session_diff.lines import contrast_lines, summary
from app.session_diff.sessions import Contrast, contrast, contrast_json
from app.tokens import token_estimator
from app.tokens.counter import Counter


class Restore:
    """Lists backups; with one named, puts its bytes and mode back where they came from."""

    name = "restore"
    summary = "list backups, or restore one (the current file is kept)"

    def configure(self, parser: ArgumentParser) -> None:
        parser.add_argument("backup", nargs="?", metavar="BACKUP", help="a backup from the list")
        parser.add_argument("--backup-dir", metavar="DIR", help="folder to search for backups")
        parser.add_argument(
            "--diff",
            action="store_true",
            help="first show what would change; without a terminal, restore only with --yes",
        )
        parser.add_argument("--yes", action="store_true", help="restore without asking")
        parser.add_argument(
            "--force", action="store_true", help="restore even while an agent is using the session"
        )
        parser.add_argument(
            "--remove-strays", action="store_true", help="remove unfinished files left by a crash"
        )
        add_json(parser)

    def run(self, args: Namespace) -> int:
        if args.backup is None:
            return self._list(args)
        if args.remove_strays:
            raise InputError("--remove-strays does not restore: leave out --remove-strays or BACKUP")
        manifest = manifest_of_backup(Path(args.backup).expanduser())
        if args.diff:
            found = _show_difference(manifest, args)
            if not (args.yes or _may_ask(args)):
                return FOUND if found else DONE
        if reason := why_not_restore(manifest, force=args.force):
            raise RefusedError(reason)
        if _may_ask(args) and not args.yes and not _agrees(manifest):
            raise RefusedError("nothing was restored")
        _say_done(restore(manifest, force=args.force), args)
        return DONE

    def _list(self, args: Namespace) -> int:
        folder = as_path(args.backup_dir)
        left = strays([Path.cwd(), Path.cwd() / ".transcripts", *([folder] if folder else [])])
        if args.remove_strays:
            return _remove(left, args)
        found = manifests([folder] if folder else None)
        if args.json:
            say_json(
                {
                    "backups": [_as_json(manifest, diff=args.diff) for manifest in found],
                    "strays": [str(path) for path in left],
                }
            )
            return DONE
        for path in left:
            say(f"! unfinished, left by a crash: {path} (handcompact restore --remove-strays)")
        if not found:
            looked = " or ".join(str(place) for place in ([folder] if folder else looked_in()))
            say(f"No backups in {looked}. Every export makes one.")
            say("For files outside agents' folders: see .transcripts beside the file (--backup-dir DIR).")
            return DONE
        say(*columns(_rows(found), right=frozenset({1})))
        if args.diff:
            say(*_differences(found))
        return DONE


def _remove(left: Sequence[Path], args: Namespace) -> int:
    removed = remove(left)
    if args.json:
        say_json({"removed": [str(path) for path in left]})
    else:
        say(f"{counted(removed, 'unfinished file')} removed")
    return DONE


def _rows(found: tuple[Manifest, ...]) -> Iterator[tuple[str, ...]]:
    yield ("made", "size", "current", "file", "backup")
    for manifest in found:
        state = state_of(manifest)
        there = str(state)
        if state is State.DIFFERS:
            there = f"differs ({human_bytes(manifest.source.stat().st_size)})"
        yield (
            manifest.made,
            human_bytes(manifest.source_size),
            there,
            str(manifest.source),
            str(manifest.backup or "-"),
        )


def _differences(found: tuple[Manifest, ...]) -> Iterator[str]:
    for manifest in found:
        if state_of(manifest) is State.DIFFERS:
            yield ""
            yield f"{manifest.backup}"
            yield f"  {_difference_words(manifest)}"


def _difference_words(manifest: Manifest) -> str:
    """What putting it back would change, in a line."""
    try:
        found = _contrast(manifest)
    except InputError as error:
        return f"cannot be compared message by message: {error}"
    words = summary(found, _counter(found))
    return words if not found.is_same else f"{words}; only records that are never sent differ"


def _contrast(manifest: Manifest) -> Contrast:
    """From what stands there now to the backup: what a restore would do. Raises InputError."""
    assert manifest.backup is not None, "a backup that is there"
    return contrast(open_session(manifest.source)[0], open_session(manifest.backup)[0])


def _counter(found: Contrast) -> Counter:
    rough = token_estimator(found.before.model, exact=False)
    return Counter(rough, rough)


def _show_difference(manifest: Manifest, args: Namespace) -> bool:
    """Show what a restore would change; false where nothing would."""
    state = state_of(manifest)
    if state is State.LOST:
        raise RefusedError(str(why_not_restore(manifest, force=True)))
    found, problem = None, ""
    if state is State.DIFFERS:
        try:
            found = _contrast(manifest)
        except InputError as error:
            problem = str(error)
    if args.json:
        if not args.yes:
            told = None if found is None else contrast_json(found, _counter(found), full=False)
            say_json({**_as_json(manifest, diff=False), "diff": told, "problem": problem or None})
    elif found is not None:
        say_lines(contrast_lines(found, _counter(found)))
    elif state is State.DIFFERS:
        say(f"{manifest.source} differs, and cannot be compared message by message: {problem}")
    else:
        words = {State.SAME: "is identical to the backup", State.GONE: "is gone: restoring recreates it"}
        say(f"{manifest.source} {words[state]}")
    return state is not State.SAME


def _may_ask(args: Namespace) -> bool:
    """Whether a person is there to answer."""
    return not args.json and sys.stdin.isatty() and sys.stdout.isatty()


def _agrees(manifest: Manifest) -> bool:
    """Ask; only `y` or `yes` is one."""
    state = state_of(manifest)
    if state is State.SAME:
        return True
    say(f"Backup    {manifest.backup}", f"File      {manifest.source}")
    if state is State.DIFFERS:
        say(f"Would     {_difference_words(manifest)}", "The current file is backed up first.")
    sys.stdout.write("Restore it? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _say_done(done: Restored, args: Namespace) -> None:
    if args.json:
        kept = None if done.replaced_backup is None else str(done.replaced_backup)
        told = {"target": str(done.target), "backup": str(done.backup), "kept": kept, "changed": done.changed}
        say_json({**told, "still_open": list(done.still_open)})
    elif not done.changed:
        say(f"{done.target} is identical to the backup: nothing was done")
    else:
        say(f"Restored  {done.target}", f"From      {done.backup}")
        if done.replaced_backup:
            say(f"Kept      {done.replaced_backup} (the file that was replaced)")
        if done.still_open:
            say(f"Warning   {still_open_words(done.still_open)}")


def _as_json(manifest: Manifest, *, diff: bool) -> dict[str, object]:
    state = state_of(manifest)
    told: dict[str, object] = {
        "made": manifest.made,
        "source": str(manifest.source),
        "backup": None if manifest.backup is None else str(manifest.backup),
        "target": str(manifest.target),
        "pipeline": manifest.pipeline,
        "in_place": manifest.in_place,
        "size": manifest.source_size,
        "manifest": str(manifest.path),
        "state": str(state),
    }
    if diff:
        told["difference"] = _difference_words(manifest) if state is State.DIFFERS else None
    return told
