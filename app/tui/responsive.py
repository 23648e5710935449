"""Keeping the interpreter free for the screen while threads work. Measured with 50,000 blocks in 55 MB:

- A full run of the cycle collector holds up every thread while it looks at every object there is, for
  0.5 to 2.3 s, again and again.
- A busy thread is asked to let others run only every 5 ms; a screen that has to paint in 20 turns
  then takes a tenth of a second. With 1 ms the longest stop of the screen fell from 940 to 330 ms.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_SECONDS = 0.001

importing = threading.RLock()
"""Held by a thread while it imports: modules that need each other, first imported by two threads from two
sides at once, are seen half made, and the imports fail."""

_lock = threading.Lock()
_pauses = 0


def favour_screen() -> None:
    """Let threads that work give way to the screen more often."""
    sys.setswitchinterval(SWITCH_SECONDS)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Collect nothing meanwhile, and never look again at what was made meanwhile.

    For work whose outcome lives as long as the session is open. Without cycles in it, it is still
    freed when nobody refers to it any more. May be used by several threads at once.
    """
    global _pauses
    with _lock:
        _pauses += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if _pauses == 0:
                gc.freeze()
                gc.enable()
