"""Standings of the Code Arena: votes, judge and checks side by side, with their agreement."""

from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from benchmaker.analysis.ratings.vote_ratings import (
    STYLE_FEATURES,
    Standings,
    VoteAgreement,
    VotedModel,
)
from benchmaker.arenas.code.totals import judge_shares
from benchmaker.plugins import web_page
from benchmaker.record.vote import VOTE_CATEGORIES
from benchmaker.report.arenas.voting import (
    answers_without_page,
    influence,
    rating_warnings,
    suspicion,
    unjudged_pages,
    vote_counts,
    voting_verdict,
)
from benchmaker.report.plots import plots
from benchmaker.report.result_tables.votes import VOTES
from benchmaker.report.sentences.judging import mixed_judges_words
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.web.code.pair_grid import pair_grid
from benchmaker.web.code.run_ratings import newest_code_runs, standings_of
from benchmaker.web.downloads import csv_answer, json_answer
from benchmaker.web.pages.code.code_runs import HOME
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="standings")
class StandingsPage:
    """Standings by votes, judge and checks."""

    routes: ClassVar = router


_FILTERS = {"run": None, "category": VOTE_CATEGORIES, "style": None}


@router.get("/code/standings")
def code_standings(request: Request, bench: Bench) -> Response:
    """Show models by blind votes, with judge and checks for the same pages."""
    view = read_view(request, filters=_FILTERS)
    run_ids = _run_ids(bench, view)
    made = _standings_of(bench, view, run_ids)
    return page(
        request,
        "code/standings",
        title="Standings",
        here="Code",
        crumbs=(HOME, Crumb("Standings")),
        view=view,
        run_ids=run_ids,
        made=made,
        verdict=" ".join(voting_verdict(made)),
        counts=vote_counts(made),
        agreed={f"{one.rater}_mean": _agreement(one) for one in made.agreements},
        effects=_style_effects(made),
        categories=VOTE_CATEGORIES,
        features=STYLE_FEATURES,
        warnings=[
            *_judges_words(bench, run_ids),
            *answers_without_page(made),
            *unjudged_pages(made),
            *rating_warnings(made),
        ],
        odd=[suspicion(one) for one in made.suspicions],
        moved=[influence(one) for one in made.influences],
        heads=VOTES.page_heads(made, Surface.PAGE),
        legend=" ".join(VOTES.legend(made, Surface.PAGE)),
        rows=_rows(made),
        pairs=pair_grid(made),
        axis=Markup(_axis(made)[1]),  # noqa: S704  drawn by us, out of numbers alone
    )


@router.get("/code/standings.csv")
def standings_csv(request: Request, bench: Bench) -> Response:
    """The same rows for a spreadsheet."""
    made = _standings(request, bench)
    return csv_answer(
        lambda stream: VOTES.write_csv(made, stream, redactor=bench.redactor), VOTES.name
    )


@router.get("/code/standings.json")
def standings_json(request: Request, bench: Bench) -> Response:
    """The same rows as JSON."""
    rows = list(VOTES.records(_standings(request, bench)))
    return json_answer({VOTES.name: bench.redactor.tree(rows)})


def _run_ids(bench: Workbench, view: View) -> tuple[str, ...]:
    """The runs that are named, a comma between them; else the newest with generated pages."""
    names = [name.strip() for name in view.filters["run"].split(",") if name.strip()]
    if not names:
        return newest_code_runs(bench.store)
    return tuple(it for name in names for it in bench.store.resolve(name).run_ids)


def _standings(request: Request, bench: Workbench) -> Standings:
    view = read_view(request, filters=_FILTERS)
    return _standings_of(bench, view, _run_ids(bench, view))


def _standings_of(bench: Workbench, view: View, run_ids: tuple[str, ...]) -> Standings:
    """The standings of a view: its category of votes, adjusted for its features of style."""
    category = next((it for it in VOTE_CATEGORIES if it == view.filters["category"]), None)
    style = tuple(dict.fromkeys(it for it in view.filters["style"].split(",") if it))
    return standings_of(bench.store, run_ids, category=category, style=style)


def _agreement(one: VoteAgreement) -> str:
    """The share of votes on whose side a rater was, with its interval."""
    if one.share is None:
        return "no votes to compare"
    ends = f", no interval: {one.interval_reason}" if one.interval_reason else ""
    if one.low is not None and one.high is not None:
        ends = f" {numbers.interval((one.low, one.high))}"
    kappa = "" if one.kappa is None else f", kappa {numbers.fixed_point(one.kappa, 2)}"
    return f"{numbers.share(one.share)}{ends}, n = {one.n:,}{kappa}"


def _judges_words(bench: Workbench, run_ids: tuple[str, ...]) -> list[str]:
    """The numbers of pages by each judge, if not all have the same."""
    words = mixed_judges_words(judge_shares(bench.store, run_ids), "page")
    return [words] if words else []


def _style_effects(made: Standings) -> list[str]:
    """The effect of each feature of style on votes, in log odds with its interval."""
    found = made.ranking.style if made.ranking else ()
    return [
        f"{one.feature}: {one.coefficient:+.2f}"
        + ("" if one.low is None or one.high is None else f" [{one.low:+.2f}, {one.high:+.2f}]")
        for one in found
    ]


def _axis(made: Standings) -> tuple[plots.Axis | None, str]:
    """The axis of the ratings, and its drawing; nothing where nothing is rated."""
    ends = [
        value
        for one in made.models
        if one.ranked
        for value in (one.ranked.low, one.ranked.score, one.ranked.high)
        if value is not None
    ]
    if not ends:
        return None, ""
    axis = plots.axis_over(ends)
    return axis, plots.axis_svg(axis)


def _rows(made: Standings) -> list[dict[str, Any]]:
    axis, _ = _axis(made)
    colours = plots.colours(len(made.models))
    return [_row(one, colour, axis, made) for one, colour in zip(made.models, colours, strict=True)]


def _row(one: VotedModel, colour: str, axis: plots.Axis | None, made: Standings) -> dict[str, Any]:
    return {
        "name": sanitise(one.model),
        "key": Markup(plots.key_svg(colour)),  # noqa: S704  drawn by us, out of numbers alone
        "plot": Markup(_plot(one, colour, axis)),  # noqa: S704  as above
        "cells": VOTES.page_cells(one, made, Surface.PAGE),
    }


def _plot(one: VotedModel, colour: str, axis: plots.Axis | None) -> str:
    line = one.ranked
    if axis is None or line is None:
        return ""
    ends = None if line.low is None or line.high is None else (line.low, line.high)
    return plots.range_svg(axis, line.score, ends, colour)
