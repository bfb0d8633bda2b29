"""What holds for every declared table: names, keys, and the surfaces that show its columns."""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest

from benchmaker.analysis import compare, compare_levels, rank, setup_matrix, summarise
from benchmaker.report import summary_text, write_html, write_markdown, write_summary_csv
from benchmaker.report.result_tables.agent_trends import AGENT_TRENDS, TREND_WINDOWS
from benchmaker.report.result_tables.baselines import (
    BASELINE_FIGURES,
    BASELINES,
    EARLIER_BASELINES,
    RECENT,
    SYSTEM_BASELINES,
    SYSTEM_FIGURES,
)
from benchmaker.report.result_tables.bias import (
    BIAS_TESTS,
    GAPS,
    INFLUENCE,
    MISSING_FIGURES,
    RESIDUALS,
)
from benchmaker.report.result_tables.board import BOARD
from benchmaker.report.result_tables.calibrated_judges import JUDGES
from benchmaker.report.result_tables.calibration_figures import (
    CALIBRATION_EFFECTS,
    CALIBRATION_FIGURES,
    MISSED_SAMPLES,
)
from benchmaker.report.result_tables.comparisons import COMPARED_MODELS, PAIRS, PairsView
from benchmaker.report.result_tables.corrections import CORRECTED_DIFFERENCES, CORRECTED_MEANS
from benchmaker.report.result_tables.estimates import ESTIMATES
from benchmaker.report.result_tables.fronts import COST_OF_SUCCESS, FRONT, FRONTS
from benchmaker.report.result_tables.groups import GROUPS, GroupedMeans
from benchmaker.report.result_tables.label_tables import LABELLERS, LABELS
from benchmaker.report.result_tables.levels import LEVEL_PAIRS, LEVELS, WITHIN_MARGIN
from benchmaker.report.result_tables.matrix import MATRIX
from benchmaker.report.result_tables.means import MEANS
from benchmaker.report.result_tables.ranks import RANKS
from benchmaker.report.result_tables.scoring_profiles import (
    GAMING,
    MOVES,
    PROFILES,
    QUALITIES,
    WEIGHTS,
)
from benchmaker.report.result_tables.trend_points import TREND_POINTS
from benchmaker.report.result_tables.trials import TRIALS
from benchmaker.report.result_tables.usage_groups import BLOCKS, USAGE
from benchmaker.report.result_tables.votes import VOTES
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration
from tests.analysis.effects.designs import a_run, columns_for, setups_of
from tests.report.conftest import make_run, make_trial

SCORED = (
    MEANS, GROUPS, COMPARED_MODELS, PAIRS, RANKS, LEVELS, LEVEL_PAIRS, MATRIX, WITHIN_MARGIN,
)  # fmt: skip
"""The tables that scores alone give."""

DECLARED = (
    *SCORED, BOARD, VOTES, RESIDUALS, MISSING_FIGURES, GAPS, INFLUENCE, BIAS_TESTS, FRONT,
    COST_OF_SUCCESS, FRONTS, BASELINES, EARLIER_BASELINES, BASELINE_FIGURES, SYSTEM_BASELINES,
    SYSTEM_FIGURES, RECENT, AGENT_TRENDS, TREND_WINDOWS, PROFILES, WEIGHTS, QUALITIES, GAMING,
    MOVES, CALIBRATION_FIGURES, CALIBRATION_EFFECTS, MISSED_SAMPLES, JUDGES, LABELS, LABELLERS,
    CORRECTED_MEANS, CORRECTED_DIFFERENCES, USAGE, BLOCKS,
)  # fmt: skip


def trials(*, grades, runs=("r1",)):
    scores = (1.0, 0.5, 0.0, 0.75) if grades else (1.0, 0.0)
    return [
        make_trial(at, scores[(at * rank) % len(scores)], model=model, run=run)
        for run in runs
        for rank, model in enumerate(("aurora", "basalt", "cobalt"), start=1)
        for at in range(12)
    ]


@pytest.fixture(scope="module")
def made():
    """A result for each table that scores alone give."""
    scored = trials(grades=True)
    summary, comparison = summarise(scored), compare(scored)
    setups = setups_of(("a", "b", "c"), ("plain", "few"))
    scores = np.random.default_rng(0).random((60, 6))
    columns, run = columns_for(setups, scores, costs=scores), a_run(setups)
    levels = compare_levels(columns, "model", [run], margin=0.1)
    return {
        "levels": levels,
        "effects": levels,
        "matrix": setup_matrix(columns, [run]),
        "within_margin": levels.within_margin,
        "means": summary,
        "groups": GroupedMeans.of({"a": summary, "": summary}, "category"),
        "compared": comparison,
        "differences": PairsView(comparison),
        "ranks": rank(scored),
    }


