"""Recorded compaction cases, and what it takes for a stage to agree with one.

A case is a line of `tests/data/recorded/*.jsonl`: an input, what a public pipeline made of it, and
facts that must hold where ours does better on purpose (`verdict` differ). Strings of an
expectation may hold <<NUM>> (digits), <<PATH>> (no blanks) and <<ANY>>.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.errors import BadPipeline

Json = dict[str, Any]
Runner = Callable[[str, str, Mapping[str, Any], Sequence[Json]], Json]

DATA = Path(__file__).parent / "data" / "recorded"
WILD = {"<<NUM>>": "[0-9]+", "<<PATH>>": r"\S+", "<<ANY>>": "(?s:.*)"}


def cases(seed: str, *stages: str) -> list[Json]:
    """The recorded cases of one seed, of these stages where any are named."""
    with (DATA / f"{seed}.jsonl").open(encoding="utf-8") as file:
        found = [json.loads(line) for line in file if line.strip()]
    return [case for case in found if not stages or case["stage"] in stages]


def disagreements(run: Runner, case: Json) -> list[str]:
    """In words, how a run differs from what the case asks; empty when it agrees."""
    params = {**copy.deepcopy(case["params"]), "env": case["env"]}
    given = copy.deepcopy(case["messages"])
    facts = dict(case.get("expected_facts") or {})
    try:
        out = run(case["seed"], case["stage"], params, given)
    except BadPipeline as refusal:
        return [] if facts.get("raises") or facts.get("may_raise") else [f"refused: {refusal}"]
    if facts.pop("raises", None):
        return ["it was not refused"]
    facts.pop("may_raise", None)
    found = [] if given == case["messages"] else ["the input was changed in place"]
    if case["expected"] is not None and not same(plain(case["expected"]), plain(out["messages"])):
        found.append(f"messages: {plain(out['messages'])}")
    if not holds(case.get("expected_report") or {}, out["report"]):
        found.append(f"report: {out['report']}")

    if case.get("expected_files") is not None:
        found += wrong_files(case["expected_files"], out["files"])

    def again(extra: Mapping[str, Any]) -> Json:
        more = {**params, **facts.get("rerun_params", {}), **extra}
        return run(case["seed"], case["stage"], more, copy.deepcopy(out["messages"]))

    for name, wanted in facts.items():
        if not FACTS[name](wanted, case["messages"], out, again):
            found.append(f"fact {name}={wanted}")
    return found


def wrong_files(wanted: Sequence[Json], files: Sequence[Json]) -> list[str]:
    """In words, how planned files differ from those of the recording."""
    got = {file["path"]: file["text"] for file in files}
    if sorted(got) != sorted(file["path"] for file in wanted) or len(got) != len(files):
        return [f"files: {sorted(file['path'] for file in files)}"]
    found = []
    for file in wanted:
        head, text = body(got[file["path"]])
        if (len(text), sha256(text)) != (file["chars"], file["sha256"]):
            found.append(f"content of {file['path']}")
        if file.get("header") and not holds(file["header"], json.loads(head)):
            found.append(f"header of {file['path']}: {head}")
    return found


def body(text: str) -> tuple[str, str]:
    """The header of a saved file, if it has one, and the result that it holds."""
    head, sep, rest = text.partition("---CONTENT---\n")
    return (head, rest) if sep and head.startswith("{") else ("", text)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def plain(messages: Sequence[Json]) -> list[Json]:
    """Messages in one spelling: text content as one block, no metadata, no empty content."""
    return [{"role": m["role"], "content": [_block(b) for b in _blocks(m.get("content"))]} for m in messages]


def _blocks(content: Any) -> list[Json]:
    if not content:
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _block(block: Json) -> Json:
    block = {key: value for key, value in block.items() if key not in ("meta",)}
    if block["type"] == "tool_result":
        block.pop("name", None)
        block["is_error"] = bool(block.get("is_error"))
        block["content"] = [_block(part) for part in _blocks(block.get("content"))]
    return block


def same(wanted: Any, got: Any) -> bool:
    """Whether `got` is what was wanted, wildcards allowed."""
    if isinstance(wanted, str) and isinstance(got, str):
        if not any(sign in wanted for sign in WILD):
            return wanted == got
        parts = re.split("(<<NUM>>|<<PATH>>|<<ANY>>)", wanted)
        return re.fullmatch("".join(WILD.get(part) or re.escape(part) for part in parts), got) is not None
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(map(same, wanted, got))
    if isinstance(wanted, dict) and isinstance(got, dict):
        return wanted.keys() == got.keys() and all(same(wanted[key], got[key]) for key in wanted)
    return bool(wanted == got and isinstance(wanted, bool) == isinstance(got, bool))


def holds(wanted: Any, got: Any) -> bool:
    """Whether `got` has at least what is wanted."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(key in got and holds(wanted[key], got[key]) for key in wanted)
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        return len(wanted) == len(got) and all(map(holds, wanted, got))
    return same(wanted, got)


