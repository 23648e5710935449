"""`handcompact resume-command`: the command that resumes a session in its agent."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from app.cli.command import DONE, add_file, add_json, open_plain
from app.cli.output import complain, say, say_json
from app.errors import InputError
from app.export.install import agent_folder
from app.formats import format_named
from app.settings import in_agent_dir


class ResumeCommand:
    """Prints the command, and says where the file must lie for it to work."""

    name = "resume-command"
    summary = "print the command that resumes a session in its agent"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        add_json(parser)

    def run(self, args: Namespace) -> int:
        session, _ = open_plain(args)
        kind = format_named(session.format)
        command = kind.resume_command(session.session_id) if session.session_id else None
        if command is None:
            raise InputError(f"{session.name} is {kind.title}: no agent resumes it")
        folder = agent_folder(session)
        there = session.name != "-" and in_agent_dir(Path(session.name))
        if args.json:
            place = None if folder is None else str(folder)
            say_json({"command": command, "folder": session.cwd, "place": place, "is_there": there})
            return DONE
        say(command)
        if session.cwd:
            complain(f"to be run in {session.cwd}")
        if not there and folder is not None:
            complain(f"{kind.title} looks in {folder}: handcompact compact --install puts a session there")
        return DONE
