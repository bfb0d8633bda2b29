"""Every case of a run or a series: a grid of case and setup with answers and scores."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response

from benchmaker.plugins import web_page
from benchmaker.record import Outcome
from benchmaker.record.run import began_at
from benchmaker.redact import Redactor
from benchmaker.report.sentences.notes import name
from benchmaker.store.runs.target_pages import Target
from benchmaker.web.listing import ROWS, Column, RowPage, csv_response, json_response
from benchmaker.web.query import View
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import panels
from benchmaker.web.results.case_selection import (
    OUTCOMES,
    CaseOrder,
    case_view,
    is_filtered,
    order_of,
    selection_words,
    suite_labels,
)
from benchmaker.web.results.excerpts import excerpts
from benchmaker.web.results.late_results import result_or_page
from benchmaker.web.results.run_cache import CasesOverview, Known, OverviewCache, Unit
from benchmaker.web.results.subject import (
    Subject,
    result_crumb,
    run_subject,
    series_subject,
)
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="cases")
class CasesPage:
    """The cases of a run or a series."""

    routes: ClassVar = router


BESIDE = 4
"""Number of setups whose answers are side by side, unless others are chosen."""

_AT_ONCE = 500
_ANSWERS = 40_000
_SHORTEST, _LONGEST = 60, 240
_OTHER_RUNS = 20
_OPTIONS = 200


@router.get("/runs/{run}/cases.csv")
def run_csv(request: Request, run: str, bench: Bench, known: Known) -> Response:
    """The cases of a run, a row each."""
    return _file(request, bench, known, run_subject(bench.store, run), csv_response)


@router.get("/runs/{run}/cases.json")
def run_json(request: Request, run: str, bench: Bench, known: Known) -> Response:
    """The cases of a run, an object each."""
    return _file(request, bench, known, run_subject(bench.store, run), json_response)


@router.get("/series/{series}/cases.csv")
def series_csv(request: Request, series: str, bench: Bench, known: Known) -> Response:
    """The cases of a series, a row each."""
    return _file(request, bench, known, series_subject(bench.store, series), csv_response)


@router.get("/series/{series}/cases.json")
def series_json(request: Request, series: str, bench: Bench, known: Known) -> Response:
    """The cases of a series, an object each."""
    return _file(request, bench, known, series_subject(bench.store, series), json_response)


@router.get("/runs/{run}/cases")
def run_cases(request: Request, run: str, bench: Bench, known: Known) -> Response:
    """The cases of a run."""
    return _page(request, bench, known, run_subject(bench.store, run))


@router.get("/series/{series}/cases")
def series_cases(request: Request, series: str, bench: Bench, known: Known) -> Response:
    """The cases of a series, each with its mean over the runs."""
    return _page(request, bench, known, series_subject(bench.store, series))


def _page(request: Request, bench: Workbench, known: OverviewCache, subject: Subject) -> Response:
    view = case_view(request, subject)
    title = f"Cases of {subject.id}"
    crumbs = (
        Crumb("Results", "/runs"),
        result_crumb(bench, subject.run, subject.base),
        Crumb("Cases"),
    )
    made = result_or_page(
        request, bench, subject.runs,
        lambda: known.cases_of(bench.store, (Unit("", subject.run_ids),)),
        title=title, crumbs=crumbs,
    )  # fmt: skip
    if isinstance(made, Response):
        return made
    shown = panels.report_page_of(made, bench.redactor)
    order = order_of(bench, known, made, subject, view)
    rows, after, before = order.page(view.after, ROWS)
    names = _names(subject, made, view)
    columns = [made.grid.models.index(model) for model in names]
    base = f"/runs/{subject.run.id}/cases"
    found = panels.heat_rows(bench.store, shown, made, rows, base, columns=columns)
    has_answers = view.filters["show"] != "scores"
    labels = suite_labels(bench.store, subject.run.suite_hash)
    return page(
        request,
        "results/cases",
        title=title,
        here="Results",
        crumbs=crumbs,
        view=view,
        subject=subject,
        noun=made.summary.noun,
        part=RowPage(
            _with_answers(bench, subject, found, names, view.q) if has_answers else found,
            after,
            before,
        ),
        total=len(order.rows),
        search_end=order.end,
        cases=len(made.grid),
        heads=[
            Column("case", "Case", _no_value),
            Column("mean", "Mean", _no_value, is_number=True),
        ],
        across=[
            (Column(f"m{subject.rank(model)}", "", _no_value), row)
            for model, row in zip(names, panels.identities(shown, names), strict=True)
        ],
        every=[
            (shown.clean(model), model in names, _toggle(subject, made, names, model))
            for model in made.grid.models
        ],
        outcomes=OUTCOMES,
        has_answers=has_answers,
        is_filtered=is_filtered(view),
        words=selection_words(view),
        categories=_options(labels.categories, view.filters["category"], bench.redactor),
        tags=_options(labels.tags, view.filters["tag"], bench.redactor),
        others=_other_runs(bench, subject, view.filters["changed"]),
    )


def _no_value(row: Any) -> None:  # noqa: ANN401  the template writes the cells
    del row


def _names(subject: Subject, made: CasesOverview, view: View) -> list[str]:
    """Return the models to show side by side: the selected ones, or the best."""
    if not view.columns:
        most = panels.ACROSS if view.filters["show"] == "scores" else BESIDE
        return list(made.grid.models[:most])
    wanted = {subject.model(number[1:]) for number in view.columns}
    return [model for model in made.grid.models if model in wanted][: panels.ACROSS]


def _toggle(subject: Subject, made: CasesOverview, names: Sequence[str], model: str) -> str:
    """The columns with one model added, or removed where it is shown."""
    kept = {*names} ^ {model}
    return ",".join(f"m{subject.rank(one)}" for one in made.grid.models if one in kept)


def _options(
    known: Mapping[str, Sequence[int]], chosen: str, redactor: Redactor
) -> list[tuple[str, str]]:
    """Return values with their names, the most frequent first, with the number of cases."""
    ordered = sorted(known.items(), key=lambda item: (-len(item[1]), item[0]))[:_OPTIONS]
    found = [(value, f"{name(redactor.text(value))} ({len(at):,})") for value, at in ordered]
    if chosen and chosen not in dict(found):
        found.append((chosen, name(redactor.text(chosen))))
    return found


def _other_runs(bench: Workbench, subject: Subject, chosen: str) -> list[tuple[str, str, str]]:
    """Return the runs of the suite before this one and after it: id, time and note, newest first.

    Runs of a series are represented by the series.
    """
    name = subject.run.suite_name
    latest = bench.store.target_pages.latest_of_suites([name], _OTHER_RUNS + 1)[name]
    others = [target for target in reversed(latest) if subject.run not in target][:_OTHER_RUNS]
    offered = [
        (target[0].series_id or target[0].id, began_at(target), _kind(target)) for target in others
    ]
    if chosen and chosen not in {key for key, _, _ in offered}:
        offered.insert(0, (chosen, "", "run"))
    return offered


def _kind(target: Target) -> str:
    return "series" if target[0].series_id else "run"


def _with_answers(
    bench: Workbench,
    subject: Subject,
    rows: Sequence[dict[str, Any]],
    names: Sequence[str],
    around: str,
) -> list[dict[str, Any]]:
    """Return the rows with the beginning of each answer, or the part that has the match."""
    cells = max(1, len(rows) * len(names))
    limit = max(_SHORTEST, min(_LONGEST, _ANSWERS // cells))
    places = [row["position"] for row in rows]
    texts = excerpts(bench, subject.run_ids, places, names, limit=limit, around=around)
    return [
        {**row, "answers": [texts.get((row["position"], model)) for model in names]} for row in rows
    ]


def _file(
    request: Request,
    bench: Workbench,
    known: OverviewCache,
    subject: Subject,
    form: Callable[[Sequence[Column[Any]], Iterator[Any], str], Response],
) -> Response:
    made = known.cases_of(bench.store, (Unit("", subject.run_ids),))
    view = case_view(request, subject)
    order = order_of(bench, known, made, subject, view, is_whole=True)
    has_answers = view.filters["show"] != "scores"
    columns: list[Column[dict[str, Any]]] = [
        _column(key) for key in ("case", "position", "weight", "mean")
    ]
    for kind in ("mean", "outcome", *(("answer",) if has_answers else ())):
        columns += [_column(f"{kind} of {model}") for model in made.grid.models]
    rows = _all_rows(bench, subject, made, order, view if has_answers else None)
    return form(columns, rows, "cases")


def _column(key: str) -> Column[dict[str, Any]]:
    return Column(key, key, lambda row: row.get(key))


def _all_rows(
    bench: Workbench,
    subject: Subject,
    made: CasesOverview,
    order: CaseOrder,
    answered: View | None,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each case; with the beginnings of its answers unless ``answered`` is None."""
    grid = made.grid
    for first in range(0, len(order.rows), _AT_ONCE):
        rows = order.rows[first : first + _AT_ONCE].tolist()
        places = grid.position[rows].tolist()
        names = bench.store.case_pages.names(made.runs[0].suite_hash, places)
        texts = (
            excerpts(bench, subject.run_ids, places, grid.models, limit=_LONGEST, around=answered.q)
            if answered
            else {}
        )
        for place, row in zip(places, rows, strict=True):
            means = zip(grid.models, grid.mean[row].tolist(), strict=True)
            kinds = {
                f"outcome of {model}": _word(grid.outcome_group(row, at))
                for at, model in enumerate(grid.models)
            }
            said = {
                f"answer of {model}": found.text
                for model in grid.models
                if (found := texts.get((place, model)))
            }
            yield {
                "case": bench.redactor.text(names.get(place, "")),
                "position": place,
                "weight": float(grid.weight[row]),
                "mean": _nan_to_none(float(grid.case_mean[row])),
                **{f"mean of {model}": _nan_to_none(mean) for model, mean in means},
                **kinds,
                **said,
            }


def _word(kind: str) -> str:
    words = {group: word for word, group in OUTCOMES.items()}
    if kind == Outcome.UNFINISHED:
        return kind
    return words.get(kind, "scored" if kind else "not run")


def _nan_to_none(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124  NaN alone differs from itself
