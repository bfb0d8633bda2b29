"""A metric of checks is compared, ranked and planned for as the scores of its check alone."""

import random

import pytest
from fastapi.testclient import TestClient

from benchmaker import Suite, compare, power, rank, run
from benchmaker.analysis.summary.gate import Gate
from benchmaker.errors import SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.report.runs.gate import gate_sentences
from benchmaker.web import Settings, create_app

STYLE = {"type": "regex", "pattern": "please"}
PROMPTS = [{"id": "short", "prompt": "{{ q }}"}, {"id": "long", "prompt": "Now: {{ q }}"}]
SHARES = {"a": 0.85, "b": 0.4, "c": 0.6}


def _answer(asked):
    """A text that depends on model, prompt and case, and on nothing else."""
    seed = f"{asked.model} {asked.messages[-1].content}"
    said = random.Random(seed).random()  # noqa: S311  seeded on purpose
    return Completion(text="please wait" if said < SHARES[asked.model] else "wait")


def _run(home, **scoring):
    cases = [{"id": f"c{n}", "vars": {"q": f"{n}?"}, "expected": "wait"} for n in range(40)]
    suite = Suite("s", cases, prompts=PROMPTS, **scoring)
    answers = Scripted(_answer, models=tuple(SHARES))
    return run(suite, provider=answers, home=home)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A run with the check as a metric beside another check, and one with the check alone."""
    home = tmp_path_factory.mktemp("named")
    checks = [{**STYLE, "metric": "style"}, {"type": "exact"}]
    named = _run(home / "named", checks=checks)
    alone = _run(home / "alone", scorer={"id": "regex", "pattern": "please"})
    return named, alone


def _pairs(made):
    return [(one.a, one.b, one.difference, one.p) for one in made.pairs]


@pytest.mark.parametrize("by", ["model", "prompt"])
def test_levels_are_compared_by_a_metric_of_checks(both, by):
    named, alone = both
    made, plain = compare(named, by=by, metric="style").to_dict(), compare(alone, by=by).to_dict()
    assert made["pairs"] == plain["pairs"]


def test_models_are_ranked_by_a_metric_of_checks(both):
    named, alone = both
    made, plain = rank(named, metric="style").to_dict(), rank(alone).to_dict()
    assert made["models"] == plain["models"]


def test_a_pilot_is_read_by_a_metric_of_checks(both):
    named, alone = both
    made = power(named, delta=0.1, metric="style").to_dict()
    assert made == power(alone, delta=0.1).to_dict()


@pytest.mark.parametrize(
    "asked",
    [lambda it: compare(it, by="prompt", metric="stile"), lambda it: rank(it, metric="stile")],
)
def test_an_unknown_metric_is_refused_with_those_there_are(both, asked):
    with pytest.raises(SpecError, match=r"unknown metric 'stile'.*'style'"):
        asked(both[0])


@pytest.mark.parametrize(
    "path", ["compare", "compare/levels?by=prompt", "rank", "power?delta=10&run=latest"]
)
def test_the_api_takes_a_metric_of_checks(both, path):
    named, alone = both
    said = [_said(named, f"{path}{'&' if '?' in path else '?'}metric=style"), _said(alone, path)]
    first, second = (it.json() for it in said)
    kept = [name for name in ("pairs", "models", "n", "delta", "power") if name in second]
    assert kept
    assert {name: first[name] for name in kept} == {name: second[name] for name in kept}


def test_the_api_refuses_an_unknown_metric(both):
    said = _said(both[0], "rank?metric=stile")
    assert said.status_code == 422
    assert "unknown metric 'stile'" in said.text


def _said(result, path):
    app = create_app(Settings(home=result.place.home))
    with TestClient(app, base_url="http://localhost") as client:
        return client.get(f"/api/v1/{path}")


@pytest.mark.parametrize("is_sure", [False, True])
@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.95])
def test_a_gate_decides_by_a_metric_of_checks(both, threshold, is_sure):
    named, alone = both
    made = Gate(threshold, is_sure, "style").decide(named.summary, named.columns)
    plain = Gate(threshold, is_sure).decide(alone.summary, alone.columns)
    assert [(*_figures(one), one.metric) for one in made.decisions] == [
        (*_figures(one), "style") for one in _in_order(plain, made)
    ]
    assert all(" in the metric style" in said for said in gate_sentences(made))


def _figures(one):
    return (one.model, one.verdict, one.mean, one.low, one.high, one.n_cases, one.n_scored)


def _in_order(plain, made):
    """The decisions of one gate in the order of models of another."""
    by_model = {one.model: one for one in plain.decisions}
    return [by_model[one.model] for one in made.decisions]


def test_a_gate_of_an_unknown_metric_is_refused(both):
    with pytest.raises(SpecError, match=r"unknown metric 'stile'"):
        Gate(0.5, metric="stile").decide(both[0].summary, both[0].columns)
