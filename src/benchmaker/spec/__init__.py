"""Files written by people: suites, cases, tasks, profiles and parameters."""

from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation, SourceMap
from benchmaker.spec.suites.case import Case, CaseDict, Message
from benchmaker.spec.suites.check_spec import CheckSpec, ScorerSpec
from benchmaker.spec.suites.fields import AnswerFields, CaseFields
from benchmaker.spec.suites.judge import JudgeNames, JudgeSpec, Juror
from benchmaker.spec.suites.parameters import Parameters, effective_parameters
from benchmaker.spec.suites.profile import Family, Metric, Profile, metric_named, profile
from benchmaker.spec.suites.suite import Suite
from benchmaker.spec.suites.suite_form import Policies
from benchmaker.spec.suites.tools import Tool

__all__ = [
    "AnswerFields",
    "Case",
    "CaseDict",
    "CaseFields",
    "CheckSpec",
    "Family",
    "JudgeNames",
    "JudgeSpec",
    "Juror",
    "Limits",
    "Message",
    "Metric",
    "Parameters",
    "Policies",
    "Profile",
    "ScorerSpec",
    "SourceLocation",
    "SourceMap",
    "Suite",
    "Tool",
    "effective_parameters",
    "metric_named",
    "profile",
]
