"""Verification of a submission's workspace, in isolation."""

from benchmaker.arenas.agentic.verify.check import Checked, SolutionTrial, acheck
from benchmaker.arenas.agentic.verify.criteria.plugin import View
from benchmaker.arenas.agentic.verify.criterion_context import Jury, Unreadable
from benchmaker.arenas.agentic.verify.finding import Finding
from benchmaker.arenas.agentic.verify.grade import UNSAFE_RISK, averify, verify, with_answer
from benchmaker.arenas.agentic.verify.scaffold import new_task

__all__ = [
    "UNSAFE_RISK",
    "Checked",
    "Finding",
    "Jury",
    "SolutionTrial",
    "Unreadable",
    "View",
    "acheck",
    "averify",
    "new_task",
    "verify",
    "with_answer",
]
