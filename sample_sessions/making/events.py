"""What happens to a session beside prompts and replies: opening, compaction, rewinding, a subagent."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from .calls import Call, Outcome
from .ids import hexes
from .transcript import MODEL, Meter, Transcript, compact
from .workspace import FOLDER, Workspace

LEFT_OUT = "(left out of this sample)"
ENVIRONMENT = (
    f"<system-reminder>\n# Environment\n - Primary working directory: {FOLDER}\n - Is a git repository: "
    "true\n"
    " - Platform: linux\n - Shell: bash\n - OS Version: Linux 6.1.0\n</system-reminder>"
)
NAME = "Opus 4.6"


def standing(t: Transcript, skills: dict[str, str]) -> None:
    """The attachments that say where the agent is and what it can do."""
    place = {
        "workingDirectory": FOLDER,
        "isWorktree": False,
        "isGitRepo": True,
        "additionalWorkingDirectories": [],
    }
    place |= {"platform": "linux", "shell": "bash", "osVersion": "Linux 6.1.0"}
    t.attach({"type": "environment", "snapshot": place}, [ENVIRONMENT])
    told = f"You are powered by the model named {NAME}. The exact model ID is {MODEL}."
    identity = {"modelId": MODEL, "marketingName": NAME}
    t.attach(
        {"type": "model", "identity": identity, "text": told},
        [f"<system-reminder>\n{told}\n</system-reminder>"],
    )
    listing = "\n".join(f"- {name}: {words}" for name, words in skills.items())
    skill_list = {"type": "skill_listing", "content": listing, "skillCount": len(skills), "isInitial": True}
    t.attach(
        skill_list | {"names": list(skills)}, [f"<system-reminder>\nSkills:\n{listing}\n</system-reminder>"]
    )


def context(t: Transcript, git_status: str) -> None:
    """The attachments that follow the first prompt after an opening: repository, date, system prompt."""
    t.loose("atis-latch", atis="")
    reminder = f"<system-reminder>\n# gitStatus\n{git_status}\n</system-reminder>"
    t.attach({"type": "session_context", "context": {"gitStatus": git_status}}, [reminder], "user")
    today = f"{t.now:%Y-%m-%d}"
    t.attach(
        {"type": "date", "date": today}, [f"<system-reminder>\nToday's date is {today}.\n</system-reminder>"]
    )
    snapshot = {"type": "prompt_snapshot", "systemPrompt": [LEFT_OUT], "reminderFold": False}
    t.attach(snapshot | {"echoWireToolInputs": False, "contextRendering": "announced"})


def nested_memory(t: Transcript, path: str, text: str) -> None:
    """The instructions of a folder, sent when a file in it was first read."""
    content = {
        "path": f"{FOLDER}/{path}",
        "type": "Project",
        "content": text,
        "contentDiffersFromDisk": False,
    }
    attachment = {
        "type": "nested_memory",
        "path": f"{FOLDER}/{path}",
        "content": content,
        "displayPath": path,
    }
    t.attach(
        attachment, [f"<system-reminder>\nContents of {FOLDER}/{path}:\n\n{text}\n</system-reminder>"], "user"
    )


def compaction(t: Transcript, request: str, summary: str, files: list[str], skills: dict[str, str]) -> None:
    """`/compact request`: a boundary, the summary, the command's own rows, and some files read again."""
    t.queue(f"/compact {request}")
    t.loose("queue-operation", operation="dequeue", timestamp=t.stamp())
    before = t.meter.fixed + t.meter.spoken
    logical = t.head
    t.slug = "amber-folding-lantern"
    t.wait(38)
    t.meter.spoken = 0
    t.meter.cached = 0
    text = (
        "This session is being continued from a previous conversation that ran out of context. "
        f"The summary below covers the earlier portion of the conversation.\n\n{summary}\n\n"
        "Continue from where it left off without asking the user any further questions."
    )
    t.meter.add(text, "prose")
    after = t.meter.fixed + t.meter.spoken
    metadata = {"trigger": "manual", "preTokens": before, "durationMs": 37_840, "postTokens": after}
    notice: dict[str, Any] = {"logicalParentUuid": logical, "type": "system", "subtype": "compact_boundary"}
    notice |= {"content": "Conversation compacted", "isMeta": False}
    metadata["cumulativeDroppedTokens"] = before - after
    t.link(notice, {"level": "info", "compactMetadata": metadata}, parent=None)
    told = {"promptId": t.prompt_id, "type": "user"}
    flags = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
    t.link(told | {"message": {"role": "user", "content": text}} | flags, {"rowSource": "local"})
    command(t, "/compact", request, "Compacted (ctrl+o to see full summary)")
    for path in files:
        reread(t, path)
    standing(t, skills)
    t.state_rows()


