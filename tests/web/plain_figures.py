"""Figures by loops over rows, with nothing of the product's, and how surfaces are read."""

import re
import statistics
from dataclasses import dataclass
from functools import cache
from html import unescape

import pytest

from tests.web.drawn_runs import MODELS
from tests.web.results_data import fetched

SHOWN = 0.0501
"""How far a figure of one decimal may lie from what it was rounded from."""


@dataclass
class Plain:
    """One model's figures in plain Python, out of rows; scores from 0 to 1."""

    mean: float | None
    strict: float | None
    n_cases: int
    n_scored: int
    n_strict: int
    n_trials: int
    cost: float | None
    known_cost: float
    cost_known: int
    latency: float | None
    outcomes: dict


def case_means(rows):
    """By case: the mean over runs of one model's scores."""
    scores = {}
    for row in rows:
        if row.score is not None and row.score.score is not None:
            scores.setdefault(row.case_id, []).append(row.score.score)
    return {case: sum(them) / len(them) for case, them in scores.items()}


def plain(trials):
    """Each model's figures, by a loop over its rows and nothing of the product's."""
    return {model: plain_of([it for it in trials if it.model == model]) for model in MODELS}


def plain_of(rows):
    scores, weights = {}, {}
    for row in rows:
        if row.score is not None and row.score.score is not None:
            scores.setdefault(row.case_id, []).append(row.score.score)
            weights[row.case_id] = row.weight
    costs = [cost_of(row) for row in rows]
    known = [cost for cost in costs if cost is not None]
    taken = [row.completion.latency_s for row in rows if row.completion]
    every = [score for case in scores.values() for score in case]
    return Plain(
        mean=weighted(scores, weights),
        strict=weighted({at: [s == 1 for s in it] for at, it in scores.items()}, weights),
        n_cases=len(scores),
        n_scored=len(every),
        n_strict=sum(score == 1 for score in every),
        n_trials=len(rows),
        cost=sum(known) if len(known) == len(rows) else None,
        known_cost=sum(known),
        cost_known=len(known),
        latency=statistics.median(taken) if taken else None,
        outcomes={
            outcome: n
            for outcome in sorted({str(row.outcome) for row in rows})
            if (n := sum(row.outcome == outcome for row in rows))
        },
    )


def weighted(values, weights):
    """Over cases, each with its mean over runs and its weight; None without any."""
    means = {case: sum(it) / len(it) for case, it in values.items()}
    whole = sum(weights[case] for case in means)
    return sum(weights[case] * mean for case, mean in means.items()) / whole if whole else None


def cost_of(row):
    """What all requests of a row cost; None where one is not known."""
    costs = [one.cost_usd for one in row.attempts]
    return None if None in costs else sum(costs)


def close(value):
    return None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)


def told(model):
    """What a summary in JSON or CSV has to say of it."""
    return {
        "mean": close(model.mean),
        "strict_accuracy": close(model.strict),
        "n_cases": model.n_cases,
        "n_scored": model.n_scored,
        "n_strict": model.n_strict,
        "n_trials": model.n_trials,
        "cost_usd": close(model.cost),
        "cost_usd_at_least": close(model.known_cost or None) if model.cost is None else None,
        "cost_known_trials": model.cost_known,
        "median_latency_s": close(model.latency),
    }


def same(rows, expected):
    """Rows of data hold just the figures of these models."""
    found = {row["model"]: row for row in rows}
    assert found.keys() == expected.keys()
    for name, model in expected.items():
        wanted = told(model)
        assert {key: found[name][key] for key in wanted} == wanted, name


def numbers_in(rows):
    """Rows of CSV with their figures as numbers; an empty cell is None."""
    texts = {"model", "measure", "sd_over", "provisional", "outcomes", "run_scores"}
    return [
        {
            key: value if key in texts or not re.fullmatch(r"-?[\d.]+(e-?\d+)?", value)
            else float(value) if value else None
            for key, value in row.items()
        }
        | {key: None for key, value in row.items() if not value}
        for row in rows
    ]  # fmt: skip


def text_of(html):
    """What a page says, without tags; a break within a name is no space."""
    html = re.sub(r'<span class="whole">(.*?)</span>', r"\1", html.replace("<wbr>", ""))
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


@cache
def page_of(address, path):
    """A page of a server whose store nobody changes."""
    status, _, body = fetched(address + path)
    assert status == 200, path
    return body.decode()


def cells_of(html, heading):
    """The rows of the first table behind a heading, cell by cell; the heads are the first.

    Without what narrow pages alone show.
    """
    table = re.search(r"<table.*?</table>", html[html.index(heading) :], re.DOTALL)[0]
    table = re.sub(r'<small class="only-s.*?</small>', "", table, flags=re.DOTALL)
    lines = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    return [
        [text_of(cell) for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", line, re.DOTALL)]
        for line in lines
    ]


def tiles_of(html):
    """The tiles of a page: value and context by name."""
    found = re.findall(r'<div class="tile"><dt>(.*?)</dt><dd>(.*?)</dd></div>', html, re.DOTALL)
    return {text_of(name): text_of(value) for name, value in found}


def shown_mean(text):
    """The first number of a cell; None where it holds none."""
    found = re.match(r"[-+]?[\d.]+", text)
    return float(found[0]) if found else None


def agrees(shown, value, scale=100):
    return shown is None if value is None else shown == pytest.approx(scale * value, abs=SHOWN)


def mean_of_run(drawn, model, run_id):
    """A model's mean over its scored cases in one run."""
    return plain_of(
        [
            it
            for it in drawn.trials(run_id)
            if it.model == model and it.score is not None and it.score.score is not None
        ]
    ).mean
