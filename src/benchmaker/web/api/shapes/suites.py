"""Suites, their cases and versions."""

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from benchmaker.web.api.paging import page_type
from benchmaker.web.api.suite_fields import case_shape, suite_shape

if TYPE_CHECKING:
    CaseOut = dict[str, Any]
    SuiteOut = dict[str, Any]
else:
    CaseOut = case_shape()
    SuiteOut = suite_shape()


class CaseMean(TypedDict):
    """The mean of a case over the answers of the last series or run, from 0 to 1."""

    mean: float
    answers: int


class CaseRow(TypedDict):
    """A case at its position, from 1, with its scorer and its result in the last series or run."""

    number: int
    case: CaseOut
    scorer: str
    last: CaseMean | None


CasePage = page_type("CasePage", CaseRow, scale=Literal["0-1"])


class SuiteRow(TypedDict):
    """The latest version of a suite, its number of runs, and the mean of the best model.

    The mean is that of the series of `last_run`, over its runs; else of that run.
    """

    suite: str
    suite_hash: str
    cases: int
    source: str | None
    created_at: str
    runs: int
    last_run: str | None
    mean: float | None
    ci95: tuple[float, float] | None
    best_model: str | None


SuitePage = page_type("SuitePage", SuiteRow, scale=Literal["0-1"])


class FieldChange(TypedDict):
    """A field that is not the same: before and after, as text."""

    name: str
    before: str
    after: str


class AddedCase(TypedDict):
    """A case that the other version lacks, with its place, from 1."""

    number: int
    id: str


class ChangedCase(AddedCase):
    """A case of both versions that is not the same, with its place in the newer."""

    fields: list[FieldChange]


class SuiteDiff(TypedDict):
    """The changes between versions; `more` counts changed cases that are not listed."""

    suite_hash: str
    before: str
    header: list[FieldChange]
    added: list[AddedCase]
    removed: list[str]
    changed: list[ChangedCase]
    more: int
    same: int
    moved: int
