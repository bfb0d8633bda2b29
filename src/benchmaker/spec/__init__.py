"""The files a person writes: suites, cases, scorers by name, parameters, profiles."""

from benchmaker.spec.case import Case, Message, ScorerSpec
from benchmaker.spec.fields import AnswerFields, CaseFields
from benchmaker.spec.judge import JudgeSpec, Juror
from benchmaker.spec.limits import Limits
from benchmaker.spec.parameters import Parameters, effective_parameters
from benchmaker.spec.places import Place, Places
from benchmaker.spec.policies import Policies
from benchmaker.spec.profile import Family, Metric, Profile, metric_named, profile
from benchmaker.spec.suite import Suite

__all__ = [
    "AnswerFields",
    "Case",
    "CaseFields",
    "Family",
    "JudgeSpec",
    "Juror",
    "Limits",
    "Message",
    "Metric",
    "Parameters",
    "Place",
    "Places",
    "Policies",
    "Profile",
    "ScorerSpec",
    "Suite",
    "effective_parameters",
    "metric_named",
    "profile",
]
