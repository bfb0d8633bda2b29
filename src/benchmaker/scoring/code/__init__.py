"""Pages scored on evidence: what the probe says, what a judge adds, and the sum of both."""

from benchmaker.scoring.code.claim_check import Claim, Claims, claims_of
from benchmaker.scoring.code.criteria import WEIGHTS, Cap, Part, Rated, total, weighted_share
from benchmaker.scoring.code.evidence import evidence_of
from benchmaker.scoring.code.probe_score import Measured, PageChecks, checks_passed, measured

__all__ = [
    "WEIGHTS",
    "Cap",
    "Claim",
    "Claims",
    "Measured",
    "PageChecks",
    "Part",
    "Rated",
    "checks_passed",
    "claims_of",
    "evidence_of",
    "measured",
    "total",
    "weighted_share",
]
