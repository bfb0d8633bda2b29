"""Reasoning efforts, and the tokens that each needs."""

from collections.abc import Mapping
from typing import Literal, get_args

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]

EFFORTS: tuple[Effort, ...] = get_args(Effort)
"""The efforts, rising; ``none`` turns thinking off."""

THINKING_TOKENS: Mapping[Effort, int] = {
    "none": 0,
    "minimal": 1_024,
    "low": 4_096,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 28_672,
}
"""Tokens of thinking by effort, for protocols with budgets, and for the default output bound.

The least is the smallest budget that Anthropic accepts. The greatest leaves 2,048 tokens for the
answer within 32,000 tokens, the smallest output limit of the models with budgets. Those between are
powers of two; Google's own figures for Gemini 2.5 are 1,024 (low), 8,192 (medium), 24,576 (high).
Source: https://ai.google.dev/gemini-api/docs/openai.
"""
