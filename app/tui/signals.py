"""Orderly shutdown on termination signals: the terminal was closed, or somebody used `kill`.

By default such a signal ends the program at once, which can leave a half-written file and a terminal that
is not restored.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from typing import Final

_SIGNS: Final = ("SIGTERM", "SIGHUP")


def when_told_to_end(leave: Callable[[int], object]) -> None:
    """Call `leave` with an exit code, in the running event loop, when a termination signal arrives.

    A signal that was ignored when the program started (as with `nohup`) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for name in _SIGNS:
        sign = getattr(signal, name, None)
        if sign is None or signal.getsignal(sign) is not signal.SIG_DFL:
            continue
        try:
            loop.add_signal_handler(sign, leave, 128 + sign)
        except NotImplementedError:
            return  # on Windows
