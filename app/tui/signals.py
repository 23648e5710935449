"""Being told to end by the system: the terminal was closed, or somebody used `kill`.

Left to itself that ends the program where it stands: half a file stays behind, and the terminal as the
screens had it.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from typing import Final

_SIGNS: Final = ("SIGTERM", "SIGHUP")


def when_told_to_end(leave: Callable[[int], object]) -> None:
    """Call `leave` with an exit code in the running loop, once the program is told to end.

    What the program was started to ignore (as `nohup` does) stays ignored.
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
