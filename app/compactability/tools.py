"""What the agents' tools are: many names, few kinds.

Names are compared without case and without `_`, `-`, `.`, `/`, `:` and blanks, so `read_file`,
`ReadFile` and `Read-File` are one. A name with a namespace (`functions.exec_command`,
`developer__shell`, `mcp__files__read_file`) is looked up by its last part when the whole is not
known; a name that begins with `mcp__` and says nothing else is of kind `mcp`. An exact list of a
preset is not this table: a preset compares names with case, and asks here only where it is told to
know other agents' names too.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final


class Kind(StrEnum):
    """What a tool does, whatever its agent calls it."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    BASH = "bash"
    """A command of the shell, or code that is run."""
    GREP = "grep"
    GLOB = "glob"
    LIST = "list"
    WEB_SEARCH = "web_search"
    WEB_FETCH = "web_fetch"
    SCREENSHOT = "screenshot"
    AGENT = "agent"
    SKILL = "skill"
    QUESTION = "question"
    """The person answers: questions, and plans that wait for a yes."""
    TODO = "todo"
    """Notes of the agent to itself."""
    LOOKUP = "lookup"
    """What the client itself knows: its tools, diagnostics, resources."""
    MCP = "mcp"


REGENERABLE: Final = frozenset(
    {
        Kind.READ,
        Kind.WRITE,
        Kind.EDIT,
        Kind.BASH,
        Kind.GREP,
        Kind.GLOB,
        Kind.LIST,
        Kind.SCREENSHOT,
        Kind.SKILL,
        Kind.TODO,
        Kind.LOOKUP,
        Kind.MCP,
    }
)
"""Kinds whose results can be had again by the same call (a write's is in the call already)."""

EDITORS: Final = frozenset(
    {"strreplaceeditor", "strreplacebasededittool", "texteditor", "fileeditor", "memory"}
)
"""Tools that view, create and edit: the argument `command` tells which (names as `plain_name` gives them)."""

_NAMES: Final = {
    Kind.READ: "read readfile readmanyfiles viewfile view openfile catfile notebookread viewimage readimage "
    "readmcpresource readmcpresourcetool readtextfile readmultiplefiles readmediafile getfilecontents",
    Kind.WRITE: "write writefile writetofile createfile create filewrite",
    Kind.EDIT: "edit editfile multiedit notebookedit editnotebook applypatch patch replace replaceinfile "
    "replacestringinfile multireplacestringinfile inserteditintofile replacefilecontent "
    "multireplacefilecontent searchreplace searchandreplace strreplacefile strreplace applydiff "
    "insertcontent deletefile movefile deletefiles " + " ".join(sorted(EDITORS)),
    Kind.BASH: "bash shell shellcommand execcommand localshell containerexec exec execute executebash "
    "executecommand runcommand runshellcommand runterminalcmd runterminalcommand runinterminal terminal "
    "powershell bashoutput readbash writebash stopbash killshell killbash writestdin getterminaloutput "
    "commandstatus process executeipythoncell python codeexecution bashcodeexecution runcode",
    Kind.GREP: "grep grepsearch grepfiles greptool ripgrep rg searchfilecontent searchfiles codebasesearch "
    "semanticsearch codesearch searchcode finder searchdir searchfile",
    Kind.GLOB: "glob globfiles filesearch find findpath findbyname findfile findfiles",
    Kind.LIST: "ls list listdir listdirectory listfiles listcodedefinitionnames directorytree "
    "listdirectorywithsizes",
    Kind.WEB_SEARCH: "websearch googlewebsearch searchweb webquery",
    Kind.WEB_FETCH: "webfetch fetch fetchurl fetchwebpage fetchpage readwebpage readurl readurlcontent "
    "webread openurl",
    Kind.SCREENSHOT: "screenshot takescreenshot browsertakescreenshot browsersnapshot browseraction browser "
    "computer computeruse",
    Kind.AGENT: "agent task taskoutput agentoutput agentoutputtool spawnagent sendinput waitagent closeagent "
    "wait subagent runsubagent newtask delegate delegatetoagent codebaseinvestigator oracle sendmessage",
    Kind.SKILL: "skill activateskill useskill loadskill slashcommand",
    Kind.QUESTION: "askuserquestion askuser askfollowupquestion question requestuserinput askhuman "
    "exitplanmode planexit enterplanmode planenter",
    Kind.TODO: "todowrite todoread writetodos settodolist updatetodolist managetodolist updateplan "
    "taskcreate taskupdate taskget tasklist tasktracker think thinking savememory reportintent",
    Kind.LOOKUP: "toolsearch tooldescription lsp getdiagnostics diagnostics geterrors listmcpresources "
    "listmcpresourcestool listmcpresourcetemplates clihelp getinternaldocs",
}
_TABLE: Final = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_SEPARATORS: Final = re.compile(r"__|[.:/]")


def plain_name(name: str) -> str:
    """A tool's name as the table has it: small ASCII letters and digits only."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@lru_cache(maxsize=1024)
def tool_kind(name: str) -> Kind | None:
    """The kind of a tool by its name, or None for a tool that nobody knows."""
    if known := _TABLE.get(plain_name(name)):
        return known
    last = plain_name(_SEPARATORS.split(name)[-1])
    return _TABLE.get(last) or (Kind.MCP if name.lower().startswith("mcp__") else None)


@lru_cache(maxsize=1024)
def is_editor(name: str) -> bool:
    """Whether this tool views as well as edits, told apart by its argument `command`."""
    return plain_name(name) in EDITORS or plain_name(_SEPARATORS.split(name)[-1]) in EDITORS