def text_of(content: Any) -> str:
    """The text of a result's or a message's content."""
    return "".join(b.get("text", "") for b in _blocks(content) if b.get("type") == "text")


def results(messages: Sequence[Json]) -> dict[str, str]:
    """The text of every result by its id."""
    return {
        block.get("tool_use_id", ""): text_of(block.get("content"))
        for message in messages
        for block in _blocks(message.get("content"))
        if block["type"] == "tool_result"
    }


def size(messages: Sequence[Json]) -> int:
    """Characters of everything that is sent."""
    total = 0
    for message in plain(messages):
        for block in message["content"]:
            match block["type"]:
                case "tool_result":
                    total += len(text_of(block["content"]))
                case "tool_use":
                    total += len(block["name"]) + len(json.dumps(block["input"]))
                case _:
                    total += len(block.get("text") or block.get("thinking") or "")
    return total


def split_pairs(messages: Sequence[Json]) -> set[tuple[str, str]]:
    """Results without an earlier call, and calls without a later result."""
    calls: dict[str, int] = {}
    answered: dict[str, int] = {}
    lonely = set()
    for i, message in enumerate(messages):
        for block in _blocks(message.get("content")):
            if block["type"] == "tool_use":
                calls[block["id"]] = i
            elif block["type"] == "tool_result":
                answered[block["tool_use_id"]] = i
                if block["tool_use_id"] not in calls:
                    lonely.add(("result", block["tool_use_id"]))
    return lonely | {("call", name) for name, i in calls.items() if answered.get(name, -1) <= i}


def first_user(messages: Sequence[Json]) -> Json | None:
    """The first message of the user that is words and no result."""
    for message in plain(messages):
        wordy = message["role"] == "user" and text_of(message["content"]).strip()
        if wordy and all(block["type"] != "tool_result" for block in message["content"]):
            return message
    return None


def pool(out: Json) -> list[str]:
    """All texts that are left: messages as JSON, and files."""
    return [json.dumps(message) for message in plain(out["messages"])] + [f["text"] for f in out["files"]]


def is_somewhere(text: str, out: Json) -> bool:
    """Whether a text is left in a message or a file."""
    return any(text in place or json.dumps(text)[1:-1] in place for place in pool(out))


def is_safe(path: str) -> bool:
    """Whether every part of a path is a plain name."""
    return all(re.fullmatch(r"(?!\.\.?$)[A-Za-z0-9._-]{1,160}", part) for part in path.split("/"))


def markers(messages: Sequence[Json]) -> list[int]:
    """The counts of all snip markers."""
    found = (re.fullmatch(r"\[snipped (\d+) messages\]", text_of(m.get("content"))) for m in messages)
    return [int(marker[1]) for marker in found if marker]


def snip_total(messages: Sequence[Json]) -> int:
    """Messages that are there or were snipped."""
    return len(messages) - len(markers(messages)) + sum(markers(messages))


