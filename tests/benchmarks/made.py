"""Sessions of any size, the same bytes for the same seed: agents' work as it is on average.

Texts are cut from pools at random places, so that making 500 MB takes seconds and no text comes twice.
"""

from __future__ import annotations

import base64
import json
import math
import random
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

SEED: Final = 20_251_130
_POOL: Final = 160_000
_RESULT: Final = (800, 64_000)
"""Characters of a tool's result: every order of size is as common as the next."""
_NOUNS: Final = (
    "cache", "parser", "token", "buffer", "session", "record", "branch", "socket", "worker", "schema",
    "index", "query", "filter", "widget", "cursor", "stream", "bundle", "packet", "vector", "window",
    "handler", "budget", "folder", "commit", "header", "region", "signal", "driver",
)  # fmt: skip
_VERBS: Final = ("reads", "writes", "keeps", "drops", "moves", "splits", "joins", "checks", "sorts", "finds")
_HAN: Final = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工"


def _code(rng: random.Random) -> Iterator[str]:
    for number in range(1, 100_000):
        a, b, c = rng.choices(_NOUNS, k=3)
        yield f"{number:>6}\t" + rng.choice(
            (
                f"def {rng.choice(_VERBS)}_{a}(self, {b}: dict[str, int], *, {c}: bool = False) -> None:",
                f"    self._{a}[{rng.randrange(512)}] = {b}.get('{c}', {rng.random():.3f})",
                f"    for {a} in sorted({b}.items(), key=lambda pair: pair[{rng.randrange(2)}]):",
                f'        raise ValueError(f"{a} {b}: {{{c}!r}}")',
                f"    # The {a} {rng.choice(_VERBS)} the {b} before a {c} is asked for.",
                "",
            )
        )


def _found(rng: random.Random) -> Iterator[str]:
    while True:
        a, b, c = rng.choices(_NOUNS, k=3)
        yield f"src/{a}/{b}_{c}.py:{rng.randrange(1, 3000)}:    return {a}.{b}({c!r})"


def _log(rng: random.Random) -> Iterator[str]:
    while True:
        minutes, seconds = divmod(rng.randrange(3_600), 60)
        level, words = rng.choice(("INFO", "WARN", "DEBUG")), " ".join(rng.choices(_NOUNS, k=7))
        yield f"2025-11-30T12:{minutes:02}:{seconds:02}Z {level} [{rng.getrandbits(32):08x}] {words}"


def _shell(rng: random.Random) -> Iterator[str]:
    while True:
        name = "_".join(rng.choices(_NOUNS, k=2))
        yield f"\x1b[32m✓\x1b[0m tests/test_{name}.py::test_{rng.choice(_VERBS)} [{rng.randrange(100):>3}%]\r"


def _values(rng: random.Random) -> Iterator[str]:
    while True:
        key, value = rng.choices(_NOUNS, k=2)
        yield f'{{"id": {rng.getrandbits(40)}, "{key}": ["{value}", {rng.random():.6f}, null], "ok": true}},'


def _words(rng: random.Random) -> Iterator[str]:
    while True:
        yield f"The {rng.choice(_NOUNS)} {rng.choice(_VERBS)} {' '.join(rng.choices(_NOUNS, k=9))}."


def _chinese(rng: random.Random) -> Iterator[str]:
    while True:
        yield "".join(rng.choices(_HAN, k=rng.randrange(10, 40))) + "。"


_Lines = Callable[[random.Random], Iterator[str]]
_KINDS: Final[tuple[tuple[_Lines, int], ...]] = (
    (_code, 36), (_found, 18), (_log, 14), (_values, 12), (_shell, 10), (_chinese, 10),
)  # fmt: skip


