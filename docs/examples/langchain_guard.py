"""Wraps a tool of LangChain: calls whose command is not allowed return the reason to the model."""

from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from execpolicy import Rulebook, check


def guarded(tool: BaseTool, rulebook: Rulebook, *, argument: str = "command") -> BaseTool:
    """``tool`` under ``rulebook``, which decides on the text in ``argument``."""

    def call(**arguments: Any) -> Any:
        verdict = check(arguments[argument], rulebook)
        if verdict.decision == "allow":
            return tool.invoke(arguments)
        return f"{verdict.decision.word}: {verdict.reason}"

    return StructuredTool.from_function(
        call, name=tool.name, description=tool.description, args_schema=tool.get_input_schema()
    )
