"""The cost of success: front, cost per success, budgets, pass@k; text, Markdown, CSV and HTML."""

from collections.abc import Mapping, Sequence
from typing import Final, TextIO

from benchmaker.record.counts import count
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.plots import plots
from benchmaker.report.plots.scatter import LogPlane, Point, curves_svg, scatter_svg
from benchmaker.report.result_tables.fronts import (
    COST_OF_SUCCESS,
    FRONT,
    FRONTS,
    Body,
    attempts_table,
    budget_table,
    front_label,
    untested_systems,
    within_budgets,
)
from benchmaker.report.sentences.board_words import VALUE_NAMES
from benchmaker.report.sentences.notes import name
from benchmaker.report.sentences.sentence import capitalise

_UNITS: Final = {"dollars": "dollars", "seconds": "seconds", "tokens": "tokens"}

_COST_LEGEND: Final = (
    "Attempts exclude infrastructure failures. The sum includes failed attempts.",
    "≥: a figure is unknown.",
)
_ATTEMPTS_LEGEND: Final = (
    "pass@k: probability that at least one of k attempts at a task succeeds; pass^k: that "
    "all succeed. k is limited to the attempts that every task has. A missing verdict "
    "counts as failed."
)


def fronts_report(body: Body) -> ReportDocument:
    """Return the front, then the cost per success, success within budgets, and repeats."""
    front = body["front"]
    of = VALUE_NAMES[front["figure"]].lower()
    colours = _colours(body)
    sections = [
        _front_section(body, colours),
        Section(COST_OF_SUCCESS.table(body), legend=_COST_LEGEND),
        _budget_section(body, colours),
        Section(attempts_table(body).table(body), legend=(_ATTEMPTS_LEGEND,)),
    ]
    return ReportDocument(
        title=f"Success against {of}",
        facts=(body["profile"], f"by {body['unit']}"),
        verdict=tuple(_verdict(body)),
        sections=tuple(one for one in sections if one.table.rows),
        notes=tuple(_notes(body)),
        legend=tuple(_legend(body)),
    )


def write_fronts_csv(body: Body, stream: TextIO) -> None:
    """A row for each unit with every figure in full."""
    FRONTS.write_csv(body, stream)


def _verdict(body: Body) -> list[str]:
    front, without_test = body["front"], untested_systems(body)
    if not front["points"]:
        return [f"No submission has both a verdict and {VALUE_NAMES[front['figure']].lower()}."]
    tested = [one for one in front["points"] if one["system"] not in without_test]
    if not tested:
        return [f"The front is not tested: {next(iter(without_test.values()))}."]
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


def _front_section(body: Body, colours: Mapping[str, str]) -> Section:
    front, without_test = body["front"], untested_systems(body)
    points = [
        Point(
            x=one["figure"],
            y=one["success"],
            name=name(one["system"]),
            colour=colours[one["system"]],
            hollow=not one["is_solid"] or one["system"] in without_test,
            on_front=one["on_front"] and one["system"] not in without_test,
        )
        for one in front["points"]
    ]
    plane = LogPlane.from_values([one.x for one in points], [one.y for one in points])
    unit = _UNITS.get(front["figure"], "")
    drawing = scatter_svg(plane, points, label=front_label(body), unit=unit) if plane else ""
    known = f"n: attempts with a verdict and a known {VALUE_NAMES[front['figure']].lower()}."
    filled = ("Filled: on the front in at least 80% of bootstrap samples.",) if plane else ()
    reasons = tuple(f"{name(system)}: not tested ({why})." for system, why in without_test.items())
    return Section(FRONT.table(body), drawing=drawing, legend=(*filled, known, *reasons))


def _budget_section(body: Body, colours: Mapping[str, str]) -> Section:
    known, table = within_budgets(body), budget_table(body).table(body)
    plane = LogPlane.from_values([x for one in known for x in one["budgets"]], [1.0])
    curves = [
        (name(one["system"]), colours[one["system"]], one["budgets"], one["shares"])
        for one in known
    ]
    unit = _UNITS.get(body["front"]["figure"], "")
    drawing = curves_svg(plane, curves, label=table.caption, unit=unit) if plane else ""
    legend = ["Area: mean share over the logarithm of the budget."] if known else []
    is_short = any(one["area"] is None for one in known)
    notes = ["An area needs successes at two different budgets."] if is_short else []
    return Section(table, drawing=drawing, notes=tuple(notes), legend=tuple(legend))


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
        hollow = count(body["hollow"], "submission")
        said.append(f"Excluded because of their evidence level: {hollow}.")
    return said


def _colours(body: Body) -> dict[str, str]:
    systems = [one["system"] for one in body["per_success"]]
    return dict(zip(systems, plots.colours(len(systems)), strict=True))


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