class Texts:
    """Texts of a wanted length, of the kinds that tools give back."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._pools = [_pool(lines, rng) for lines, _ in _KINDS]
        self._weights = [weight for _, weight in _KINDS]
        self._prose = _pool(_words, rng)

    def result(self) -> str:
        """What a tool gave back."""
        low, high = map(math.log, _RESULT)
        return self.of(int(math.exp(self._rng.uniform(low, high))))

    def of(self, chars: int) -> str:
        """A text of that many characters of any kind."""
        return self._cut(self._rng.choices(self._pools, self._weights)[0], chars)

    def prose(self, low: int, high: int) -> str:
        """Words of a person or a model."""
        return self._cut(self._prose, self._rng.randrange(low, high))

    def sealed(self, octets: int) -> str:
        """What nobody can read, in base64."""
        return base64.b64encode(self._rng.randbytes(octets)).decode()

    def _cut(self, pool: str, chars: int) -> str:
        start = self._rng.randrange(len(pool) - min(chars, len(pool) - 1))
        return pool[start : start + chars]


def _pool(lines: _Lines, rng: random.Random) -> str:
    found: list[str] = []
    left = _POOL
    for line in lines(rng):
        found.append(line)
        left -= len(line) + 1
        if left <= 0:
            break
    return "\n".join(found)


@dataclass(frozen=True, slots=True)
class Said:
    """One event of a session, in no agent's words."""

    kind: str
    """`user`, `assistant`, `thinking`, `call` or `result`."""
    text: str
    ident: str = ""
    tool: str = ""
    arguments: dict[str, Any] | None = None


def _events(rng: random.Random, texts: Texts) -> Iterator[Said]:
    while True:
        yield Said("user", texts.prose(40, 700))
        for _ in range(rng.randrange(2, 12)):
            if rng.random() < 0.4:
                yield Said("thinking", texts.prose(200, 2_000))
            if rng.random() < 0.5:
                yield Said("assistant", texts.prose(60, 600))
            yield from _calls(rng, texts)
        yield Said("assistant", texts.prose(200, 1_800))


def _calls(rng: random.Random, texts: Texts) -> Iterator[Said]:
    idents = [f"toolu_{rng.getrandbits(96):024x}" for _ in range(1 if rng.random() < 0.8 else 3)]
    for ident in idents:
        path = f"/repo/src/{rng.choice(_NOUNS)}/{rng.choice(_NOUNS)}.py"
        tool, arguments = rng.choice(
            (
                ("Read", {"file_path": path}),
                ("Bash", {"command": f"grep -rn {rng.choice(_NOUNS)} {path}", "timeout": 30_000}),
                ("Edit", {"file_path": path, "old_string": texts.of(300), "new_string": texts.of(360)}),
            )
        )
        yield Said("call", "", ident, tool, dict(arguments))
    for ident in idents:
        yield Said("result", texts.result(), ident)


class _Clock:
    def __init__(self) -> None:
        self._now = datetime(2025, 1, 1, tzinfo=UTC)

    def __call__(self) -> str:
        self._now += timedelta(seconds=7)
        return self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _claude(rng: random.Random) -> Iterator[str]:
    texts, clock = Texts(rng), _Clock()
    session, parent, reply, context = _uuid(rng), None, "", 30_000
    for said in _events(rng, texts):
        if said.kind in ("user", "result"):
            reply = ""
        elif not reply:
            reply, context = f"msg_{rng.getrandbits(96):024x}", (context + 900) % 170_000 + 10_000
        ident = _uuid(rng)
        record: dict[str, Any] = {
            "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/repo",
            "sessionId": session, "version": "2.1.0", "gitBranch": "main",
            "type": "assistant" if reply else "user", "uuid": ident, "timestamp": clock(),
        }  # fmt: skip
        if reply:
            record["message"] = {
                "id": reply, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
                "content": [_claude_block(said, texts)], "stop_reason": None, "stop_sequence": None,
                "usage": {"input_tokens": 4, "cache_creation_input_tokens": 800,
                          "cache_read_input_tokens": context, "output_tokens": 300},
            }  # fmt: skip
        elif said.kind == "user":
            record["message"] = {"role": "user", "content": said.text}
        else:
            block = {"tool_use_id": said.ident, "type": "tool_result", "content": said.text}
            record["message"] = {"role": "user", "content": [block]}
            record["toolUseResult"] = {"stdout": said.text[:2_000], "stderr": "", "interrupted": False}
        yield _dumps(record)
        parent = ident


