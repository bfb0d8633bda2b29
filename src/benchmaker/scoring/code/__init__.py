"""Pages scored on evidence: the probe's facts, a judge's marks, and the sum of both."""

from benchmaker.scoring.code.claim_check import CitedFact, CitedFacts, cited_facts
from benchmaker.scoring.code.criteria import (
    WEIGHTS,
    Cap,
    CriterionPart,
    CriterionRating,
    total,
    weighted_share,
)
from benchmaker.scoring.code.evidence import evidence_of
from benchmaker.scoring.code.probe_score import PageChecks, ProbeScore, checks_passed, score_probe

__all__ = [
    "WEIGHTS",
    "Cap",
    "CitedFact",
    "CitedFacts",
    "CriterionPart",
    "CriterionRating",
    "PageChecks",
    "ProbeScore",
    "checks_passed",
    "cited_facts",
    "evidence_of",
    "score_probe",
    "total",
    "weighted_share",
]
