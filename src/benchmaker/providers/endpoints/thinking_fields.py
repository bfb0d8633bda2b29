"""The fields that set how much a model thinks, as data for each kind of endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from benchmaker.spec import Parameters
from benchmaker.spec.suites.parameters import THINKING_TOKENS

EFFORT = "{effort}"
"""Stands for the effort in a field."""

BUDGET = "{budget}"
"""Stands for the number of tokens in a field."""

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingFields:
    """The fields of a request that carry an effort or a budget; None if there are none.

    ``off`` are the fields for the effort ``none``; None if they are those of any effort. ``words``
    replace efforts that the endpoint does not have. With ``budget_from_effort``, an effort is sent
    as the budget of :data:`~benchmaker.spec.suites.parameters.THINKING_TOKENS`: 1,024 (minimal),
    4,096 (low), 8,192 (medium), 16,384 (high), 28,672 (xhigh). ``excludes`` are parameters that
    are refused while a model thinks.
    """

    effort: Fields | None = None
    budget: Fields | None = None
    off: Fields | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    budget_from_effort: bool = False
    excludes: tuple[str, ...] = ()

    def fields(self, parameters: Parameters) -> dict[str, Any]:
        """The fields to send; of an effort and a budget, the budget if the endpoint takes one."""
        if parameters.reasoning_effort == "none" and self.off is not None:
            return dict(self.off)
        budget = self.budget_of(parameters)
        if budget is not None and self.budget is not None:
            return _fill(self.budget, budget)
        word = self.word_of(parameters)
        return _fill(self.effort, word) if word and self.effort is not None else {}

    def budget_of(self, parameters: Parameters) -> int | None:
        """The budget that is sent; None without one."""
        effort = parameters.reasoning_effort
        if self.budget is None or effort == "none":
            return None
        if parameters.thinking_budget is not None:
            return parameters.thinking_budget
        return THINKING_TOKENS[effort] if effort and self.budget_from_effort else None

    def word_of(self, parameters: Parameters) -> str | None:
        """The endpoint's word for the effort; None without an effort."""
        effort = parameters.reasoning_effort
        return effort and self.words.get(effort, effort)

    def output_limit(self, parameters: Parameters) -> int | None:
        """The maximum number of output tokens, thinking included; None without ``max_tokens``."""
        if parameters.max_tokens is None or not self.is_known:
            return parameters.max_tokens
        budget = self.budget_of(parameters)
        return parameters.output_bound if budget is None else parameters.max_tokens + budget

    @property
    def is_known(self) -> bool:
        """True if there are fields for thinking at all."""
        return self.effort is not None or self.budget is not None

    def unsent_parameters(self, parameters: Parameters) -> tuple[str, ...]:
        """The names of parameters that are set and not sent."""
        effort, budget = parameters.reasoning_effort, parameters.thinking_budget
        if effort == "none" and self.off is not None:
            return () if budget is None else ("thinking_budget",)
        sent = self.fields(parameters)
        is_budget = bool(sent) and self.budget_of(parameters) is not None
        gone = {
            "reasoning_effort": effort is not None
            and (budget is not None if is_budget else not sent),
            "thinking_budget": budget is not None and not is_budget,
        }
        excluded = self.excludes if sent and parameters.reasoning_effort != "none" else ()
        return (*(name for name, is_gone in gone.items() if is_gone), *excluded)


def _fill(fields: Fields, value: str | int) -> dict[str, Any]:
    """The fields with the value in its place."""
    return {
        name: _fill(it, value)
        if isinstance(it, Mapping)
        else value
        if it in (EFFORT, BUDGET)
        else it
        for name, it in fields.items()
    }


ThinkingStyle = Literal[
    "reasoning_effort", "reasoning", "chat_template", "budget", "adaptive", "none"
]

REASONING_EFFORT = ThinkingFields(effort={"reasoning_effort": EFFORT})
"""Chat completions. Source: https://platform.openai.com/docs/api-reference/chat/create."""

REASONING = ThinkingFields(
    effort={"reasoning": {"effort": EFFORT}}, budget={"reasoning": {"max_tokens": BUDGET}}
)
"""OpenRouter. Source: https://openrouter.ai/docs/use-cases/reasoning-tokens."""

