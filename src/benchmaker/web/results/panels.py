"""The panels that pages of results share: means, differences, ranks, outcomes, the heat map."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from benchmaker.analysis import ComparedModel, ComparedPair, Comparison
from benchmaker.analysis.comparison.planning import more_cases, why_no_more_cases
from benchmaker.analysis.summary.case_grid import CaseGrid
from benchmaker.record import Outcome, group_of
from benchmaker.redact import Redactor
from benchmaker.report.plots import plots
from benchmaker.report.result_tables.comparisons import COMPARED_MODELS, PairsView
from benchmaker.report.runs import panels as standing
from benchmaker.report.runs.comparison import more_cases_text, more_notes
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.sentences import notes
from benchmaker.report.sentences.budget_ends import budget_words
from benchmaker.report.sentences.failures import failed_tool_sentences
from benchmaker.report.sentences.figure_words import WORDS
from benchmaker.report.sentences.judging import judging_notes, mixed_judges_note
from benchmaker.report.sentences.outcomes import GROUPS, NOT_RUN, outcome_name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface
from benchmaker.store import Store
from benchmaker.web.results.failed_models import failed_models
from benchmaker.web.results.run_cache import CasesOverview, RunsOverview

DRAWN = 30
"""Maximum number of models drawn."""

ACROSS = 12
"""Maximum number of models side by side in a heat map."""

HARDEST = 20
"""Number of cases in the heat map of a summary."""

_TOTALS = ("Trials", "Cost")
"""The tiles that the table of setups does not hold."""

_PAIRS = 45
_STEPS = 7
_MARKUP = ("key", "plot")


class Cell(NamedTuple):
    """A cell of a heat map: its class, its sign or "", its text, and where it leads."""

    kind: str
    sign: str
    text: str
    href: str = ""


def head(page: ReportPage, made: RunsOverview) -> dict[str, Any]:
    """Verdict, tiles, notes."""
    shown = page.head(None, made.comparison, made.effects)
    del shown["title"], shown["description"], shown["facts"]
    judging, run = made.summary.judging, made.summary.run
    said = {page.clean(text) for text in judging_notes(judging, run)}
    judged = judging_notes(judging, run, with_command=False)
    failed = failed_models(page, made.summary)
    tools = [page.clean(text) for text in failed_tool_sentences(made.summary)]
    told = {*said, *(failed.reasons if failed else ()), *tools}
    return {
        **shown,
        "judged": [page.clean(text) for text in judged],
        "mixed_judges": page.clean(mixed_judges_note(judging)),
        "unjudged": judging.failed if judging and judging.is_incomplete else 0,
        "failed": failed,
        "failed_tools": tools,
        "notes": [note for note in shown["notes"] if note not in told],
        "tiles": [one for one in shown["tiles"] if one["name"] in _TOTALS],
        "repeatable": page.clean(notes.reproducibility_line(made.summary, has_folders=False)),
        "complete": made.summary.is_complete,
        "budget_end": budget_words(made.summary.runs),
        "noun": made.summary.noun,
    }


def spread(page: ReportPage) -> dict[str, Any]:
    """The figures of each run, and the spread over runs."""
    shown = page.tables(Surface.PAGE)
    return {**shown, "models": [_as_markup(row) for row in shown["models"][:DRAWN]]}


def differences(
    page: ReportPage, made: Comparison | None, reference: str = ""
) -> dict[str, Any] | None:
    """Return each model compared with one, with the cases needed for significance."""
    if made is None:
        return None
    base = reference or made.headline.model_a
    shown = standing.differences_panel(
        page, made, base, more_cases=more_cases_of(made, base), surface=Surface.PAGE
    )
    said = {page.clean(text) for text in more_notes(made)}
    return {
        **shown,
        "axis": Markup(shown["axis"]),  # noqa: S704  drawn by us, out of numbers
        "rows": [_as_markup(row) for row in shown["rows"]],
        "notes": [note for note in shown["notes"] if note not in said],
        "pairs": shown["pairs"] if len(shown["pairs"]) <= _PAIRS else [],
        "n_pairs": len(made.pairs),
        "model": base,
    }


def more_cases_of(made: Comparison, reference: str) -> dict[str, str]:
    """The additional cases needed for significance, or why unknown, for each model that is drawn.

    Empty for pairs that differ significantly or are equivalent.
    """
    rows = PairsView(made, reference).rows[:DRAWN]
    return {row.other: _more_cases_words(made, row.pair) for row in rows}


def _more_cases_words(made: Comparison, pair: ComparedPair) -> str:
    found = more_cases(made, pair)
    if found and found.more:
        return f"about {more_cases_text(found.more)}"
    why = why_no_more_cases(made, pair)
    return f"unknown: {why}" if why else ""


def compared_means(page: ReportPage, made: Comparison) -> dict[str, Any]:
    """Return each model's compared figure, over the common cases."""
    models = made.models[:DRAWN]
    held = [v * 100 for one in models for v in (one.mean, one.low, one.high) if v is not None]
    axis = plots.axis_over(held)
    return {
        "axis": Markup(plots.axis_svg(axis)),  # noqa: S704  drawn by us, out of numbers
        "title": WORDS[made.figure].title,
        "heads": COMPARED_MODELS.page_heads(made, Surface.PAGE),
        "rows": [_compared_row(page, one, made, axis) for one in models],
        "left_out": max(0, len(made.models) - DRAWN),
    }