@pytest.mark.parametrize(
    "table", [*DECLARED, ESTIMATES, TREND_POINTS, TRIALS], ids=lambda table: table.name
)
def test_a_name_stands_in_files_once(table):
    assert len(set(table.keys)) == len(table.keys)
    assert all(column.file_keys or column.text for column in table.columns)


@pytest.mark.parametrize("table", SCORED, ids=lambda table: table.name)
def test_files_have_the_names_and_values_of_the_json_document(table, made):
    result = made[table.name]
    for row, record in zip(table.rows(result), table.records(result), strict=True):
        plain = row.to_dict()
        assert tuple(record) == table.keys
        for column in table.columns:
            if column.value is None and column.name and not column.keys:
                assert record[column.name] == plain[column.name]
            elif set(column.keys) <= plain.keys():
                assert [record[key] for key in column.keys] == [plain[key] for key in column.keys]


@pytest.mark.parametrize("table", SCORED, ids=lambda table: table.name)
def test_columns_follow_those_that_they_name(table, made):
    for surface in Surface:
        names = [column.name for column in table.shown(made[table.name], surface)]
        for column in table.columns:
            if {column.name, column.shown_after} <= set(names):
                assert names.index(column.name) > names.index(column.shown_after)


@pytest.mark.parametrize("table", DECLARED, ids=lambda table: table.name)
def test_an_interval_stands_behind_its_figure(table):
    names = [column.name for column in table.columns]
    for at, column in enumerate(table.columns):
        assert not column.beside or column.beside in names[:at]


MEDIAN = TableColumn(
    name="median",
    value=lambda model, _: model.median_latency_s,
    title="Median",
    text=lambda model, _: f"median of {model.model}",
    help="Median: half of the cases score less.",
)


def html_of(summary):
    stream = io.StringIO()
    write_html(summary, stream)
    return stream.getvalue()


def markdown_of(summary):
    stream = io.StringIO()
    write_markdown(summary, stream)
    return stream.getvalue()


def csv_of(summary):
    stream = io.StringIO(newline="")
    write_summary_csv(summary, stream)
    return stream.getvalue()


@pytest.mark.parametrize("grades", [True, False])
@pytest.mark.parametrize("metric", ["mean", "strict"])
def test_every_column_of_means_is_on_every_surface_that_it_names(grades, metric):
    runs = [make_run(models=("aurora", "basalt", "cobalt"))]
    summary = summarise(trials(grades=grades), runs, metric=metric)
    said = {
        Surface.TERMINAL: " ".join(summary_text(summary, width=200).split()),
        Surface.MARKDOWN: markdown_of(summary).replace("\\", ""),
        Surface.REPORT: html_of(summary),
    }
    for surface, text in said.items():
        for column in MEANS.shown(summary, surface):
            assert column.head(summary).head.split("\n")[0] in text, (surface, column.name)
            for model in summary.models:
                assert column.cell(model, summary) in text, (surface, column.name)
    (heads, *_) = csv.reader(io.StringIO(csv_of(summary), newline=""))
    assert tuple(heads) == MEANS.keys


def test_a_column_that_is_added_is_drawn_and_explained_everywhere(made):
    summary = made["means"]
    more: TableDeclaration = replace(MEANS, columns=(*MEANS.columns, MEDIAN))
    wide = more.table(summary).text(width=200)
    assert "Median" in wide
    assert "median of aurora" in wide
    assert "| Median |" in more.table(summary, Surface.MARKDOWN).markdown()
    assert "Median: half of the cases score less." in more.legend(summary, Surface.TERMINAL)
    for surface in (Surface.REPORT, Surface.PAGE):
        assert more.page_heads(summary, surface)[-1].label == "Median"
        cells = more.page_cells(summary.models[0], summary, surface)
        assert cells[-1].text == f"median of {summary.models[0].model}"
    assert more.keys[-1] == "median"
    assert all("median" in record for record in more.records(summary))


def test_figures_of_the_metric_lead_on_every_surface():
    for metric, first in (("mean", "mean"), ("strict", "strict_accuracy")):
        summary = summarise(trials(grades=True), metric=metric)
        for surface in Surface:
            names = [column.name for column in MEANS.shown(summary, surface)]
            assert names[:2] == ["model", first]
            assert re.fullmatch(r"(strict_)?ci95", names[2])
