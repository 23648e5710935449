"""Calls of tools: what the agent asks, what it gets back, and the agent's own record of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .workspace import FOLDER, Workspace, patch

SAVED = "(file state is current in your context — no need to Read it back)"


@dataclass(frozen=True)
class Outcome:
    """What came back: `content` is sent to the model, `twin` is kept by the agent for itself."""

    content: Any
    twin: Any
    kind: str = "code"
    """What it weighs as, a key of `weigh.FACTORS`."""
    error: bool = False
    shell: bool = False


@dataclass(frozen=True)
class Call:
    """One call; `run` is asked for the outcome at the moment the call is made."""

    name: str
    input: dict[str, Any]
    run: Callable[[Workspace], Outcome]
    seconds: float = 0.4
    follow: str = ""
    """Text that the agent itself puts after the result (a skill's own words)."""


def read(path: str, offset: int | None = None, limit: int | None = None) -> Call:
    """Read a file, or lines of it; a missing one is an error."""
    asked: dict[str, Any] = {"file_path": f"{FOLDER}/{path}"}
    if offset is not None:
        asked |= {"offset": offset, "limit": limit}

    def run(work: Workspace) -> Outcome:
        if path not in work.files:
            return failed(f"File does not exist. Note: your current working directory is {FOLDER}.")
        shown, plain = work.numbered(path, offset or 1, limit)
        file = {
            "filePath": f"{FOLDER}/{path}",
            "content": plain,
            "numLines": plain.count("\n") + 1,
            "startLine": offset or 1,
            "totalLines": work.files[path].count("\n") + 1,
        }
        return Outcome(shown, {"type": "text", "file": file}, "read")

    return Call("Read", asked, run)


def look(path: str, picture: tuple[str, int, int, int]) -> Call:
    """Read a picture."""
    data, width, height, size = picture
    sides = {"originalWidth": width, "originalHeight": height, "displayWidth": width, "displayHeight": height}
    twin = {
        "type": "image",
        "file": {"base64": data, "type": "image/png", "originalSize": size, "dimensions": sides},
    }
    source = {"type": "base64", "data": data, "media_type": "image/png"}
    outcome = Outcome([{"type": "image", "source": source}], twin)
    return Call("Read", {"file_path": f"{FOLDER}/{path}"}, lambda work: outcome)


def write(path: str, text: str) -> Call:
    """Write a whole file."""

    def run(work: Workspace) -> Outcome:
        old = work.files.get(path)
        work.files[path] = text
        twin = {
            "type": "create" if old is None else "update",
            "filePath": f"{FOLDER}/{path}",
            "content": text,
            "structuredPatch": [] if old is None else patch(old, text),
            "originalFile": old,
            "userModified": False,
        }
        if old is None:
            return Outcome(f"File created successfully at: {FOLDER}/{path} {SAVED}", twin, "prose")
        return Outcome(f"The file {FOLDER}/{path} has been updated successfully. {SAVED}", twin, "prose")

    return Call("Write", {"file_path": f"{FOLDER}/{path}", "content": text}, run)


def edit(path: str, old: str, new: str) -> Call:
    """Replace one place of a file; where `old` does not stand, the call fails and changes nothing."""

    def run(work: Workspace) -> Outcome:
        before = work.files[path]
        if old not in before:
            return failed(f"String to replace not found in file.\nString: {old}", wrapped=True)
        work.replace(path, old, new)
        twin = {
            "filePath": f"{FOLDER}/{path}",
            "oldString": old,
            "newString": new,
            "originalFile": before,
            "structuredPatch": patch(before, work.files[path]),
            "userModified": False,
            "replaceAll": False,
        }
        return Outcome(f"The file {FOLDER}/{path} has been updated successfully. {SAVED}", twin, "prose")

    asked = {"replace_all": False, "file_path": f"{FOLDER}/{path}", "old_string": old, "new_string": new}
    return Call("Edit", asked, run)


def bash(
    command: str,
    description: str,
    output: str | Callable[[Workspace], str] = "",
    *,
    error: int = 0,
    kind: str = "log",
    seconds: float = 1.2,
) -> Call:
    """Run a command that prints `output`, and ends with exit code `error`."""

    def run(work: Workspace) -> Outcome:
        printed = output if isinstance(output, str) else output(work)
        if error:
            text = f"Exit code {error}\n{printed}"
            return Outcome(text, f"Error: {text}", kind, error=True, shell=True)
        twin = {
            "stdout": printed,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": not printed,
        }
        return Outcome(printed or "(Bash completed with no output)", twin, kind, shell=True)

    return Call("Bash", {"command": command, "description": description}, run, seconds)


def persisted(command: str, description: str, path: str, saved_to: str) -> Call:
    """Print a file that is too long to be shown: the agent saves it and shows its first lines."""

    def run(work: Workspace) -> Outcome:
        text = work.files[path]
        size = f"{len(text.encode()) / 1024:.1f}KB"
        head = text[: text.rindex("\n", 0, 2000)]
        shown = (
            f"<persisted-output>\nOutput too large ({size}). Full output saved to: {saved_to}\n\n"
            f"Preview (first 2KB):\n{head}\n...\n</persisted-output>"
        )
        twin = {
            "stdout": text,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
        }
        twin |= {"persistedOutputPath": saved_to, "persistedOutputSize": len(text.encode())}
        return Outcome(shown, twin, "log", shell=True)

    return Call("Bash", {"command": command, "description": description}, run)


def grep(needle: str, where: str) -> Call:
    """Search the files that match `where`."""

    def run(work: Workspace) -> Outcome:
        lines = work.grep(needle, where)
        text = "\n".join(lines) or "No matches found"
        twin = {"mode": "content", "numFiles": 0, "filenames": [], "content": text, "numLines": len(lines)}
        return Outcome(text, twin, "code")

    return Call("Grep", {"pattern": needle, "glob": where, "output_mode": "content", "-n": True}, run, 0.1)


def glob(pattern: str, found: list[str]) -> Call:
    """List files; the listing is longer than the invented repository, which has only what is read."""
    names = [f"{FOLDER}/{path}" for path in found]
    twin = {"filenames": names, "durationMs": 12, "numFiles": len(names), "truncated": False}
    outcome = Outcome("\n".join(names), twin, "listing")
    return Call("Glob", {"pattern": pattern}, lambda work: outcome, 0.1)


def fetch(url: str, prompt: str, answer: str) -> Call:
    """Ask something of a page of the web."""
    twin = {
        "bytes": len(answer) * 9,
        "code": 200,
        "codeText": "OK",
        "result": answer,
        "durationMs": 3120,
        "url": url,
    }
    outcome = Outcome(answer, twin, "prose")
    return Call("WebFetch", {"url": url, "prompt": prompt}, lambda work: outcome, 3.1)


def ask(
    question: str, header: str, options: list[tuple[str, str]], answer: str, *, seconds: float = 95
) -> Call:
    """Ask the person."""
    questions = [
        {
            "question": question,
            "header": header,
            "options": [{"label": label, "description": words} for label, words in options],
            "multiSelect": False,
        }
    ]
    said = (
        f'Your questions have been answered: "{question}"="{answer}". '
        "You can now continue with these answers in mind."
    )
    outcome = Outcome(said, {"questions": questions, "answers": {question: answer}}, "prose")
    return Call("AskUserQuestion", {"questions": questions}, lambda work: outcome, seconds)


def skill(name: str, words: str) -> Call:
    """Load a skill: the result is a line, its words follow as a message of the agent's own."""
    outcome = Outcome(f"Launching skill: {name}", {"success": True, "commandName": name}, "prose")
    follow = f"Base directory for this skill: {FOLDER}/.claude/skills/{name}\n\n{words}"
    return Call("Skill", {"skill": name}, lambda work: outcome, 0.1, follow)


def failed(words: str, *, wrapped: bool = False) -> Outcome:
    """An error of the tool itself."""
    content = f"<tool_use_error>{words}</tool_use_error>" if wrapped else words
    return Outcome(content, f"Error: {words}", "prose", error=True)
