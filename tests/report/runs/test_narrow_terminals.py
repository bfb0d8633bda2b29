"""Long names on a terminal of 60 columns: no line is wider, no interval split, no name lost."""

import re

import pytest

from benchmaker.analysis import compare, rank, summarise
from benchmaker.record import Completion
from benchmaker.report.runs.comparison import comparison_text
from benchmaker.report.runs.ranking import ranking_text
from benchmaker.report.runs.text import summary_text
from benchmaker.report.runs.verdict import result_sentences
from tests.report.conftest import make_run, make_trial

SONNET = "openrouter/anthropic/claude-sonnet-4.5-20250929"
OPUS = "openrouter/anthropic/claude-opus-4.5-20251101"
WIDTH = 60
CASES = 20


def right_or_wrong(model, at, _):
    return float(at < 15) if model == SONNET else float(3 < at < 12)


def graded(model, at, _):
    return at % 7 / 7 if model == SONNET else at % 5 / 5


def differently_in_runs(model, at, number):
    return float((at + number) % (3 if model == SONNET else 2) > 0)


KINDS = {"right or wrong": right_or_wrong, "graded": graded, "series": differently_in_runs}


@pytest.fixture(params=KINDS)
def made(request):
    """Trials of both models with their runs, at a cost and with latencies."""
    numbers = (1, 2, 3) if request.param == "series" else (1,)
    trials = [
        make_trial(
            at,
            KINDS[request.param](model, at, number),
            model=model,
            run=f"r{number}",
            completion=Completion(text="x", cost_usd=0.0123, latency_s=1.2),
        )
        for number in numbers
        for model in (SONNET, OPUS)
        for at in range(CASES)
    ]
    series = "s1" if len(numbers) > 1 else None
    runs = [make_run(f"r{number}", models=(SONNET, OPUS), series_id=series) for number in numbers]
    return trials, runs


def assert_fits(text):
    """No line is too wide, and every interval is whole on its line."""
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    for line in lines:
        assert line.count("[") == line.count("]")
        assert all(
            re.fullmatch(r"\[[^\[\]]+[,–][^\[\]]+\]", it) for it in re.findall(r"\[.*?\]", line)
        )


def folded_names(table, *, column):
    """The names in a column of a table of texts, their folded lines joined."""
    head, rows = re.split(r"─+\n", table, maxsplit=1)
    start = 0 if column == 0 else head.splitlines()[-1].index("Model")
    found = []
    for line in rows.partition("Hidden")[0].splitlines():
        if re.search(r"\[", line):
            found.append("")
        found[-1] += re.split(r" {2,}", line[start:].strip())[0].replace(" ", "")
    return set(found)


@pytest.mark.parametrize("detail", ["rows", "brief", "full"])
def test_a_run(made, detail):
    trials, runs = made
    summary = summarise(trials, runs)
    said = result_sentences(summary, compare(trials, runs))
    text = summary_text(summary, result=said, detail=detail, width=WIDTH)
    assert_fits(text)
    rows = summary_text(summary, detail="rows", width=WIDTH)
    assert rows in text
    assert folded_names(rows, column=0) == {SONNET, OPUS}
    assert len(re.findall(r"\[.+?\]", rows)) >= 2
    if detail == "brief":
        assert len(text.split("\n\n")[-1].splitlines()) <= 2


@pytest.mark.parametrize("explain", [False, True])
def test_a_comparison(made, explain):
    trials, runs = made
    text = comparison_text(compare(trials, runs), runs, explain=explain, width=WIDTH)
    assert_fits(text)
    models, pairs = (part for part in text.split("\n\n") if "───" in part)
    assert folded_names(models, column=0) == {SONNET, OPUS}
    both = "".join(folded_names(pairs, column=0))
    assert sorted(both.split("−")) == sorted((SONNET, OPUS))


@pytest.mark.parametrize("explain", [False, True])
def test_many_models_against_the_best(explain):
    models = [f"openrouter/anthropic/claude-sonnet-4.5-2025092{n}" for n in range(9)]
    trials = [
        make_trial(at, float(at < 20 - 2 * number), model=model)
        for number, model in enumerate(models)
        for at in range(CASES)
    ]
    text = comparison_text(compare(trials), explain=explain, width=WIDTH)
    assert_fits(text)
    caption, rows = text.partition("Difference from")[2].split("Differ-", 1)
    assert caption.split()[0] == models[0]
    assert folded_names("Model Differ-" + rows.split("\n\n")[0], column=0) == set(models[1:])


@pytest.mark.parametrize("explain", [False, True])
def test_a_ranking(made, explain):
    trials, runs = made
    text = ranking_text(rank(trials, runs), runs, explain=explain, width=WIDTH)
    assert_fits(text)
    (table,) = (part for part in text.split("\n\n") if "───" in part)
    assert folded_names(table, column=1) == {SONNET, OPUS}
