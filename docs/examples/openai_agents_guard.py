"""A guardrail for the OpenAI agents SDK: a call whose command is not allowed returns the reason to the model."""

import json

from agents import ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolInputGuardrailData

from execpolicy import Rulebook, check


def guard(rulebook: Rulebook, *, argument: str = "command") -> ToolInputGuardrail[None]:
    """Give it to ``function_tool(tool_input_guardrails=[...])``."""

    def decide(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        verdict = check(json.loads(data.context.tool_arguments)[argument], rulebook)
        if verdict.decision == "allow":
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(f"{verdict.decision.word}: {verdict.reason}")

    return ToolInputGuardrail(guardrail_function=decide, name="execpolicy")
