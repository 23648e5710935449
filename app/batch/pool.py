"""A job done with many files by a process per core, however many files there are and whatever breaks.

Results come as they are done; no more than a few files are under way, and a process is replaced after
some, so that memory is bounded by the largest sessions and not by their number.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Final

from app.batch.job import Job, Outcome, Result
from app.batch.tree import Entry

FILES_A_PROCESS: Final = 500
"""After so many a process is replaced by a new one. To start one takes as long as a hundred small files."""
MOST_PROCESSES: Final = 61
"""What Windows can wait for; everywhere else, too, more would only share the disk and the memory."""
AHEAD: Final = 2
"""Files that wait for each process."""


def run(job: Job, entries: Iterable[Entry], *, processes: int | None = None) -> Iterator[Result]:
    """Do `job` with every file; the results come in the order in which they are done.

    `processes` defaults to the cores that this process may use; with one, or for a single file, no other
    process is started. Close the iterator to stop: processes under way are ended, and leave nothing half
    written.
    """
    # The largest first: one of them begun last would keep one process busy when all others are done.
    listed = sorted(entries, key=lambda entry: -entry.size)
    count = min(processes or _cores(), MOST_PROCESSES, len(listed))
    if count <= 1:
        job.begin()
        return (job.do(entry.path, entry.size) for entry in listed)
    return _spread(job, listed, count)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _spread(job: Job, entries: list[Entry], count: int) -> Iterator[Result]:
    left = iter(entries)
    while True:
        fallen: list[Entry] = []
        yield from _in_pool(job, left, count, fallen)
        if not fallen:
            return
        # One of these ended its process, and took the others under way with it.
        for entry in fallen:
            yield from _alone(job, entry)


def _in_pool(job: Job, left: Iterator[Entry], count: int, fallen: list[Entry]) -> Iterator[Result]:
    """The results of the files left, until a process ends unasked: `fallen` then are those under way."""
    under_way: dict[Future[Result], Entry] = {}
    with _pool(job, count) as pool:
        for entry in left:
            try:
                under_way[_submitted(pool, entry)] = entry
            except BrokenProcessPool:
                fallen.append(entry)
            if fallen or len(under_way) >= count * AHEAD:
                yield from _done(under_way, fallen)
            if fallen:
                break
        while under_way and not fallen:
            yield from _done(under_way, fallen)
    fallen += under_way.values()


def _done(under_way: dict[Future[Result], Entry], fallen: list[Entry]) -> Iterator[Result]:
    """Wait for at least one result, and give all that are there."""
    if not under_way:
        return
    for future in wait(under_way, return_when=FIRST_COMPLETED).done:
        entry = under_way.pop(future)
        try:
            result = future.result()
        except BrokenProcessPool:
            fallen.append(entry)
            continue
        yield result


def _alone(job: Job, entry: Entry) -> Iterator[Result]:
    """One file in a process of its own, which may end."""
    with _pool(job, 1) as pool:
        try:
            yield _submitted(pool, entry).result()
        except BrokenProcessPool:
            reason = "the worker process ended unexpectedly, perhaps for lack of memory"
            yield Result(entry.path, entry.size, Outcome.FAILED, reason)


@contextmanager
def _pool(job: Job, count: int) -> Iterator[ProcessPoolExecutor]:
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        count,
        context,
        initializer=_begin,
        initargs=(job, gc.get_threshold()),
        max_tasks_per_child=FILES_A_PROCESS,
    )
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        # The pool may be starting one more in the place of one that ended.
        while begun := set(multiprocessing.active_children()) - before:
            _end(begun)
        raise
    pool.shutdown()


def _submitted(pool: ProcessPoolExecutor, entry: Entry) -> Future[Result]:
    """Begin with a file, for which a process may be started; raises BrokenProcessPool.

    Processes take along which signals are held back, so that an interrupt reaches none of them while it
    is being started: the one who waits for the results is asked to stop, and ends the others.
    """
    if not hasattr(signal, "pthread_sigmask"):
        return pool.submit(_do, entry)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(_do, entry)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(processes: Collection[BaseProcess]) -> None:
    """Tell processes to end, and see that they do."""
    ends = time.monotonic() + _PATIENCE
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(max(0.0, ends - time.monotonic()))
        process.kill()
        process.join()


_PATIENCE: Final = 5.0
"""Seconds that a process that was told to end has to take away what it had begun to write."""

_job: Job | None = None
"""In a process of the pool: what it does."""


def _begin(job: Job, collects: tuple[int, int, int]) -> None:
    global _job
    gc.set_threshold(*collects)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    _job = job
    job.begin()


def _do(entry: Entry) -> Result:
    assert _job is not None
    try:
        return _job.do(entry.path, entry.size)
    except SystemExit:
        # Told to end, and all that was begun was taken away: the pool would give this process more to do.
        os._exit(1)
