"""Findings on judges: replies without a grade, and models that judge themselves or relatives."""

import re
from collections.abc import Sequence

from benchmaker.analysis.opinion.evidence import (
    Counted,
    OpinionEvidence,
    OpinionFinding,
    effect_of,
    finding,
    finding_without,
)

_MAKERS = {
    "openai": r"gpt|chatgpt|o[1-9]\b|davinci",
    "anthropic": r"claude",
    "google": r"gemini|gemma|palm",
    "meta": r"llama|meta-llama",
    "mistral": r"\w*stral\b|mixtral",
    "alibaba": r"qwen|qwq",
    "deepseek": r"deepseek",
    "xai": r"grok",
    "cohere": r"command|c4ai",
    "microsoft": r"phi-?\d",
    "amazon": r"nova-|titan-",
}
"""The beginnings of the names of models, by their maker."""

_ENOUGH = 0.9
"""The share of rows that must have a score without a judge, to compare with."""


def judge_unreadable(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Scores from a judge's reply that holds no grade; corrected, they are excluded."""
    unread = [
        one.row
        for one in evidence.in_mean
        if one.row.replies and not any(reply.is_readable for reply in one.row.replies)
    ]
    return finding_without("judge_unreadable", unread, evidence)


def self_judged(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Answers judged by the model that gave them.

    Corrected, the figure is that of answers judged by others; without any, that of the answers read
    again and compared with the key. If there is neither, the effect is unknown: no finding.
    """
    own = [one for one in evidence.in_mean if _is_own(one, evidence.model)]
    return _partial_judges("self_judged", own, evidence)


def related_judge(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Answers judged by another model of the maker of the model that gave them.

    Makers are known by the names of their models. The corrected figure is as for
    :func:`self_judged`.

    Source: Panickssery et al. 2024, LLM Evaluators Recognize and Favor Their Own Generations.
    """
    maker = _maker(evidence.model)
    related = [
        one
        for one in evidence.in_mean
        if maker
        and not _is_own(one, evidence.model)
        and any(_maker(reply.judge) == maker for reply in one.row.replies)
    ]
    return _partial_judges("related_judge", related, evidence)


def _partial_judges(
    kind: str, judged: Sequence[Counted], evidence: OpinionEvidence
) -> OpinionFinding | None:
    """A finding on answers of partial judges, compared with those of others, or with the key."""
    held = {id(one.row) for one in judged}
    others = [one for one in evidence.in_mean if id(one.row) not in held and one.row.replies]
    if not others:
        others = [
            Counted(one.row, one.row.reread)
            for one in evidence.in_mean
            if one.row.reread is not None
        ]
        if len(others) < _ENOUGH * len(evidence.in_mean):
            return None
    effect = effect_of(evidence.mean, evidence.mean_of(others))
    return finding(kind, [one.row for one in judged], effect)


def _is_own(one: Counted, model: str) -> bool:
    return any(_bare(reply.judge) == _bare(model) for reply in one.row.replies)


def _bare(model: str) -> str:
    """The name of a model without its provider."""
    return model.replace(":", "/").rpartition("/")[2].casefold()


def _maker(model: str) -> str:
    """The maker of a model; empty if its name does not tell."""
    bare = _bare(model)
    return next((maker for maker, names in _MAKERS.items() if re.match(names, bare)), "")
