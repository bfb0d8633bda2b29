"""The bias report as text, Markdown, CSV and HTML."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.plots import plots
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.table import Column, Table, write_rows

CSV_COLUMNS: Final = (
    "look", "about", "figure", "value", "low", "high", "others", "p_value", "p_adjusted", "n",
    "flagged", "reason",
)  # fmt: skip

Body = Mapping[str, Any]


def bias_report(body: Body) -> ReportDocument:
    """Return the suspicious findings in sentences, and the four analyses as tables."""
    flags = [numbers.with_minus(sanitise(f"{text}.")) for text in body["flags"]]
    return ReportDocument(
        title="Bias",
        facts=(body["profile"], numbers.count(body["submissions"], "submission")),
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
        return f"No sign of bias in {numbers.count(tested, 'test')}."
    return "Not tested: too few comparable submissions."


def write_bias_csv(body: Body, stream: TextIO) -> None:
    """A row for each test of every look."""
    write_rows(stream, CSV_COLUMNS, _csv_rows(body))


def _sections(body: Body) -> list[Section]:
    return [_residuals(body), _missing_figures(body), _gaps(body), _influence(body)]


def _residuals(body: Body) -> Section:
    listed = body["residuals"]
    columns = (
        Column("Tool", is_right=False),
        Column("Points"),
        Column(f"{100 * body['level']:g}% CI"),
        Column("p\nadjusted"),
        Column("n"),
        Column("Flag", is_right=False),
        Column("Reason", is_right=False, gives_way=True),
    )
    ends = [v for one in listed for v in (one["points"], one["low"], one["high"]) if v is not None]
    axis = plots.axis_over([*ends, 0.0]) if ends else None
    drawn = [_plot(one, axis) for one in listed] if axis else []
    rows = tuple(
        (
            name(one["tool"]),
            _points(one["points"]),
            _interval(one["low"], one["high"]),
            _p(one["p_adjusted"]),
            f"{one['n']:,}",
            "flagged" if one["is_flagged"] else "",
            one["reason"],
        )
        for one in listed
    )
    return Section(
        Table(columns, rows, caption="Composite relative to others at the same task and outcome"),
        plots=tuple(drawn),
        axis=plots.axis_svg(axis) if axis else "",
    )


def _plot(one: Body, axis: plots.Axis) -> str:
    ends = None if one["low"] is None or one["high"] is None else (one["low"], one["high"])
    return plots.range_svg(axis, one["points"], ends, "m1", zero=True)


def _missing_figures(body: Body) -> Section:
    columns = (
        Column("Tool", is_right=False),
        Column("Figure", is_right=False),
        Column("Missing"),
        Column("Others"),
        Column("p\nadjusted"),
        Column("Flag", is_right=False),
    )
    listed = [one for one in body["missing"] if one["share"]["share"] or one["is_flagged"]]
    rows = tuple(
        (
            name(one["tool"]),
            one["figure"].replace("_", " "),
            numbers.share(one["share"]["share"]),
            numbers.share(one["others"]["share"]),
            _p(one["p_adjusted"]),
            "flagged" if one["is_flagged"] else "",
        )
        for one in listed
    )
    return Section(Table(columns, rows, caption="Missing figures"))


def _gaps(body: Body) -> Section:
    columns = (
        Column("Figure", is_right=False),
        Column("Difference"),
        Column(f"{100 * body['level']:g}% CI"),
        Column("p\nadjusted"),
        Column("n"),
        Column("Flag", is_right=False),
    )
    rows = tuple(
        (
            one["figure"].replace("_", " "),
            numbers.fixed_point(one["gap"], 3, signed=True),
            _interval_text(one["low"], one["high"]),
            _p(one["p_adjusted"]),
            f"{one['n']:,}",
            "flagged" if one["is_flagged"] else "",
        )
        for one in body["gaps"]
        if one["gap"] is not None
    )
    legend = (
        "Differences of logarithms within tool and task; for correctness, plain differences.",
    )
    return Section(
        Table(columns, rows, caption="Self-reported against other figures"),
        legend=legend if rows else (),
    )


def _influence(body: Body) -> Section:
    columns = (
        Column("Excluded from baselines", is_right=False),
        Column("Largest\nchange of rank"),
        Column("Moved beyond rank intervals", is_right=False),
    )
    rows = tuple(
        (
            name(one["system"]),
            f"{one['largest']}",
            ", ".join(name(each) for each in one["moved"]) or "none",
        )
        for one in body["influence"]
    )
    return Section(Table(columns, rows, caption="Effect of excluding a system from baselines"))


def _missing_influence(body: Body) -> list[str]:
    if body["influence"]:
        return []
    return ["Influence on baselines: not tested, or no system is ranked."]


def _csv_rows(body: Body) -> Iterator[dict[str, Any]]:
    for one in body["residuals"]:
        yield _csv("residual", one["tool"], None, one["points"], one)
    for one in body["missing"]:
        made = _csv("missing", one["tool"], one["figure"], one["share"]["share"], one)
        yield made | {"others": one["others"]["share"], "n": one["share"]["n"]}
    for one in body["gaps"]:
        yield _csv("self_reported", one["figure"], one["figure"], one["gap"], one)
    for one in body["influence"]:
        yield _csv("baseline", one["system"], None, one["largest"], one) | {
            "flagged": bool(one["moved"]),
            "reason": ", ".join(one["moved"]),
        }


def _csv(look: str, about: str, figure: str | None, value: Any, one: Body) -> dict[str, Any]:  # noqa: ANN401  a number or None
    keys = ("low", "high", "p_value", "p_adjusted", "n", "reason")
    return {
        "look": look,
        "about": about,
        "figure": figure,
        "value": value,
        "others": None,
        "flagged": one.get("is_flagged"),
        **{key: one.get(key) for key in keys},
    }


def _interval_text(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return missing_figures.NO_INTERVAL
    return f"[{numbers.limit(low, 3)}, {numbers.limit(high, 3)}]"


def _points(value: float | None) -> str:
    return missing_figures.NOT_TESTED if value is None else numbers.difference(value / 100)


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return missing_figures.NO_INTERVAL
    ends = (numbers.end(end / 100, signed=True) for end in (low, high))
    return f"[{', '.join(ends)}]"


def _p(p: float | None) -> str:
    return missing_figures.optional_p_value(p)
