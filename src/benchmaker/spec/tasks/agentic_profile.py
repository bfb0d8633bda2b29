"""Scoring profiles of the Agentic Arena: versioned documents of weights and policies."""

import hashlib
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import is_there, read_text
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.messages import faults, kind
from benchmaker.spec.documents.source_map import SourceMap
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.documents.yaml import read_yaml
from benchmaker.spec.suites.value_errors import Objections
from benchmaker.spec.tasks.task import CATEGORIES, TaskWeights

Evidence = Literal["verified", "attested", "imported", "self_reported"]

_VERSION_DIGITS = 8

PUBLISHED = TaskWeights(efficiency=0.35, speed=0.25, cost=0.20, correctness=0.20)
"""The published weights of the four parts."""

BY_CATEGORY: dict[str, TaskWeights] = {
    "frontend_development": TaskWeights(efficiency=0.30, speed=0.25, cost=0.15, correctness=0.30),
    "backend_development": TaskWeights(efficiency=0.35, speed=0.30, cost=0.20, correctness=0.15),
    "data_analysis": TaskWeights(efficiency=0.40, speed=0.20, cost=0.25, correctness=0.15),
    "debugging": TaskWeights(efficiency=0.25, speed=0.35, cost=0.15, correctness=0.25),
    "refactoring": TaskWeights(efficiency=0.45, speed=0.20, cost=0.20, correctness=0.15),
}
"""The published weights of the five categories."""


class AgenticProfile(BaseModel):
    """The scoring of submissions and the ranking of systems.

    ``family`` names the definitions: ``classic`` as published, ``robust`` ours. ``weights`` apply
    if neither the task nor ``by_category`` has weights. ``tokens`` is the count used for efficiency
    (classic always uses the total). ``missing`` is the treatment of a missing figure in a robust
    composite: as a ``range`` from 0 to 1, as in robust/2, or ``left_out``, as in robust/1.
    ``policy`` selects the attempts that represent a system at a task. ``evidence`` lists the ranked
    levels. Below ``least_submissions`` a system, and below ``least_systems`` a board, is
    provisional. Without a ``version`` the content is the version.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,59}$")]
    version: Annotated[str, Field(max_length=40, pattern=r"^[\w.-]*$")] = ""
    family: Literal["classic", "robust"] = "robust"
    description: str = ""
    weights: TaskWeights = PUBLISHED
    by_category: dict[str, TaskWeights] = Field(default_factory=lambda: dict(BY_CATEGORY))
    tokens: Literal["total", "fresh", "cost_weighted"] = "fresh"
    missing: Literal["range", "left_out"] = "range"
    policy: Literal["mean", "first", "last", "best"] = "mean"
    evidence: tuple[Evidence, ...] = ("verified", "attested", "imported")
    least_submissions: int = Field(5, ge=1)
    least_systems: int = Field(3, ge=1)
    common_tasks: bool = False
    level: float = Field(0.95, gt=0.5, lt=1)

    @property
    def id(self) -> str:
        """Name and version, as stored with every score: ``robust/2``."""
        return f"{self.name}/{self.version or self._content[:_VERSION_DIGITS]}"

    @property
    def _content(self) -> str:
        data = msgspec.json.encode(self.model_dump(mode="json"), order="sorted")
        return hashlib.sha256(data).hexdigest()


def _category_profile(category: str) -> AgenticProfile:
    return AgenticProfile(
        name=category,
        version="2",
        description=f"The published weights of {category.replace('_', ' ')}, for every task.",
        weights=BY_CATEGORY[category],
        by_category={},
    )


BUILT_IN: dict[str, AgenticProfile] = {
    "classic": AgenticProfile(
        name="classic",
        version="1",
        family="classic",
        description="The published method; reproduces its figures to the last digit.",
        tokens="total",
        evidence=("verified", "attested", "imported", "self_reported"),
    ),
    "robust": AgenticProfile(
        name="robust",
        version="2",
        description=(
            "Only correct submissions score for efficiency, speed and cost, on log scales; "
            "a missing figure never raises a score."
        ),
    ),
    **{category: _category_profile(category) for category in CATEGORIES},
}
"""The bundled profiles, by name."""

OPENING: Final = "robust"
"""The default profile of boards and evaluations."""


def _version_1(one: AgenticProfile) -> AgenticProfile:
    words = one.description.replace(
        "; a missing figure never raises a score", "; missing figures are left out"
    )
    changes = {"version": "1", "missing": "left_out", "description": words}
    return one.model_copy(update=changes)


EARLIER: dict[str, AgenticProfile] = {
    made.id: made for one in BUILT_IN.values() if one.version == "2" for made in (_version_1(one),)
}
"""Earlier versions of the built-in profiles by id, to compute what is stored under them."""

_BY_WORD = {**BUILT_IN, **{one.id: one for one in BUILT_IN.values()}, **EARLIER}


def load_profile(given: str | Path) -> AgenticProfile:
    """Load a profile by its name, by name and version, or from a YAML file.

    Raises:
        SpecError: neither a known name nor a valid file; all faults together.
    """
    name = str(given)
    if name in _BY_WORD:
        return _BY_WORD[name]
    path = Path(given)
    if not is_there(path) or not path.is_file():
        known = ", ".join(BUILT_IN)
        hint = did_you_mean(name, BUILT_IN) or f"Use one of {known}, or a YAML file."
        raise SpecError(f"unknown profile {name!r}.", hint=hint)
    return _read(path)


def _read(path: Path) -> AgenticProfile:
    limits = Limits()
    findings = Findings(limits.findings)
    text = read_text(path, limits=limits, cap=limits.document_bytes)
    document = read_yaml(text, str(path), limits=limits, findings=findings)
    objections = Objections(SourceMap(str(path), document.root), findings)
    if not isinstance(document.data, dict):
        message = f"a profile must be a mapping with a name and weights, not {kind(document.data)}."
        objections.add((), message, "Start with: name:")
        raise findings.error()
    if document.data.get("name") in BUILT_IN:
        message = f"{document.data['name']!r} is the name of a built-in profile."
        objections.add(("name",), message, "Choose another name.")
    try:
        made = AgenticProfile.model_validate(document.data)
    except ValidationError as exc:
        parts = {"weights": TaskWeights, "by_category": TaskWeights}
        objections.take(faults(exc, AgenticProfile, parts))
        raise findings.error() from exc
    findings.raise_if_any()
    return made
