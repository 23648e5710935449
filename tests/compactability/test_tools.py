"""Tool names of the agents, as they stand in their session files."""

from __future__ import annotations

import pytest

from app.compactability import REGENERABLE, Kind, tool_kind

AGENTS = {
    "Claude Code": """
        Read=read Write=write Edit=edit MultiEdit=edit NotebookEdit=edit Bash=bash BashOutput=bash Grep=grep
        Glob=glob LS=list WebFetch=web_fetch WebSearch=web_search Task=agent Agent=agent TaskOutput=agent
        TodoWrite=todo TaskUpdate=todo AskUserQuestion=question ExitPlanMode=question Skill=skill
        ToolSearch=lookup ReadMcpResourceTool=read mcp__jira__create_issue=mcp mcp__files__read_file=read
        mcp__browser-mcp__web_search=web_search mcp__browser-mcp__fetch_page=web_fetch
    """,
    "Codex": """
        exec_command=bash shell=bash shell_command=bash local_shell=bash write_stdin=bash container.exec=bash
        functions.exec_command=bash apply_patch=edit view_image=read update_plan=todo spawn_agent=agent
        request_user_input=question web_search=web_search wait_agent=agent
    """,
    "pi": "read=read bash=bash edit=edit write=write grep=grep find=glob ls=list",
    "Gemini CLI": """
        read_file=read read_many_files=read write_file=write replace=edit run_shell_command=bash glob=glob
        search_file_content=grep grep_search=grep list_directory=list web_fetch=web_fetch
        google_web_search=web_search save_memory=todo write_todos=todo ask_user=question activate_skill=skill
    """,
    "Qwen Code": "edit=edit todo_write=todo task=agent skill=skill ask_user_question=question",
    "opencode": """
        read=read edit=edit bash=bash list=list webfetch=web_fetch websearch=web_search task=agent
        todowrite=todo skill=skill question=question patch=edit
    """,
    "OpenAI style": """
        str_replace_editor=edit str_replace_based_edit_tool=edit execute_bash=bash developer__shell=bash
        default_api:read_file=read run_in_terminal=bash create_file=write
    """,
}
NAMES = [(agent, *pair.split("=")) for agent, names in AGENTS.items() for pair in names.split()]


@pytest.mark.parametrize(("agent", "name", "kind"), NAMES)
def test_a_tool_is_known_by_its_agents_name(agent: str, name: str, kind: str) -> None:
    assert tool_kind(name) == Kind(kind), agent


@pytest.mark.parametrize("name", ["read_file", "ReadFile", "readFile", "READ-FILE", "read file"])
def test_case_and_separators_do_not_matter(name: str) -> None:
    assert tool_kind(name) is Kind.READ


@pytest.mark.parametrize(
    "name", ["", "Echo", "calendar", "readme", "<img src=x>", "读取", "mcp", "__", "a" * 9_999]
)
def test_an_unknown_tool_has_no_kind(name: str) -> None:
    assert tool_kind(name) is None


def test_what_the_web_agents_and_people_gave_is_not_regenerable() -> None:
    assert frozenset(Kind) - REGENERABLE == {Kind.WEB_SEARCH, Kind.WEB_FETCH, Kind.AGENT, Kind.QUESTION}
