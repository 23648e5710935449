"""Keeping the interpreter free for the screen while threads work. Measured with 50,000 blocks in 55 MB:

- A full run of the cycle collector holds up every thread while it looks at every object there is, for
  0.5 to 2.3 s, again and again.
- A busy thread is asked to let others run only every 5 ms; a screen that has to paint in 20 turns
  then takes a tenth of a second. With 1 ms the longest stop of the screen fell from 940 to 330 ms.
"""

from __future__ import annotations

import sys
import threading

SWITCH_SECONDS = 0.001

importing = threading.RLock()
"""Held by a thread while it imports: modules that need each other, first imported by two threads from two
sides at once, are seen half made, and the imports fail."""


def favour_screen() -> None:
    """Let threads that work give way to the screen more often."""
    sys.setswitchinterval(SWITCH_SECONDS)
