"""Classifying a shell command by its words: it reads a file, looks around, or runs something.

Many agents read and write files only through the shell, so a command that just prints one file counts
as a read of it. A command that is not understood (substitutions, loops, unlisted programs) counts as
running something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from app.compactability.paths import ODD, Span, file_path
from app.compactability.tools import Kind

MAX_COMMAND: Final = 4_000
"""Code points of the longest command that is parsed; a longer one counts as running something."""

_END: Final = 10**9


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD: Final = r"""(?:[^\s'"\\`;&|<>()$]|\$(?![({])|'[^']*'|"(?:[^"\\`$]|\\.|\$(?![({]))*"|\\.)+"""
_TOKEN: Final = re.compile(
    rf"[ \t\r]*(?:\#[^\n]*|(?P<word>{_WORD})|(?P<op>[;&|<>\n]+)|(?P<bad>\S))", re.DOTALL
)
_QUOTES: Final = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)""", re.DOTALL)
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
_SED_RANGE: Final = re.compile(r"(\d+)(?:,(\d+|\$))?p;?")

_NEUTRAL: Final = _words(
    "cd pwd echo printf true set export which type date whoami uname hostname id stat file test [ "
    "basename dirname realpath readlink sleep wc sort uniq cut tr column jq awk printenv df ps "
    "md5sum sha256sum diff cmp"
)
_READERS: Final = _words("cat bat nl head tail sed less more get-content gc")
_SEARCHERS: Final = _words("grep egrep fgrep rg ag ack zgrep select-string")
_LISTERS: Final = _words("ls find fd tree du dir exa eza get-childitem gci")
_WEB: Final = frozenset({"curl", "wget"})
_GIT_LOOKS: Final = _words(
    "status log show diff blame branch remote rev-parse ls-files grep describe shortlog reflog tag"
)
_FIND_RUNS: Final = frozenset({"-delete", "-exec", "-execdir", "-ok"})
_TEXT_WRITERS: Final = frozenset({"cat", "echo", "printf", "tee"})
_WRITERS: Final = _TEXT_WRITERS | {"sed"}
_FILTERS: Final = _READERS | _SEARCHERS | _NEUTRAL


class ShellCommand(Struct, frozen=True):
    """What one command line does."""

    kind: Kind = Kind.BASH
    files: tuple[str, ...] = ()
    """Files that it prints."""
    span: Span | None = None
    """Lines of the one file that are printed; None is all of it."""
    writes: tuple[str, ...] = ()
    """Files whose text it writes."""
    runs: bool = True
    """Whether its output depends on a state that a later edit changes (tests, builds, programs)."""


class _Simple(Struct):
    """One simple command of a line: its words, and the file its output is redirected to."""

    words: list[str]
    piped: bool
    """Whether it reads the output of the one before it."""
    target: str | None = None


def look_at(command: str, folder: str | None = None) -> ShellCommand:
    """What `command` does when run in `folder`."""
    if patched := patched_files(command, folder):
        rest = command.rpartition("*** End Patch")[2].split()
        return (
            ShellCommand(writes=patched)
            if len(rest) > 1
            else ShellCommand(Kind.EDIT, writes=patched, runs=False)
        )
    if len(command) > MAX_COMMAND or "<<" in command:
        return _look_at_heredoc(command, folder)
    commands = _parse(command)
    return ShellCommand() if commands is None else _look_at_all(commands, folder)


def patched_files(text: str, folder: str | None = None) -> tuple[str, ...]:
    """The files that a patch in Codex's format adds, changes, moves or deletes."""
    if "*** Begin Patch" not in text:
        return ()
    found = (file_path(match.group(1), folder) for match in _PATCHED.finditer(text))
    return tuple(path for path in found if path)


def _look_at_heredoc(command: str, folder: str | None) -> ShellCommand:
    """Recognise a text written to a file by `cat > file <<EOF`; anything else runs something."""
    first = command.partition("\n")[0][:MAX_COMMAND]
    before, _, after = first.partition("<<")
    commands = _parse(before)
    if not commands or _program(commands[-1]) not in _TEXT_WRITERS:
        return ShellCommand()
    mark, _, late = after.lstrip("-").partition(">")
    following = _parse(late) or []
    if following:
        commands[-1].target = following[0].words.pop(0)
    look = _look_at_all(commands, folder)
    ended = command.rstrip().endswith("\n" + mark.strip(" \t'\""))
    more = not ended or any(simple.words for simple in following)
    return look if look.kind is Kind.EDIT and not more else ShellCommand(writes=look.writes)


def _parse(command: str) -> list[_Simple] | None:
    """The simple commands of a line; None if the line is too complex for this parser."""
    commands: list[_Simple] = [_Simple([], piped=False)]
    redirect = ""
    for kind, text in _tokens(command):
        now = commands[-1]
        if kind == "bad" or (kind == "op" and "<" in text):
            return None
        if kind == "word" and redirect:
            if not (text.isdigit() or text == "/dev/null"):
                now.target = text
            redirect = ""
        elif kind == "word":
            now.words.append(text)
        elif ">" in text:
            redirect = text
            if now.words and now.words[-1].isdigit():
                now.words.pop()
        else:
            commands.append(_Simple([], piped="|" in text and "||" not in text))
    return None if redirect else [simple for simple in commands if simple.words]


def _tokens(command: str) -> Iterator[tuple[str, str]]:
    """Unquoted words, operators, and `bad` for what is not understood; comments are left out."""
    for match in _TOKEN.finditer(command):
        kind = match.lastgroup
        if kind == "word":
            word = match["word"]
            quoted = "'" in word or '"' in word or "\\" in word
            yield kind, _QUOTES.sub(lambda m: m[1] or m[2] or m[3] or "", word) if quoted else word
        elif kind is not None:
            yield kind, match[kind]


def _look_at_all(commands: Sequence[_Simple], folder: str | None) -> ShellCommand:
    reads: list[tuple[str, Span | None]] = []
    kinds: set[Kind] = set()
    writes: list[str] = []
    printing = False
    for simple in commands:
        folder = _folder_after([simple], folder)
        program = _program(simple)
        flowing, printing = printing and simple.piped, False
        if simple.target or program == "tee" or _edits_in_place(program, simple.words):
            if program not in _WRITERS:
                return _running(reads, writes)
            if path := file_path(simple.target or simple.words[-1], folder):
                writes.append(path)
        elif program in _READERS and not simple.piped:
            found = _files_read(program, simple.words[1:], folder)
            printing = bool(found)
            reads += found
        elif flowing and program in _FILTERS:
            printing = True
            reads[-1] = (reads[-1][0], _narrowed(reads[-1][1], program, simple.words[1:]))
        elif (kind := _kind_of(program, simple.words)) is not None:
            kinds.add(kind)
        elif program not in _NEUTRAL and not (simple.piped and program in _READERS):
            return _running(reads, writes)
    return _summed_up(reads, kinds, tuple(writes))


def _running(reads: list[tuple[str, Span | None]], writes: list[str]) -> ShellCommand:
    return ShellCommand(files=tuple(path for path, _ in reads), writes=tuple(writes))


def _summed_up(
    reads: list[tuple[str, Span | None]], kinds: set[Kind], writes: tuple[str, ...]
) -> ShellCommand:
    files = tuple(path for path, _ in reads)
    if writes:
        return ShellCommand(Kind.EDIT, files, writes=writes, runs=False)
    if Kind.WEB_FETCH in kinds:
        return ShellCommand(Kind.WEB_FETCH, files, runs=False)
    if kinds:
        return ShellCommand(min(kinds), files, runs=False)
    if len(reads) == 1:
        return ShellCommand(Kind.READ, files, reads[0][1], runs=False)
    return ShellCommand(Kind.READ if files else Kind.BASH, files, ODD if files else None, runs=False)


def _program(simple: _Simple) -> str:
    return simple.words[0].rpartition("/")[2].lower()


def _folder_after(commands: Sequence[_Simple], folder: str | None) -> str | None:
    for simple in commands:
        if simple.words[0] == "cd" and len(simple.words) == 2:
            folder = file_path(simple.words[1], folder)
    return folder


def _edits_in_place(program: str, words: Sequence[str]) -> bool:
    return program == "sed" and any(word.startswith(("-i", "--in-place")) for word in words)


def _kind_of(program: str, words: Sequence[str]) -> Kind | None:
    """The kind of a program that only reads or lists; None for any other."""
    if program in _WEB:
        local = any("localhost" in word or "127.0.0.1" in word for word in words)
        return None if local else Kind.WEB_FETCH
    if program in _SEARCHERS or (program == "xargs" and _SEARCHERS.intersection(words)):
        return Kind.GREP
    if program in _LISTERS:
        return None if _FIND_RUNS.intersection(words) else Kind.LIST
    if program == "git":
        verb = next((word for word in words[1:] if not word.startswith("-")), "")
        return Kind.LIST if verb in _GIT_LOOKS else None
    return None


def _files_read(program: str, words: Sequence[str], folder: str | None) -> list[tuple[str, Span | None]]:
    names, span = _names_and_span(program, words)
    paths = [file_path(name, folder) if not set(name) & set("*?[{$") else None for name in names]
    return [(path, span) for path in paths if path]


def _narrowed(span: Span | None, program: str, words: Sequence[str]) -> Span:
    """The lines that are left when a printed file is piped to `program`."""
    names, narrower = _names_and_span(program, words) if program in _READERS else ([], ODD)
    return narrower if span is None and narrower is not None and not names else ODD


def _names_and_span(program: str, words: Sequence[str]) -> tuple[list[str], Span | None]:
    """The file names among a reading program's arguments, and the lines that it prints."""
    match program:
        case "sed":
            return _sed(words)
        case "head":
            return _head(words)
        case "tail":
            return [word for word in words if not re.fullmatch(r"[-+]\S*|\d+", word)], ODD
        case _:
            return [word for word in words if not word.startswith("-")], None


def _sed(words: Sequence[str]) -> tuple[list[str], Span | None]:
    plain = [word for word in words if not word.startswith("-")]
    if not plain or "-n" not in words:
        return plain[1:], ODD
    lines = _SED_RANGE.fullmatch(plain[0])
    if lines is None:
        return plain[1:], ODD
    first, last = lines.groups()
    return plain[1:], Span(_number(first), _END if last == "$" else _number(last or first))


def _head(words: Sequence[str]) -> tuple[list[str], Span | None]:
    count = 10
    names: list[str] = []
    rest = iter(words)
    for word in rest:
        if found := re.fullmatch(r"-(?:n|-lines=)?(\d+)", word):
            count = _number(found[1])
        elif word in ("-n", "--lines"):
            number = next(rest, "")
            if not number.isascii() or not number.isdigit():
                return names, ODD
            count = _number(number)
        elif word.startswith("-"):
            return [name for name in words if not name.startswith("-")], ODD
        else:
            names.append(word)
    return names, Span(1, count)


def _number(digits: str) -> int:
    return min(int(digits[:10]), _END)
