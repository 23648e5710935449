"""Nothing in a session can act on the terminal that shows it: measured in a real pseudo-terminal."""

from __future__ import annotations

import re

from tests.tui.terminal import written_to_terminal


def test_no_sequence_of_the_content_reaches_the_terminal() -> None:
    written = written_to_terminal("tests.tui.hostile_app")
    assert "aGFja2Vk" in written, "the hostile text was not shown at all"
    assert written.count("[/x] [b [/]") >= 2, "brackets are shown as they are"

    # The one operating system command of Textual itself: the shape of the mouse pointer.
    written = re.sub(r"\x1b\]22;[a-z-]+\x07", "", written)
    assert "\x1b]" not in written, "an operating system command: clipboard, title, link"
    assert not re.search("\x1b[P_^Xc]", written), "DCS, APC, PM, SOS or a reset"
    assert not re.search("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f]", written), "controls no screen needs"
    assert not re.search("[\u202a-\u202e\u2066-\u2069\ud800-\udfff]", written), "text turned around"
    assert "\x1b[6n" not in written, "a question that the terminal answers on standard input"
    assert "\x1b[2J" not in written
