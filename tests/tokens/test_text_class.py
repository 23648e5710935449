"""The kind of a text is seen in its first lines."""

from __future__ import annotations

import time

import pytest

from app.tokens.text_class import TextClass, text_class

EXAMPLES = [
    (TextClass.NUMBERED, "     1→import os\n     2→\n     3→def main() -> None:\n     4→    pass\n"),
    (TextClass.NUMBERED, "     9\tconst a = 1\n    10\tconst b = 2\n"),
    (TextClass.DIFF, "diff --git a/x.py b/x.py\nindex 1..2 100644\n--- a/x.py\n+++ b/x.py\n"),
    (TextClass.DIFF, "The file was changed:\n@@ -1,3 +1,4 @@\n-old\n+new\n same\n"),
    (TextClass.JSON, '{"name": "handcompact", "private": true}'),
    (TextClass.JSON, '[\n  {"id": 1},\n  {"id": 2}\n]'),
    (TextClass.GREP, "src/a.py:12:def a():\nsrc/b.py:3:def b():\nsrc/b.py-4-    pass\n"),
    (TextClass.PATHS, "./src/app/main.py\n./src/app/model.py\n/etc/hosts\ndocs/\n"),
    (TextClass.DIGITS, "2026-01-05T09:00:00Z INFO started\n2026-01-05T09:00:01Z INFO ready\n"),
    (TextClass.DIGITS, "1.25 3.50 7.75\n2.25 4.50 8.75\n"),
    (TextClass.CODE, "def f(a: int) -> dict[str, int]:\n    return {str(i): i for i in range(a)}\n"),
    (TextClass.PROSE, "The login page loses its cookie after a redirect. Please find out why.\n"),
    (TextClass.CHINESE, "登录页面在重定向之后会丢失 cookie，请找出原因。"),
    (TextClass.PROSE, ""),
    (TextClass.PROSE, "   \n\n"),
]


@pytest.mark.parametrize(("kind", "text"), EXAMPLES)
def test_class(kind: TextClass, text: str) -> None:
    assert text_class(text) is kind


@pytest.mark.parametrize("unit", ["./-1", "a", " ", "/", "[", "1-", "a.-", "./-11", "--- a"])
def test_a_hostile_head_is_looked_at_quickly(unit: str) -> None:
    start = time.process_time()
    text_class(unit * 10_000)
    assert time.process_time() - start < 0.1