DEEPSEEK = ThinkingFields(
    effort={"thinking": {"type": "enabled"}, "reasoning_effort": EFFORT},
    off={"thinking": {"type": "disabled"}},
    words={"minimal": "low", "medium": "high", "xhigh": "high"},
)
"""The replacements are its own. Source: https://api-docs.deepseek.com/guides/thinking_mode."""

GEMINI = ThinkingFields(
    effort={"reasoning_effort": EFFORT},
    budget={"extra_body": {"google": {"thinking_config": {"thinking_budget": BUDGET}}}},
    words={"xhigh": "high"},
)
"""Google's compatible endpoint. Source: https://ai.google.dev/gemini-api/docs/openai."""

MISTRAL = ThinkingFields(effort={"reasoning_effort": EFFORT}, words={"minimal": "low"})
"""Source: https://docs.mistral.ai/capabilities/reasoning/adjustable."""

CHAT_TEMPLATE = ThinkingFields(
    effort={"reasoning_effort": EFFORT, "chat_template_kwargs": {"enable_thinking": True}},
    budget={
        "thinking_token_budget": BUDGET,
        "chat_template_kwargs": {"enable_thinking": True},
    },
    off={"chat_template_kwargs": {"enable_thinking": False}},
    words={"minimal": "low", "xhigh": "high"},
)
"""vLLM. Source: https://docs.vllm.ai/en/latest/features/reasoning_outputs.html."""

_ENABLED = {"thinking": {"type": "enabled", "budget_tokens": BUDGET}}
_ADAPTIVE = {"thinking": {"type": "adaptive"}, "output_config": {"effort": EFFORT}}
_DISABLED = {"thinking": {"type": "disabled"}}
_NO_SAMPLING = ("temperature", "top_p", "top_k")

ANTHROPIC_BUDGET = ThinkingFields(
    budget=_ENABLED, off={}, budget_from_effort=True, excludes=_NO_SAMPLING
)
"""Claude 3.7 to 4.5. Source: https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking."""

ANTHROPIC_4_6 = ThinkingFields(
    effort=_ADAPTIVE,
    budget=_ENABLED,
    off=_DISABLED,
    words={"minimal": "low", "xhigh": "max"},
    excludes=_NO_SAMPLING,
)
"""Claude 4.6 takes both. Source: https://docs.anthropic.com/en/docs/build-with-claude/effort."""

ANTHROPIC_ADAPTIVE = ThinkingFields(effort=_ADAPTIVE, off=_DISABLED, words={"minimal": "low"})
"""Claude 4.7 and later, which take no budgets and no sampling parameters."""

ANTHROPIC_ALWAYS = ThinkingFields(effort=_ADAPTIVE, words={"none": "low", "minimal": "low"})
"""Models of Claude 5 that can't stop thinking."""

NO_THINKING = ThinkingFields()

STYLES: Mapping[ThinkingStyle, ThinkingFields] = {
    "reasoning_effort": REASONING_EFFORT,
    "reasoning": REASONING,
    "chat_template": CHAT_TEMPLATE,
    "budget": ANTHROPIC_BUDGET,
    "adaptive": ANTHROPIC_ADAPTIVE,
    "none": NO_THINKING,
}
"""The ways that ``endpoints.yaml`` can name."""

CLAUDE: tuple[tuple[str, ThinkingFields], ...] = (
    (r"claude-(?:2|instant|3(?![.-]7))", NO_THINKING),
    (r"claude-[a-z]+-4[.-]6", ANTHROPIC_4_6),
    (r"claude-(?:fable|(?:opus|sonnet)-5[.-]5)", ANTHROPIC_ALWAYS),
    (r"claude-[a-z]+-(?:4[.-][7-9]|[5-9])(?!\d)", ANTHROPIC_ADAPTIVE),
)
"""Patterns of models at Anthropic that differ from :data:`ANTHROPIC_BUDGET`; the first counts."""

UNSAMPLED_CLAUDE = r"claude-[a-z]+-(?:4[.-][7-9]|[5-9])(?!\d)"
"""Claude 4.7 and later refuse temperature, top_p and top_k."""

STRUCTURED_CLAUDE = r"claude-(?:opus-4[.-]1|[a-z]+-(?:4[.-][5-9]|[5-9]))(?!\d)"
"""Models with structured outputs; later ones refuse the tool that replaces them elsewhere.

Source: https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs.
"""