def command(t: Transcript, name: str, arguments: str, printed: str) -> None:
    """The three rows of a slash command: a caveat, the command, what it printed."""
    caveat = (
        "<local-command-caveat>The command below was run by the user in Claude Code.</local-command-caveat>"
    )
    line = (
        f"<command-name>{name}</command-name>\n            <command-message>{name[1:]}</command-message>\n"
        f"            <command-args>{arguments}</command-args>"
    )
    told = {"promptId": t.prompt_id, "type": "user"}
    for text, flags in (
        (caveat, {"isMeta": True}),
        (line, {}),
        (f"<local-command-stdout>{printed}</local-command-stdout>", {}),
    ):
        t.meter.add(text, "prose")
        t.link(told | {"message": {"role": "user", "content": text}} | flags, {"rowSource": "local"})


def reread(t: Transcript, path: str) -> None:
    """A file that the agent reads again by itself after a compaction."""
    shown, plain = t.work.numbered(path)
    lines = plain.count("\n") + 1
    file = {
        "filePath": f"{FOLDER}/{path}",
        "content": plain,
        "numLines": lines,
        "startLine": 1,
        "totalLines": lines,
    }
    attachment = {"type": "file", "filename": f"{FOLDER}/{path}", "content": {"type": "text", "file": file}}
    attachment |= {"displayPath": path, "savedCopyFraming": {"enveloped": False}}
    asked = json.dumps({"file_path": f"{FOLDER}/{path}"})
    called = f"<system-reminder>\nCalled the Read tool with the following input: {asked}\n</system-reminder>"
    result = f"<system-reminder>\nResult of calling the Read tool:\n{shown}\n</system-reminder>"
    t.attach(attachment, [called, result], "user")


@dataclass(frozen=True)
class Mark:
    """A point of the conversation to which the person may rewind."""

    head: str | None
    meter: Meter
    turns: int


def mark(t: Transcript) -> Mark:
    return Mark(t.head, replace(t.meter), t.turns)


def rewind(t: Transcript, to: Mark) -> None:
    """What follows hangs on the marked record: the rows in between stay in the file, off the branch."""
    t.head = to.head
    t.meter.spoken, t.meter.cached, t.turns = to.meter.spoken, to.meter.cached, to.turns


def agent(description: str, prompt: str, helper: Transcript, report: str) -> Call:
    """Ask a subagent, whose own session `helper` has been written; `report` is what it hands back."""
    agent_id = helper.agent_id
    assert agent_id is not None
    tokens = helper.meter.fixed + helper.meter.spoken
    uses = sum('"type":"tool_use"' in row for row in helper.rows)
    milliseconds = round((helper.now - helper.started).total_seconds() * 1000)
    indented = "\n".join(f"  {line}" if line else "" for line in report.split("\n"))
    text = (
        f"[Subagent hand-back] The text below is the final report of a subagent.\n{indented}\n"
        f"agentId: {agent_id} (use SendMessage with to: '{agent_id}' to continue this agent)\n"
        f"<usage>subagent_tokens: {tokens}\ntool_uses: {uses}\nduration_ms: {milliseconds}</usage>"
    )
    content = [{"type": "text", "text": text}]
    twin: dict[str, Any] = {
        "status": "completed",
        "prompt": prompt,
        "agentId": agent_id,
        "agentType": "Explore",
    }
    twin |= {"toolsUsed": helper.tools, "content": [{"type": "text", "text": report}], "resolvedModel": MODEL}
    twin |= {"totalDurationMs": milliseconds, "totalTokens": tokens, "totalToolUseCount": uses}

    def run(work: Workspace) -> Outcome:
        return Outcome(content, twin, "prose")

    asked = {
        "description": description,
        "subagent_type": "Explore",
        "prompt": prompt,
        "run_in_background": False,
    }
    return Call("Agent", asked, run, milliseconds / 1000)


def helper_of(t: Transcript, name: str) -> Transcript:
    """An empty session of a subagent that `t` starts now."""
    helper = Transcript(f"{t.name} {name}", t.now, t.work, fixed=7_300, branch=t.branch)
    helper.session_id, helper.prompt_id, helper.slug = t.session_id, t.prompt_id, t.slug
    helper.agent_id = "a" + hexes(16, t.name, name)
    return helper


def helper_meta(description: str, call_id: str) -> str:
    """The small file that the agent keeps beside a subagent's session."""
    return compact(
        {
            "agentType": "Explore",
            "isBuiltIn": True,
            "description": description,
            "toolUseId": call_id,
            "spawnDepth": 1,
            "requestShape": "foreground",
            "model": MODEL,
            "finished": True,
        }
    )
