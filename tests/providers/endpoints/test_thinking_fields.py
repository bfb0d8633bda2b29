"""What each endpoint is sent for an effort, a budget, and the newer parameters."""

import pytest

from benchmaker.providers.endpoints.dialect_flags import Quirks
from benchmaker.providers.endpoints.endpoints import ENDPOINTS, endpoint_table
from benchmaker.providers.endpoints.thinking_fields import (
    ANTHROPIC_ALWAYS,
    ANTHROPIC_BUDGET,
    REASONING,
    STYLES,
    ThinkingFields,
)
from benchmaker.spec import Parameters
from benchmaker.spec.suites.parameters import EFFORTS, THINKING_TOKENS

BARE = {"temperature": None}


def quirks_of(model: str) -> Quirks:
    name, _, rest = model.partition("/")
    return endpoint_table()[name].quirks_of(rest)


def sent(model: str, **values: object) -> dict[str, object]:
    return quirks_of(model).sent_fields(Parameters(**BARE, **values))


@pytest.mark.parametrize(
    ("model", "values", "fields"),
    [
        (
            "openai/gpt-5",
            {"reasoning_effort": "low"},
            {"reasoning_effort": "low", "max_completion_tokens": 6144},
        ),
        ("openai/gpt-4o", {"reasoning_effort": "low"}, {"max_completion_tokens": 2048}),
        (
            "openrouter/x/y",
            {"reasoning_effort": "xhigh", "max_tokens": 99},
            {"reasoning": {"effort": "xhigh"}, "max_tokens": 99},
        ),
        (
            "openrouter/x/y",
            {"thinking_budget": 500, "reasoning_effort": "high", "max_tokens": 99},
            {"reasoning": {"max_tokens": 500}, "max_tokens": 599},
        ),
        (
            "anthropic/claude-sonnet-4-5",
            {"thinking_budget": 2000, "max_tokens": 100},
            {"thinking": {"type": "enabled", "budget_tokens": 2000}, "max_tokens": 2100},
        ),
        (
            "anthropic/claude-sonnet-4-20250514",
            {"reasoning_effort": "medium"},
            {"thinking": {"type": "enabled", "budget_tokens": 8192}, "max_tokens": 10_240},
        ),
        ("anthropic/claude-sonnet-4-5", {"reasoning_effort": "none"}, {"max_tokens": 2048}),
        ("anthropic/claude-3-5-haiku-latest", {"reasoning_effort": "high"}, {"max_tokens": 2048}),
        (
            "anthropic/claude-opus-4-6",
            {"reasoning_effort": "xhigh", "max_tokens": 9},
            {
                "thinking": {"type": "adaptive"},
                "output_config": {"effort": "max"},
                "max_tokens": 9,
            },
        ),
        (
            "anthropic/claude-opus-4-8",
            {"reasoning_effort": "minimal", "max_tokens": 9},
            {
                "thinking": {"type": "adaptive"},
                "output_config": {"effort": "low"},
                "max_tokens": 9,
            },
        ),
        (
            "anthropic/claude-sonnet-5",
            {"reasoning_effort": "none", "max_tokens": 9},
            {"thinking": {"type": "disabled"}, "max_tokens": 9},
        ),
        (
            "anthropic/claude-opus-5-5",
            {"reasoning_effort": "none", "max_tokens": 9},
            {
                "thinking": {"type": "adaptive"},
                "output_config": {"effort": "low"},
                "max_tokens": 9,
            },
        ),
        (
            "google/gemini-2.5-flash",
            {"thinking_budget": 500, "max_tokens": 9},
            {
                "extra_body": {"google": {"thinking_config": {"thinking_budget": 500}}},
                "max_tokens": 509,
            },
        ),
        (
            "google/gemini-3-flash",
            {"reasoning_effort": "minimal", "max_tokens": 9},
            {"reasoning_effort": "minimal", "max_tokens": 9},
        ),
        (
            "mistral/mistral-small-latest",
            {"reasoning_effort": "none", "max_tokens": 9},
            {"reasoning_effort": "none", "max_tokens": 9},
        ),
        (
            "deepseek/deepseek-chat",
            {"reasoning_effort": "medium", "max_tokens": 9},
            {"thinking": {"type": "enabled"}, "reasoning_effort": "high", "max_tokens": 9},
        ),
        (
            "deepseek/deepseek-chat",
            {"reasoning_effort": "none"},
            {"thinking": {"type": "disabled"}, "max_tokens": 2048},
        ),
        (
            "ollama/qwen3",
            {"reasoning_effort": "none", "max_tokens": 9},
            {"reasoning_effort": "none", "max_tokens": 9},
        ),
        (
            "vllm/qwen3",
            {"reasoning_effort": "none", "max_tokens": 9},
            {"chat_template_kwargs": {"enable_thinking": False}, "max_tokens": 9},
        ),
        (
            "vllm/qwen3",
            {"thinking_budget": 7, "max_tokens": 9},
            {
                "thinking_token_budget": 7,
                "chat_template_kwargs": {"enable_thinking": True},
                "max_tokens": 16,
            },
        ),
        (
            "vllm/qwen3",
            {"top_k": 3, "min_p": 0.1, "stop": ["a"], "max_tokens": 9},
            {"top_k": 3, "min_p": 0.1, "stop": ["a"], "max_tokens": 9},
        ),
        (
            "anthropic/claude-sonnet-4-5",
            {"top_k": 3, "min_p": 0.1, "stop": ["a"], "max_tokens": 9},
            {"top_k": 3, "stop_sequences": ["a"], "max_tokens": 9},
        ),
        (
            "openai/gpt-4o",
            {"logprobs": 5, "top_k": 3, "max_tokens": 9},
            {"logprobs": True, "top_logprobs": 5, "max_completion_tokens": 9},
        ),
        (
            "together/x",
            {"logprobs": 0, "top_k": 3, "max_tokens": 9},
            {"logprobs": 1, "top_k": 3, "max_tokens": 9},
        ),
        ("groq/x", {"logprobs": 5, "max_tokens": 9}, {"max_completion_tokens": 9}),
        ("openai/o3", {"stop": ["a"], "logprobs": 1}, {"max_completion_tokens": 2048}),
        ("openai/gpt-4o", {"max_tokens": None}, {}),
        ("anthropic/claude-opus-4-8", {"max_tokens": None}, {"max_tokens": 32_000}),
    ],
)
def test_each_endpoint_is_sent_its_own_fields(model, values, fields):
    assert sent(model, **values) == fields


