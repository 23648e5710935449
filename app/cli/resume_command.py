"""`handcompact resume-command`: the command that resumes a session in its agent."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from app.cli.command import DONE, add_file, add_json, open_plain
from app.cli.output import complain, say, say_json
from app.errors import InputError
from app.export.install import agent_folder
from app.export.resuming import resuming
from app.export.shell_quoting import quoted
from app.formats import format_named
from app.formats.source import FileSource
from app.settings import in_agent_dir


class ResumeCommand:
    """Prints the command, and says where the file must lie for it to work."""

    name = "resume-command"
    summary = "print the command that resumes a session in its agent"

    def configure(self, parser: ArgumentParser) -> None:
        add_file(parser)
        add_json(parser)

    def run(self, args: Namespace) -> int:
        session, source = open_plain(args)
        kind = format_named(session.format)
        usual = kind.resume_command(quoted(session.session_id)) if session.session_id else None
        if usual is None:
            raise InputError(f"{session.name} is {kind.title}: no agent can resume it")
        path = source.path if isinstance(source, FileSource) else None
        found = resuming(session, kind, path)
        folder = agent_folder(session)
        there = path is not None and in_agent_dir(path)
        if args.json:
            place = None if folder is None else str(folder)
            told = {"folder": session.cwd, "place": place, "is_there": there}
            say_json({**found.as_json(), **told, "command": found.command or usual})
            return DONE
        say(found.command or usual)
        for note in found.notes:
            complain(note)
        return DONE
