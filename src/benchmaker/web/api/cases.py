"""Single cases of a suite; a change stores the suite as a new version, and none is overtaken."""

from typing import Annotated, Any

from fastapi import Path

from benchmaker.errors import Conflict
from benchmaker.spec import Case, Suite
from benchmaker.store.suites.suite_pages import PlacedCase
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import suites as shapes
from benchmaker.web.api.suite_input import CaseIn, case_of
from benchmaker.web.api.suite_output import case_rows
from benchmaker.web.api.suites import Content, Newest, stored_after
from benchmaker.web.faults import Missing
from benchmaker.web.suites.versions import case_count, replace_case
from benchmaker.web.workbench import Bench, Workbench

api = Api("suites")
router = api.router

Number = Annotated[int, Path(ge=1, le=2**31, description="A case's position, from 1.")]
"""A case's position, from 1."""


@api.post("/suites/{content}/cases", shapes.SuiteOut, status=201, hides=False)
def add_case(bench: Bench, content: Content, case: CaseIn, newest: Newest = "") -> Any:  # noqa: ANN401  its shape
    """Store the suite with a further case at its end."""
    suite = bench.store.suite(content)
    _refuse_taken(bench, content, case.id)
    return stored_after(
        bench, suite, replace_case(suite, case_count(suite), case_of(case, suite)), newest
    )


@api.get("/suites/{content}/cases/{number}", shapes.CaseRow, hides=False)
def case(bench: Bench, content: Content, number: Number) -> Any:  # noqa: ANN401  its shape
    """One case."""
    suite, found = _case(bench, content, number)
    return case_rows(bench, suite, (PlacedCase(number - 1, found),))[0]


@api.put("/suites/{content}/cases/{number}", shapes.SuiteOut, hides=False)
def change_case(
    bench: Bench, content: Content, number: Number, case: CaseIn, newest: Newest = ""
) -> Any:  # noqa: ANN401  its shape
    """Store the suite with another case at this place."""
    suite, _ = _case(bench, content, number)
    _refuse_taken(bench, content, case.id, number)
    return stored_after(bench, suite, replace_case(suite, number - 1, case_of(case, suite)), newest)


@api.delete("/suites/{content}/cases/{number}", shapes.SuiteOut, hides=False)
def delete_case(bench: Bench, content: Content, number: Number, newest: Newest = "") -> Any:  # noqa: ANN401  its shape
    """Store the suite without this case."""
    suite, _ = _case(bench, content, number)
    return stored_after(bench, suite, replace_case(suite, number - 1), newest)


def _case(bench: Workbench, content: str, number: int) -> tuple[Suite, Case]:
    suite = bench.store.suite(content)
    if number > case_count(suite):
        raise Missing(f"there is no case {number:,}.", hint=f"The suite has {case_count(suite):,}.")
    return suite, bench.store.case(content, number - 1)


def _refuse_taken(bench: Workbench, content: str, name: str, number: int = 0) -> None:
    at = bench.store.suites.position_of(content, name)
    if at is not None and at != number - 1:
        said = f"the id {name!r} is that of case {at + 1:,}."
        raise Conflict(said, where="body.id", hint="Give it its own.")