@pytest.mark.parametrize(
    ("model", "values", "unsent"),
    [
        ("openai/gpt-4o", {"reasoning_effort": "low"}, ("reasoning_effort",)),
        ("openai/gpt-5", {"thinking_budget": 9}, ("thinking_budget",)),
        ("openai/gpt-5", {"top_k": 3, "min_p": 0.2}, ("top_k", "min_p")),
        ("openai/gpt-5", {"stop": ["a"], "logprobs": 1}, ("stop", "logprobs")),
        ("openrouter/x", {"thinking_budget": 9, "reasoning_effort": "low"}, ("reasoning_effort",)),
        ("anthropic/claude-opus-4-8", {"thinking_budget": 9}, ("thinking_budget",)),
        ("anthropic/claude-opus-4-8", {"top_k": 9}, ("top_k",)),
        ("anthropic/claude-opus-4-8", {"seed": 9}, ("seed",)),
        ("anthropic/claude-3-5-haiku-latest", {"reasoning_effort": "low"}, ("reasoning_effort",)),
        ("deepseek/x", {"response_format": "json"}, ()),
        (
            "deepseek/x",
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "a", "schema": {}},
                }
            },
            ("response_format",),
        ),
        ("vllm/x", {"thinking_budget": 9, "reasoning_effort": "none"}, ("thinking_budget",)),
    ],
)
def test_what_an_endpoint_does_not_take_is_named(model, values, unsent):
    assert quirks_of(model).unsent_parameters(Parameters(**BARE, **values)) == unsent


def test_anthropic_refuses_sampling_while_it_thinks_and_later_models_always():
    thinking = Parameters(temperature=0.5, reasoning_effort="low")
    assert quirks_of("anthropic/claude-sonnet-4-5").unsent_parameters(thinking) == ("temperature",)
    assert quirks_of("anthropic/claude-sonnet-4-5").unsent_parameters(Parameters()) == ()
    assert quirks_of("anthropic/claude-opus-4-7").unsent_parameters(Parameters()) == (
        "temperature",
    )


def test_another_word_for_an_effort_is_named():
    effort = Parameters(reasoning_effort="minimal")
    assert quirks_of("anthropic/claude-opus-4-8").changed_parameters(effort) == {
        "reasoning_effort": "low"
    }
    assert quirks_of("openai/gpt-5").changed_parameters(effort) == {}
    unbounded = Parameters(max_tokens=None, thinking_budget=1000)
    assert quirks_of("anthropic/claude-sonnet-4-5").changed_parameters(unbounded) == {
        "max_tokens": "33000"
    }


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda it: it.name)
@pytest.mark.parametrize("effort", EFFORTS)
def test_every_endpoint_sends_an_effort_or_names_it(endpoint, effort):
    given = Parameters(**BARE, max_tokens=5, reasoning_effort=effort)
    without = Parameters(**BARE, max_tokens=5)
    quirks = endpoint.quirks_of("a-model")
    is_sent = quirks.sent_fields(given) != quirks.sent_fields(without)
    is_off = effort == "none" and quirks.thinking.off == {}
    assert is_sent or is_off or "reasoning_effort" in quirks.unsent_parameters(given)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda it: it.name)
def test_what_is_refused_is_recorded_as_ever(endpoint):
    named = set(endpoint.quirks_of("a-model").refused_parameters)
    assert named <= {"temperature", "top_p", "frequency_penalty", "presence_penalty", "seed"}


def test_budgets_of_efforts_rise():
    budgets = [ANTHROPIC_BUDGET.budget_of(Parameters(reasoning_effort=it)) for it in EFFORTS[1:]]
    assert budgets == [THINKING_TOKENS[it] for it in EFFORTS[1:]]
    assert budgets[0] == 1024


def test_no_fields_send_nothing():
    given = Parameters(reasoning_effort="high", thinking_budget=5)
    assert ThinkingFields().fields(given) == {}
    assert ThinkingFields().unsent_parameters(given) == ("reasoning_effort", "thinking_budget")
    assert ThinkingFields().output_limit(given) == 2048


def test_a_model_that_always_thinks_is_sent_its_least_effort():
    given = Parameters(reasoning_effort="none")
    assert ANTHROPIC_ALWAYS.fields(given)["output_config"] == {"effort": "low"}
    assert REASONING.fields(given) == {"reasoning": {"effort": "none"}}
    assert STYLES["reasoning"] is REASONING
