"""`python -m tests.clients`: the table of what resumes, from the committed record."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from tests.clients.record import table, written_into


def main() -> None:
    parser = ArgumentParser(prog="python -m tests.clients", description=__doc__)
    parser.add_argument("--table", action="store_true", help="print the table (the default)")
    parser.add_argument("--write", metavar="FILE", type=Path, help="put it between its marks in a file")
    args = parser.parse_args()
    if args.write is None or args.table:
        print(table())
    if args.write is not None:
        args.write.write_text(written_into(args.write.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
