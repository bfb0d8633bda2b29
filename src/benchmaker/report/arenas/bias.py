"""The bias report as text, Markdown, CSV and HTML."""

from collections.abc import Iterator
from typing import Final, TextIO

from benchmaker.record.counts import count
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.plots import plots
from benchmaker.report.result_tables.bias import (
    BIAS_TESTS,
    GAPS,
    INFLUENCE,
    MISSING_FIGURES,
    RESIDUALS,
    Body,
)
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise

_GAPS_LEGEND: Final = (
    "Differences of logarithms within tool and task; for correctness, plain differences."
)


def bias_report(body: Body) -> ReportDocument:
    """Return the suspicious findings in sentences, and the four analyses as tables."""
    flags = [numbers.with_minus(sanitise(f"{text}.")) for text in body["flags"]]
    return ReportDocument(
        title="Bias",
        facts=(body["profile"], count(body["submissions"], "submission")),
        verdict=tuple(flags or [_no_flags_sentence(body)]),
        sections=tuple(one for one in _sections(body) if one.table.rows),
        legend=(
            (
                "p-values are adjusted within each table (Benjamini–Hochberg): the expected share "
                f"of false alarms among the flags is at most {body['fdr']:.0%}."
            ),
            *_reasons(body),
            *_missing_influence(body),
        ),
    )


def _reasons(body: Body) -> Iterator[str]:
    """Yield the known reasons why tools lack figures."""
    for one in body["missing"]:
        if one["reason"]:
            yield f"{name(one['tool'])}: {one['figure']} missing ({one['reason']})."


def _no_flags_sentence(body: Body) -> str:
    """Return the sentence for no findings, which covers only analyses that tested something."""
    looks = ("residuals", "missing", "gaps")
    tested = sum(one["p_adjusted"] is not None for look in looks for one in body[look])
    if tested:
        return f"No sign of bias in {count(tested, 'test')}."
    return "Not tested: too few comparable submissions."


def write_bias_csv(body: Body, stream: TextIO) -> None:
    """A row for each test of every look."""
    BIAS_TESTS.write_csv(body, stream)


def _sections(body: Body) -> list[Section]:
    gaps = GAPS.table(body)
    return [
        _residuals(body),
        Section(MISSING_FIGURES.table(body)),
        Section(gaps, legend=(_GAPS_LEGEND,) if gaps.rows else ()),
        Section(INFLUENCE.table(body)),
    ]


def _residuals(body: Body) -> Section:
    listed = body["residuals"]
    ends = [v for one in listed for v in (one["points"], one["low"], one["high"]) if v is not None]
    axis = plots.axis_over([*ends, 0.0]) if ends else None
    return Section(
        RESIDUALS.table(body),
        plots=tuple(_plot(one, axis) for one in listed) if axis else (),
        axis=plots.axis_svg(axis) if axis else "",
    )


def _plot(one: Body, axis: plots.Axis) -> str:
    ends = None if one["low"] is None or one["high"] is None else (one["low"], one["high"])
    return plots.range_svg(axis, one["points"], ends, "m1", zero=True)


def _missing_influence(body: Body) -> list[str]:
    if body["influence"]:
        return []
    return ["Influence on baselines: not tested, or no system is ranked."]
