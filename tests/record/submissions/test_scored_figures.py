"""The figures that are scored: declared once; what needs no import of them agrees."""

from dataclasses import fields
from typing import get_args

import numpy as np

from benchmaker.analysis.boards.board import VALUES
from benchmaker.analysis.composite.default_baseline import DEFAULT_ENDS
from benchmaker.analysis.composite.weights import PARTS
from benchmaker.arenas.agentic.importers.atif_format.document import Extra
from benchmaker.arenas.agentic.logs.events import STATED_COUNTS
from benchmaker.cli.commands import leaderboard
from benchmaker.record.submissions.metric_columns import UNLABELLED, MetricColumns
from benchmaker.record.submissions.metrics import FIGURE_FIELDS, NUMBERS, Metrics
from benchmaker.record.submissions.scored_figures import (
    BOARD_FIGURES,
    FIGURES,
    SCORED_FIGURES,
    Figure,
)
from benchmaker.record.submissions.submission import COUNTED_ROWS
from benchmaker.report.sentences.board_words import VALUE_NAMES


def test_the_names_of_scored_figures_are_those_of_the_rows() -> None:
    assert get_args(Figure) == FIGURES


def test_counted_figures_keep_their_labels() -> None:
    shared = COUNTED_ROWS.keys() & SCORED_FIGURES.keys()
    assert shared == {"tool_calls", "iterations"}
    assert all(COUNTED_ROWS[name].label == SCORED_FIGURES[name].label for name in shared)


def test_every_figure_has_a_field_of_metrics() -> None:
    assert {*FIGURE_FIELDS} == {*NUMBERS} - {"correctness"}


def test_columns_hold_every_number_of_a_row() -> None:
    row = Metrics(submission_id="a", task_id="t", system="s", cost=2.0, iterations=3.0)
    columns = MetricColumns.of([row])
    assert {*NUMBERS} <= {*UNLABELLED} < {part.name for part in fields(MetricColumns)}
    known = {name: getattr(columns, name)[0] for name in NUMBERS}
    assert {name: n for name, n in known.items() if not np.isnan(n)} == {
        "cost": 2.0,
        "iterations": 3.0,
    }


def test_every_figure_has_default_ends_and_a_part() -> None:
    assert DEFAULT_ENDS.keys() == SCORED_FIGURES.keys()
    assert {row.part for row in SCORED_FIGURES.values()} == {*PARTS} - {"correctness"}


def test_boards_go_by_every_figure_and_name_it() -> None:
    assert tuple(VALUE_NAMES) == VALUES
    assert VALUE_NAMES["dollars"] == SCORED_FIGURES[BOARD_FIGURES["dollars"]].label == "Cost"


def test_the_command_offers_what_boards_go_by() -> None:
    assert leaderboard.METRICS == VALUES
    assert {*leaderboard.FRONT_FIGURES} == {*BOARD_FIGURES}


def test_atif_has_room_for_every_counted_figure() -> None:
    assert {*STATED_COUNTS} <= {*COUNTED_ROWS} <= {*Extra.__struct_fields__}