def has_no_doubles(before: Sequence[Json], after: Sequence[Json]) -> bool:
    """Whether no message is there more often than before."""
    was, now = ([json.dumps(message) for message in plain(messages)] for messages in (before, after))
    return all(now.count(message) <= was.count(message) for message in now if message in was)


def has_backup(lines: int, files: Sequence[Json]) -> bool:
    """Whether a file holds so many messages, one JSON object a line."""
    for file in files:
        objects = [json.loads(line) for line in file["text"].splitlines() if line.strip()]
        if file["path"].endswith(".jsonl") and len(objects) == lines:
            return all(isinstance(value, dict) for value in objects)
    return False


Again = Callable[[Mapping[str, Any]], Json]
FACTS: dict[str, Callable[[Any, Sequence[Json], Json, Again], bool]] = {
    "rerun_params": lambda params, before, out, again: True,
    "rerun_same": lambda _, before, out, again: plain(again({})["messages"]) == plain(out["messages"]),
    "unchanged": lambda _, before, out, again: plain(before) == plain(out["messages"]),
    "not_larger": lambda _, before, out, again: size(out["messages"]) <= size(before),
    "no_orphans": lambda _, before, out, again: split_pairs(out["messages"]) <= split_pairs(before),
    "first_user_kept": lambda _, before, out, again: first_user(before) in plain(out["messages"]),
    "last_kept": lambda _, before, out, again: plain(before)[-1] == plain(out["messages"])[-1],
    "tail_at_least": lambda n, before, out, again: plain(before)[-n:] == plain(out["messages"])[-n:],
    "no_lone_surrogate": lambda _, before, out, again: (
        not any("\ud800" <= sign <= "\udfff" for text in results(out["messages"]).values() for sign in text)
    ),
    "result_changed": lambda ids, before, out, again: all(
        results(before)[name] != results(out["messages"])[name] for name in ids
    ),
    "result_text": lambda texts, before, out, again: all(
        same(text, results(out["messages"])[name]) for name, text in texts.items()
    ),
    "file_count": lambda n, before, out, again: len(out["files"]) == n,
    "file_names_safe": lambda _, before, out, again: all(is_safe(file["path"]) for file in out["files"]),
    "saved_texts": lambda hashes, before, out, again: (
        set(hashes) <= {sha256(body(file["text"])[1]) for file in out["files"]}
    ),
    "text_kept": lambda texts, before, out, again: all(is_somewhere(text, out) for text in texts),
    "text_absent": lambda texts, before, out, again: not any(is_somewhere(text, out) for text in texts),
    "text_in_messages": lambda texts, before, out, again: all(
        any(json.dumps(text)[1:-1] in json.dumps(message) for message in plain(out["messages"]))
        for text in texts
    ),
    "nothing_lost": lambda _, before, out, again: all(
        is_somewhere(text, out) for text in results(before).values()
    ),
    "no_duplicates": lambda _, before, out, again: has_no_doubles(before, out["messages"]),
    "max_messages": lambda n, before, out, again: len(out["messages"]) <= n,
    "marker_count": lambda n, before, out, again: markers(out["messages"]) == [n],
    "snip_total": lambda n, before, out, again: snip_total(out["messages"]) == n,
    "rerun_snip_total": lambda n, before, out, again: snip_total(again({})["messages"]) == n,
    "backup_lines": lambda n, before, out, again: has_backup(n, out["files"]),
    "cut": lambda n, before, out, again: out["report"]["cut"] == n,
    "cut_safe": lambda _, before, out, again: (
        split_pairs(before[out["report"]["cut"] :]) <= split_pairs(before)
    ),
    "summary_input_has": lambda texts, before, out, again: all(
        text in out["report"]["summary_input"] for text in texts
    ),
    "summary_input_max": lambda n, before, out, again: len(out["report"]["summary_input"]) <= n,
}
