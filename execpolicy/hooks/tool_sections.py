"""Which section of permission rules speaks for a tool, by what agents call it.

Sources: the tools that the agents of :mod:`execpolicy.hooks.agents` offered in the runs named there, and the sections
of https://opencode.ai/docs/permissions.
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.hooks.other_tools import OWN_WRITERS
from execpolicy.permissions.tool_names import folded

_SECTIONS = {
    "bash_output": names(
        "bashoutput taskoutput read_bash list_bash job_output get_terminal_output terminal_last_command"
    ),
    "kill_bash": names("killbash killshell taskstop stop_bash job_kill kill_process"),
    "edit": frozenset(map(folded, OWN_WRITERS)),
    "read": names(
        "read_file read_files read_many_files readfile view view_file view_image viewimage notebookread read_notebook "
        "open_file read_image"
    ),
    "grep": names(
        "grep_search search_file_content search_files search_content searchfiles ripgrep rg code_search "
        "search_codebase codebase_search semanticsearch"
    ),
    "glob": names("find find_files file_search glob_file_search glob_search find_by_name"),
    "list": names("ls list_dir list_directory list_files listdir tree list_code_definition_names"),
    "webfetch": names(
        "fetch web_fetch fetch_url fetchurl fetch_web_content fetch_webpage read_url_content read_web_page "
        "agentic_fetch download"
    ),
    "websearch": names("web_search google_web_search search_web searchweb"),
    "codesearch": names("sourcegraph"),
    "task": names("agent subagent new_task spawn_agent use_subagents invoke_agent delegate delegate_task"),
    "skill": names("use_skill activate_skill slashcommand load_skill"),
    "todowrite": names(
        "todo todo_write write_todos update_todo update_todo_list todos update_plan manage_todo_list focus_chain"
    ),
    "todoread": names("todo_read read_todos"),
    "question": names(
        "askuserquestion ask_user_question ask_user askuser ask_followup_question askquestion request_user_input"
    ),
    "lsp": names("diagnostics read_lints go_to_definition"),
}
"""In small letters; a name that is a section is in none of them."""


def section_of(tool: str, *, writes: bool) -> str | None:
    """The section for calls of ``tool``; ``None`` where it goes by its own name alone.

    The tool of a server goes by what it is called behind the server's name.

    Args:
        writes: the call would write files.
    """
    plain = folded(tool)
    for name in (plain, plain.rpartition("__")[2]):
        found = next((section for section, called in _SECTIONS.items() if name in called), None)
        if found is not None:
            return found
    return "edit" if writes else None
