"""Attribute names of OpenTelemetry's conventions for generative AI, and our additions.

The conventions are unstable. Names outside the conventions begin with ``benchmaker.``.
Source: open-telemetry/semantic-conventions, ``docs/registry/attributes/gen-ai.md``.
"""

from typing import Final

from benchmaker.record.submissions.submission import COUNTED_ROWS, TokenUsage

OPERATION: Final = "gen_ai.operation.name"
CHAT: Final = "chat"
INVOKE_AGENT: Final = "invoke_agent"
EXECUTE_TOOL: Final = "execute_tool"

PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
RESPONSE_ID: Final = "gen_ai.response.id"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
AGENT_ID: Final = "gen_ai.agent.id"
AGENT_NAME: Final = "gen_ai.agent.name"
AGENT_VERSION: Final = "gen_ai.agent.version"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"

TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_RESULT: Final = "gen_ai.tool.call.result"

INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
"""All input, including tokens read from the cache and written into it."""
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
"""All output, including reasoning."""
CACHE_READ: Final = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE: Final = "gen_ai.usage.cache_creation.input_tokens"
REASONING: Final = "gen_ai.usage.reasoning.output_tokens"

CACHE_WRITE_1H: Final = "benchmaker.usage.cache_creation_1h.input_tokens"
"""The part of the cache writes that is kept for an hour."""
OTHER_TOKENS: Final = "benchmaker.usage.other_tokens"
COST_USD: Final = "benchmaker.cost_usd"
"""The cost reported by the tool."""
TOTAL_TOKENS: Final = "benchmaker.total_tokens"
"""A total whose kinds are unknown."""
IS_PARTIAL: Final = "benchmaker.usage.is_partial"
"""True if only some kinds of tokens are known, so that their sum is no total."""
KINDS: Final = {name: f"benchmaker.usage.kind.{name}" for name in TokenUsage.__struct_fields__}
"""The kinds of a partial usage, by the name of their field."""
IS_FINAL: Final = "benchmaker.usage.is_final"
"""True if the figures of an agent's span replace the sum of its parts."""
COUNTS: Final = {name: f"benchmaker.{name}" for name in COUNTED_ROWS}
"""The counted figures of a session or a span, by the name of their field.

A request's span has ``llm_calls`` if it is not one request.
"""
SUMMED: Final = frozenset({"llm_calls", "tool_calls", "tool_errors"})
"""The counts that the spans of a session add up to, unless the agent's span is final."""