def _compared_row(
    page: ReportPage, one: ComparedModel, made: Comparison, axis: plots.Axis
) -> dict[str, Any]:
    ends = None if one.low is None or one.high is None else (one.low * 100, one.high * 100)
    mean = None if one.mean is None else one.mean * 100
    return _as_markup(
        {
            **page.identity(one.model),
            "plot": plots.range_svg(axis, mean, ends, page.colour(one.model)),
            "cells": COMPARED_MODELS.page_cells(one, made, Surface.PAGE),
        }
    )


def ranks(page: ReportPage, made: RunsOverview) -> dict[str, Any] | None:
    """The ranks with their intervals."""
    if made.ranking is None:
        return None
    shown = standing.ranks_panel(page, made.ranking, Surface.PAGE)
    axis = Markup(shown["axis"])  # noqa: S704  drawn by us, out of numbers
    return {**shown, "axis": axis, "rows": [_as_markup(row) for row in shown["rows"]]}


def repeats_panel(page: ReportPage, made: RunsOverview) -> dict[str, Any] | None:
    """Return pass@k, pass^k, majority and flaky cases of a series."""
    return standing.repeats_panel(page, made.summary, Surface.PAGE)


def corrected_panel(page: ReportPage, made: RunsOverview) -> dict[str, Any] | None:
    """Return the means corrected by human labels, if there are labels."""
    shown = standing.corrected_means_panel(page, made.summary)
    return shown and {**shown, "rows": [_as_markup(row) for row in shown["rows"]]}


def outcomes(page: ReportPage, made: RunsOverview) -> list[dict[str, Any]]:
    """Return the outcomes of each model's trials, by group."""
    return [
        {
            **_as_markup(page.identity(model.model)),
            "counts": (counts := _by_group(model.outcomes)),
            "bars": list(_bars(counts)),
            "total": sum(counts),
        }
        for model in made.summary.models[:DRAWN]
    ]


def _by_group(counts: Any) -> list[int]:  # noqa: ANN401  outcomes with their numbers
    ended = {Outcome(one): n for one, n in counts.items() if one != Outcome.UNFINISHED}
    kinds = [(group_of(one), number) for one, number in ended.items()]
    return [sum(number for kind, number in kinds if kind == group) for group in GROUPS]


def _bars(counts: Sequence[int]) -> Iterator[tuple[str, str, str]]:
    total, done = sum(counts) or 1, 0
    for group, number in zip(GROUPS, counts, strict=True):
        if number:
            yield group, f"{100 * done / total:.4g}", f"{100 * number / total:.4g}"
        done += number


def heat_rows(
    store: Store,
    page: ReportPage,
    made: RunsOverview | CasesOverview,
    rows: Sequence[int],
    base: str,
    *,
    columns: Sequence[int] | None = None,
) -> list[dict[str, Any]]:
    """Rows of the heat map: the case's name, its mean, and a cell for each model.

    A cell leads to its trial; over several runs to the case's page, ``base`` and its place.
    """
    grid, run = made.grid, made.runs[0]
    places = grid.position[list(rows)].tolist()
    called = store.case_pages.names(run.suite_hash, places)
    chosen = list(range(len(grid.models)))[:ACROSS] if columns is None else columns
    ranks = [run.models.index(name) if name in run.models else None for name in grid.models]

    def cell_link(row: int, column: int) -> str:
        place = int(grid.position[row])
        if ranks[column] is None or not grid.kind(row, column):
            return ""
        if len(made.runs) > 1:
            return f"{base}/{place}#m{ranks[column]}"
        return f"/runs/{run.id}/trials/{place}-{ranks[column]}"

    return [
        {
            "position": place,
            "name": page.clean(called.get(place, "")),
            "mean": _score(float(grid.case_mean[row])),
            "weight": f"{grid.weight[row]:g}",
            "href": f"{base}/{place}",
            "cells": [cell(grid, row, at)._replace(href=cell_link(row, at)) for at in chosen],
        }
        for place, row in zip(places, rows, strict=True)
    ]


def cell(grid: CaseGrid, row: int, column: int) -> Cell:
    """Return one cell; failures have an icon, never a colour of the scale."""
    kind, mean = grid.kind(row, column), float(grid.mean[row, column])
    if kind == "bad":
        return Cell("f-bad", "bad", f"{GROUPS['bad']}, {_score(mean)}")
    if kind == "infra":
        return Cell("f-infra", "infra", GROUPS["infra"])
    if kind == Outcome.UNFINISHED:
        return Cell("f-none", "none", outcome_name(Outcome.UNFINISHED))
    if kind == "none" or mean != mean:  # noqa: PLR0124  NaN alone differs from itself
        return Cell("f-none", "none", GROUPS["none"] if kind else NOT_RUN)
    step = min(int(mean * _STEPS), _STEPS - 1) + 1
    return Cell(f"q{step}", "", f"{mean * 100:.0f}")


def identities(page: ReportPage, models: Sequence[str]) -> list[dict[str, Any]]:
    """Names and markers."""
    return [_as_markup(page.identity(model)) for model in models]


def report_page_of(
    made: RunsOverview | CasesOverview, redactor: Redactor, first: Sequence[str] = ()
) -> ReportPage:
    """Return the report page of a result without secrets; ``first`` have the first markers."""
    return ReportPage(made.summary, redactor, first)


def _as_markup(row: dict[str, Any]) -> dict[str, Any]:
    """The row, its drawings as markup: they are made of numbers and classes alone."""
    return {
        key: Markup(value) if key in _MARKUP else value  # noqa: S704  see above
        for key, value in row.items()
    }


def _score(value: float) -> str:
    return "unscored" if value != value else numbers.score(value)  # noqa: PLR0124  NaN
