"""Looks for bytes that a reader or a writer fails on, guided by what of their code is reached.

    python -m tests.fuzz CORPUS -max_total_time=900

CORPUS is a folder in which the run keeps what it finds worth going on from. Whatever ends it early is
written to a file `crash-...`, `timeout-...` or `oom-...`; with that file in the place of CORPUS it is
tried again. All options are libFuzzer's. It needs atheris (`pip install -e '.[fuzz]'`).
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Final

import atheris

with atheris.instrument_imports(include=["app.formats", "app.validity"]):
    from tests.fuzz.readers import SECONDS, holds

from tests.fuzz.corpus import seeds
from tests.fuzz.mutations import mutate

MAX_SIZE: Final = 64 * 1024
"""Bytes of one input: what goes wrong shows in small files too, and sooner."""
MEMORY_MIB: Final = 1024
"""What the whole run may never need: more would be memory that is not given back."""

SEEDS: Final = seeds()


def damaged(data: bytes, _: int, seed: int) -> bytes:
    """What libFuzzer asks for instead of changing bits itself."""
    return mutate(data, Random(seed), SEEDS)[:MAX_SIZE]


def tried(data: bytes) -> None:
    """Whatever is raised here is a find."""
    holds(data)


def main(arguments: list[str]) -> None:
    """Run until something is found or the time is over."""
    corpus = next((Path(word) for word in arguments if not word.startswith("-")), None)
    if corpus is not None and not corpus.is_file():
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(SEEDS):
            (corpus / f"seed-{number:03}").write_bytes(seed)
    limits = [f"-max_len={MAX_SIZE}", f"-rss_limit_mb={MEMORY_MIB}", f"-timeout={SECONDS}"]
    atheris.Setup([sys.argv[0], *arguments, *limits], tried, custom_mutator=damaged)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
