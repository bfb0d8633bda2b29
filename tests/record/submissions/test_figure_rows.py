"""The figures of a submission: declared beside their fields, and nowhere again."""

from typing import Annotated, get_args, get_type_hints

import msgspec
import pytest

from benchmaker.record.submissions.figure_rows import FigureRow, count_of, figure_rows
from benchmaker.record.submissions.submission import (
    COUNTED_ROWS,
    FIGURE_ROWS,
    CountName,
    Counts,
    Submission,
    TokenUsage,
)

NO_FIGURES = {"attempt.seed", "outcome.reward", "time.gap_limit_s"}
"""Numbers that say how the work was set up or graded."""


def numbers(record: type[msgspec.Struct], path: str = "") -> set[str]:
    """The paths of all numbers of a record and of its parts that may be missing."""
    found = set()
    for name, hint in get_type_hints(record).items():
        if hint in (int | None, float | None):
            found.add(f"{path}{name}")
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            found |= numbers(hint, f"{path}{name}.")
    return found


def test_every_number_of_a_submission_is_a_figure() -> None:
    assert numbers(Submission) - NO_FIGURES == FIGURE_ROWS.keys()


def test_the_names_of_counts_are_those_of_the_rows() -> None:
    assert get_args(CountName) == tuple(COUNTED_ROWS)


def test_the_main_agent_is_counted_alone_under_the_same_names() -> None:
    of_all = {name for name in COUNTED_ROWS if name in Submission.__struct_fields__}
    assert of_all - {*Counts.__struct_fields__} == {"subagents"}


def test_token_kinds_are_rows_in_the_order_of_the_record() -> None:
    kinds = [path for path in FIGURE_ROWS if path.startswith("usage.")]
    assert kinds == [f"usage.{kind}" for kind in TokenUsage.__struct_fields__]
    assert {FIGURE_ROWS[path].unit for path in kinds} == {"tokens"}


@pytest.mark.parametrize("name", COUNTED_ROWS)
def test_counted_figures_are_labelled_counts(name: str) -> None:
    row = COUNTED_ROWS[name]
    assert (row.unit, bool(row.label)) == ("count", True)


def test_labels_are_given_once() -> None:
    labels = [row.label for row in FIGURE_ROWS.values() if row.label]
    assert len(labels) == len(set(labels))


def test_rows_are_found_in_the_order_of_the_fields() -> None:
    class Part(msgspec.Struct, frozen=True):
        seconds: Annotated[float | None, FigureRow("seconds", "Pause")] = None
        note: str = ""

    class Whole(msgspec.Struct):
        retries: Annotated[int | None, count_of("Occurrence", "Retries", "retry")] = None
        part: Part = Part()

    assert dict(figure_rows(Whole)) == {
        "retries": FigureRow("count", "Retries", "retry", "Occurrence"),
        "part.seconds": FigureRow("seconds", "Pause"),
    }
