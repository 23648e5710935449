"""`handcompact restore`: list the backups, or put one back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from app.cli.command import DONE, add_json, as_path
from app.cli.output import columns, say, say_json
from app.display import human_bytes
from app.export.strays import remove, strays
from app.restore import Manifest, manifest_of_backup, manifests, restore


class Restore:
    """Lists backups; with one named, puts its bytes and mode back where they came from."""

    name = "restore"
    summary = "list the backups, or put one back (keeping what it replaces)"

    def configure(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "backup", nargs="?", metavar="BACKUP", help="a backup, as listed without arguments"
        )
        parser.add_argument("--backup-dir", metavar="DIR", help="the folder to look in")
        parser.add_argument(
            "--remove-strays", action="store_true", help="remove unfinished files that a crash left"
        )
        add_json(parser)

    def run(self, args: Namespace) -> int:
        if args.backup is None:
            folder = as_path(args.backup_dir)
            left = strays([Path.cwd(), Path.cwd() / ".transcripts", *([folder] if folder else [])])
            if args.remove_strays:
                say(f"{remove(left)} unfinished files removed")
                return DONE
            self._list(manifests([folder] if folder else None), left, as_json=args.json)
            return DONE
        done = restore(manifest_of_backup(Path(args.backup).expanduser()))
        if args.json:
            kept = None if done.replaced_backup is None else str(done.replaced_backup)
            say_json(
                {
                    "target": str(done.target),
                    "backup": str(done.backup),
                    "kept": kept,
                    "changed": done.changed,
                }
            )
        elif not done.changed:
            say(f"{done.target} holds these bytes already: nothing was done")
        else:
            say(f"Restored  {done.target}", f"From      {done.backup}")
            if done.replaced_backup:
                say(f"Kept      {done.replaced_backup} (what stood there before)")
        return DONE

    def _list(self, found: tuple[Manifest, ...], left: tuple[Path, ...], *, as_json: bool) -> None:
        if as_json:
            strayed = [str(path) for path in left]
            say_json({"backups": [_as_json(manifest) for manifest in found], "strays": strayed})
            return
        for path in left:
            say(f"! unfinished, left by a crash: {path} (handcompact restore --remove-strays)")
        if not found:
            say("No backups yet: an export makes one.")
        else:
            rows = ((m.made, human_bytes(m.source_size), str(m.source), str(m.backup)) for m in found)
            say(*columns(rows, right=frozenset({1})))


def _as_json(manifest: Manifest) -> dict[str, object]:
    return {
        "made": manifest.made,
        "source": str(manifest.source),
        "backup": None if manifest.backup is None else str(manifest.backup),
        "target": str(manifest.target),
        "pipeline": manifest.pipeline,
        "in_place": manifest.in_place,
        "size": manifest.source_size,
        "manifest": str(manifest.path),
    }
