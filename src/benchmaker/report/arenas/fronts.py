"""The cost of success: front, cost per success, budgets, pass@k; text, Markdown, CSV and HTML."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Final, TextIO

from benchmaker.analysis.comparison.probability_words import chance_words
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.plots import plots
from benchmaker.report.plots.scatter import LogPlane, Point, curves_svg, scatter_svg
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.board_words import VALUE_NAMES, board_figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.report.tables import numbers
from benchmaker.report.tables.table import Column, Table, write_rows

CSV_COLUMNS: Final = (
    "system", "figure", "mean", "success", "n", "tasks", "on_front", "membership", "per_success",
    "at_least", "total", "successes", "attempts", "unknown", "area", "reason",
)  # fmt: skip

_UNITS: Final = {"dollars": "dollars", "seconds": "seconds", "tokens": "tokens"}
_BUDGETS: Final = 4

Body = Mapping[str, Any]


def fronts_report(body: Body) -> ReportDocument:
    """Return the front, then the cost per success, success within budgets, and repeats."""
    front = body["front"]
    of = VALUE_NAMES[front["figure"]].lower()
    colours = _colours(body)
    sections = [
        _front_section(front, colours, body.get("untested", {})),
        _per_success(body["per_success"], front["figure"]),
        _budget_section(body["within_budget"], front["figure"], colours),
        _passes(body["passes"], body["level"]),
    ]
    return ReportDocument(
        title=f"Success against {of}",
        facts=(body["profile"], f"by {body['unit']}"),
        verdict=tuple(_verdict(front, body.get("untested", {}))),
        sections=tuple(one for one in sections if one.table.rows),
        notes=tuple(_notes(body)),
        legend=tuple(_legend(body)),
    )


def write_fronts_csv(body: Body, stream: TextIO) -> None:
    """A row for each unit with every figure in full."""
    per = {one["system"]: one for one in body["per_success"]}
    areas = {one["system"]: one["area"] for one in body["within_budget"]}
    points = {one["system"]: one for one in body["front"]["points"]}
    write_rows(
        stream,
        CSV_COLUMNS,
        (_csv_row(body, system, per[system], points.get(system), areas) for system in sorted(per)),
    )


def _csv_row(
    body: Body, system: str, per: Body, point: Body | None, areas: Mapping[str, float | None]
) -> dict[str, Any]:
    keys = ("success", "n", "tasks", "on_front", "membership")
    return {
        "system": system,
        "figure": body["front"]["figure"],
        "mean": point["figure"] if point else None,
        **{key: point[key] if point else None for key in keys},
        "per_success": per["value"],
        **{key: per[key] for key in ("at_least", "total", "successes", "attempts", "unknown")},
        "area": areas.get(system),
        "reason": per["reason"],
    }


def _verdict(front: Body, untested: Mapping[str, str]) -> list[str]:
    if not front["points"]:
        return [f"No submission has both a verdict and {VALUE_NAMES[front['figure']].lower()}."]
    tested = [one for one in front["points"] if one["system"] not in untested]
    if not tested:
        return [f"The front is not tested: {next(iter(untested.values()))}."]
    on = [name(one["system"]) for one in tested if one["on_front"]]
    if not on:
        return ["No system on the front has enough attempts."]
    sure = [name(one["system"]) for one in tested if one["is_solid"]]
    both = f"success and {VALUE_NAMES[front['figure']].lower()}"
    return [
        f"No system beats {_join_names(on)} at both {both}.",
        f"In at least 80% of bootstrap samples: {_join_names(sure)}."
        if sure
        else "None of them reaches 80% of bootstrap samples.",
    ]


def _front_section(front: Body, colours: Mapping[str, str], untested: Mapping[str, str]) -> Section:
    figure = front["figure"]
    points = [
        Point(
            x=one["figure"],
            y=one["success"],
            name=name(one["system"]),
            colour=colours[one["system"]],
            hollow=not one["is_solid"] or one["system"] in untested,
            on_front=one["on_front"] and one["system"] not in untested,
        )
        for one in front["points"]
    ]
    plane = LogPlane.from_values([one.x for one in points], [one.y for one in points])
    label = f"Success against {VALUE_NAMES[figure].lower()} of an attempt"
    columns = (
        Column("System", is_right=False),
        Column("Success\n0-100"),
        Column(f"{VALUE_NAMES[figure]} of\nan attempt"),
        Column("On the\nfront", is_right=False),
        Column("in draws"),
        Column("n"),
        Column("Tasks", gives_way=True),
    )
    rows = tuple(
        (
            name(one["system"]),
            numbers.score(one["success"]),
            board_figure_text(figure, one["figure"]),
            *_membership(one, untested),
            f"{one['n']:,}",
            f"{one['tasks']:,}",
        )
        for one in front["points"]
    )
    drawing = scatter_svg(plane, points, label=label, unit=_UNITS.get(figure, "")) if plane else ""
    known = f"n: attempts with a verdict and a known {VALUE_NAMES[figure].lower()}."
    filled = ("Filled: on the front in at least 80% of bootstrap samples.",) if plane else ()
    reasons = tuple(f"{name(system)}: not tested ({why})." for system, why in untested.items())
    return Section(
        Table(columns, rows, caption=label), drawing=drawing, legend=(*filled, known, *reasons)
    )


def _membership(one: Body, untested: Mapping[str, str]) -> tuple[str, str]:
    """Return the membership of the front, and the share of draws."""
    if one["system"] in untested:
        return "not tested", "not tested"
    return "yes" if one["on_front"] else "no", chance_words(one["membership"])


def _per_success(listed: Sequence[Body], figure: str) -> Section:
    columns = (
        Column("System", is_right=False),
        Column(f"{VALUE_NAMES[figure]} of\na success"),
        Column("Successes"),
        Column("Attempts"),
        Column("In all"),
        Column("Reason", is_right=False, gives_way=True),
    )
    rows = tuple(
        (
            name(one["system"]),
            _per_success_cell(one, figure),
            f"{one['successes']:,}",
            f"{one['attempts']:,}",
            board_figure_text(figure, one["total"])
            if one["unknown"] < one["attempts"]
            else "unknown",
            one["reason"],
        )
        for one in sorted(listed, key=lambda one: (_order(one), one["system"]))
    )
    return Section(
        Table(columns, rows, caption=f"{VALUE_NAMES[figure]} of one success"),
        legend=(
            "Attempts exclude infrastructure failures. The sum includes failed attempts.",
            "≥: a figure is unknown.",
        ),
    )


def _order(one: Body) -> tuple[bool, float]:
    """Sums that are known in full come first: the others say only how much it is at least."""
    at_least = math.inf if one["at_least"] is None else float(one["at_least"])
    return one["value"] is None, at_least


def _per_success_cell(one: Body, figure: str) -> str:
    if one["value"] is not None:
        return board_figure_text(figure, one["value"])
    if one["unknown"] == one["attempts"]:
        return "unknown"
    return "∞" if one["at_least"] is None else f"≥ {board_figure_text(figure, one['at_least'])}"


def _budget_section(listed: Sequence[Body], figure: str, colours: Mapping[str, str]) -> Section:
    known = [one for one in listed if one["budgets"]]
    budgets = _ticks(known)
    columns = (
        Column("System", is_right=False),
        *(Column(f"within\n{board_figure_text(figure, budget)}") for budget in budgets),
        Column("Area"),
        Column("Left out", gives_way=True),
    )
    rows = tuple(
        (
            name(one["system"]),
            *(numbers.score(_share_within(one, budget)) for budget in budgets),
            missing_figures.NOT_KNOWN if one["area"] is None else numbers.score(one["area"]),
            f"{one['left_out']:,}",
        )
        for one in known
    )
    label = f"Success within a budget of {VALUE_NAMES[figure].lower()}"
    plane = LogPlane.from_values([x for one in known for x in one["budgets"]], [1.0])
    curves = [
        (name(one["system"]), colours[one["system"]], one["budgets"], one["shares"])
        for one in known
    ]
    drawing = curves_svg(plane, curves, label=label, unit=_UNITS.get(figure, "")) if plane else ""
    legend = ["Area: mean share over the logarithm of the budget."] if known else []
    is_short = any(one["area"] is None for one in known)
    notes = ["An area needs successes at two different budgets."] if is_short else []
    return Section(
        Table(columns, rows, caption=label),
        drawing=drawing,
        notes=tuple(notes),
        legend=tuple(legend),
    )


def _ticks(known: Sequence[Body]) -> list[float]:
    """Budgets at even steps of the logarithm, to two digits."""
    if not known or not 0 < known[0]["low"] < known[0]["high"] < math.inf:
        return []
    low, high = math.log(known[0]["low"]), math.log(known[0]["high"])
    steps = (math.exp(low + (high - low) * at / _BUDGETS) for at in range(1, _BUDGETS + 1))
    return sorted({float(f"{step:.2g}") for step in steps})


def _share_within(one: Body, budget: float) -> float:
    place = bisect_right(one["budgets"], budget)
    return float(one["shares"][place - 1]) if place else 0.0


def _passes(listed: Sequence[Body], level: float) -> Section:
    ks = sorted({one["k"] for one in listed})
    by_system: dict[str, dict[int, Body]] = {}
    for one in listed:
        by_system.setdefault(one["system"], {})[one["k"]] = one
    shown_ks = [*ks[:1], *ks[-1:]] if len(ks) > 1 else ks
    columns = (
        Column("System", is_right=False),
        *(Column(f"pass@{k}\n{100 * level:g}% CI") for k in shown_ks),
        *(Column(f"pass^{k}\n{100 * level:g}% CI") for k in shown_ks[1:]),
        *(Column(f"pass@{k}", gives_way=True) for k in ks if k not in shown_ks),
    )
    rows = tuple(
        (
            name(system),
            *(_pass(by_k.get(k), "pass_at_k") for k in shown_ks),
            *(_pass(by_k.get(k), "pass_hat_k") for k in shown_ks[1:]),
            *(_pass(by_k.get(k), "pass_at_k", short=True) for k in ks if k not in shown_ks),
        )
        for system, by_k in by_system.items()
    )
    legend = (
        (
            "pass@k: probability that at least one of k attempts at a task succeeds; pass^k: that "
            "all succeed. k is limited to the attempts that every task has. A missing verdict "
            "counts as failed."
        ),
    )
    return Section(Table(columns, rows, caption="Several attempts"), legend=legend)


def _pass(one: Body | None, key: str, *, short: bool = False) -> str:
    if one is None or one[key]["mean"] is None:
        return missing_figures.NOT_KNOWN
    made = one[key]
    if short or made["low"] is None:
        return numbers.score(made["mean"])
    return f"{numbers.score(made['mean'])} {numbers.interval((made['low'], made['high']))}"


def _legend(body: Body) -> list[str]:
    front = body["front"]
    return [f"Front: {front['method']}, {front['draws']:,} draws, seed {front['seed']}."]


def _notes(body: Body) -> list[str]:
    """The weights of a published profile, and what is not on the plot."""
    front = body["front"]
    said = [f"{capitalise(note)}." for note in body.get("notes", ())]
    if front["left_out"]:
        figure = VALUE_NAMES[front["figure"]].lower()
        names = _join_names([name(one) for one in front["left_out"]])
        said.append(f"Not on the plot (no attempt with both {figure} and a verdict): {names}.")
    if body["hollow"]:
        hollow = numbers.count(body["hollow"], "submission")
        said.append(f"Excluded because of their evidence level: {hollow}.")
    return said


def _colours(body: Body) -> dict[str, str]:
    systems = [one["system"] for one in body["per_success"]]
    return dict(zip(systems, plots.colours(len(systems)), strict=True))


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