def _claude_block(said: Said, texts: Texts) -> dict[str, Any]:
    if said.kind == "call":
        return {"type": "tool_use", "id": said.ident, "name": said.tool, "input": said.arguments}
    if said.kind == "thinking":
        return {"type": "thinking", "thinking": said.text, "signature": texts.sealed(300)}
    return {"type": "text", "text": said.text}


def _codex(rng: random.Random) -> Iterator[str]:
    texts, clock = Texts(rng), _Clock()

    def line(kind: str, payload: dict[str, Any]) -> str:
        return _dumps({"timestamp": clock(), "type": kind, "payload": payload})

    meta = {"id": _uuid(rng), "cwd": "/repo", "originator": "codex_cli_rs", "cli_version": "0.171.0"}
    yield line("session_meta", {**meta, "timestamp": clock(), "instructions": texts.prose(3_000, 4_000)})
    for said in _events(rng, texts):
        yield line("response_item", _codex_item(said, texts))
        if said.kind == "result":
            used = {"input_tokens": 60_000 + rng.randrange(9_000), "cached_input_tokens": 50_000,
                    "output_tokens": 300, "reasoning_output_tokens": 0, "total_tokens": 69_000}  # fmt: skip
            info = {"total_token_usage": used, "last_token_usage": used, "model_context_window": 272_000}
            yield line("event_msg", {"type": "token_count", "info": info})


def _codex_item(said: Said, texts: Texts) -> dict[str, Any]:
    match said.kind:
        case "thinking":
            summary = [{"type": "summary_text", "text": said.text[:160]}]
            return {
                "type": "reasoning",
                "summary": summary,
                "encrypted_content": texts.sealed(len(said.text)),
            }
        case "call":
            given = {"name": said.tool, "arguments": _dumps(said.arguments), "call_id": said.ident}
            return {"type": "function_call", **given}
        case "result":
            return {"type": "function_call_output", "call_id": said.ident, "output": said.text}
        case _:
            part = {"type": "input_text" if said.kind == "user" else "output_text", "text": said.text}
            return {"type": "message", "role": said.kind, "content": [part]}


def _openai(rng: random.Random) -> Iterator[str]:
    texts = Texts(rng)
    yield _dumps({"role": "system", "content": texts.prose(4_000, 6_000)})
    words: str | None = None
    calls: list[dict[str, Any]] = []
    for said in _events(rng, texts):
        if said.kind == "call":
            function = {"name": said.tool, "arguments": _dumps(said.arguments)}
            calls.append({"id": said.ident, "type": "function", "function": function})
            continue
        if calls or words is not None:
            yield _dumps({"role": "assistant", "content": words, **({"tool_calls": calls} if calls else {})})
            words, calls = None, []
        if said.kind == "assistant":
            words = said.text
        elif said.kind == "user":
            yield _dumps({"role": "user", "content": said.text})
        elif said.kind == "result":
            yield _dumps({"role": "tool", "tool_call_id": said.ident, "content": said.text})


SHAPES: Final[dict[str, Callable[[random.Random], Iterator[str]]]] = {
    "claude": _claude,
    "codex": _codex,
    "openai": _openai,
}
"""Claude Code and Codex, a record a line; OpenAI Chat, one JSON document."""


def make(path: Path, shape: str, megabytes: float, seed: int = SEED) -> Path:
    """Write a session of about that size (in 1,000,000 bytes), or leave the one that is there already."""
    if path.exists():
        return path
    head, between, tail = (
        (b'{"messages":[\n', b",\n", b"\n]}\n") if shape == "openai" else (b"", b"\n", b"\n")
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    building = path.with_suffix(".part")
    left = int(megabytes * 1_000_000)
    with building.open("wb") as file:
        left -= file.write(head)
        for number, line in enumerate(SHAPES[shape](random.Random(seed))):
            left -= file.write((between if number else b"") + line.encode())
            if left <= 0:
                break
        file.write(tail)
    return building.rename(path)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
