"""Selections that depend on an earlier run or on chance: resolved once, stored, obeyed later."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker import RunOptions, Suite, estimate, resume, run
from benchmaker.arenas.standard.queued_runs import enqueue_runs
from benchmaker.engine.runs.case_selection import sample_cases
from benchmaker.errors import ProviderError, SpecError
from benchmaker.store.home import Home

SUITE = Suite(
    "sums",
    [
        {"id": f"c{n}", "prompt": f"{n} + 0?", "expected": str(n),
         "category": ["even", "odd"][n % 2]}
        for n in range(6)
    ] + [{"id": "v", "prompt": "{{ n }}", "expected": "{{ n }}", "vars": {"n": [7, 8, 9]}}],
    scorer="exact",
)  # fmt: skip


def answer(request):
    """Right except for c1 and v/2."""
    if request.case_id in {"c1", "v/2"}:
        return "wrong"
    return request.messages[-1].content.split()[0]


def cases_of(result, home):
    with Home.of(home).open_store() as store:
        return [trial.case_id for one in result.run_ids for trial in store.trials(one)]


def selection_of(result, home):
    with Home.of(home).open_store() as store:
        return store.run(result.run_ids[0]).selection


def selected(home, suite=SUITE, models=("m",), **options):
    made = run(suite, provider=answer, models=models, home=home, options=RunOptions(**options))
    return cases_of(made, home), made


def test_failed_of_selects_cases_below_1(tmp_path):
    selected(tmp_path)
    found, made = selected(tmp_path, failed_of="latest")
    assert found == ["c1", "v/2"]
    assert selection_of(made, tmp_path).ids == ("c1", "v/2")


def test_failed_of_selects_failures_of_infrastructure(tmp_path):
    def failing(request):
        if request.case_id == "c3":
            raise ProviderError("down")
        return answer(request)

    run(SUITE, provider=failing, models=["m"], home=tmp_path, options=RunOptions(retries=0))
    assert selected(tmp_path, failed_of="latest")[0] == ["c1", "c3", "v/2"]


def test_filter_of_passes_a_case_if_one_of_its_trials_does(tmp_path):
    def one_is_better(request):
        return answer(request) if request.model == "a" or request.case_id == "c2" else "wrong"

    run(SUITE, provider=one_is_better, models=["a", "b"], home=tmp_path)
    expression = "setup == 'b' and score == 1 and outcome == 'scored'"
    found, _ = selected(tmp_path, filter=expression, filter_of="latest")
    assert found == ["c2"]


LANGUAGES = Suite(
    "languages",
    [
        {"id": "a", "vars": {"q": "x"}, "expected": "French"},
        {"id": "b", "vars": {"q": "y", "lang": "German"}, "expected": "German"},
        {"id": "c", "vars": {"q": "z", "lang": None}, "expected": "no language"},
    ],
    scorer="exact",
    vars={"lang": "French"},
    prompts=["{{ lang }} {{ q }}"],
)


@pytest.mark.parametrize("language", ["French", "German"])
def test_filters_use_the_variables_of_the_suite_and_the_case(tmp_path, language):
    chosen = [{"French": "a", "German": "b"}[language]]
    expression = f"vars.lang == '{language}'"
    options = RunOptions(filter=expression)
    made = run(LANGUAGES, provider=answer, models=["m"], home=tmp_path, options=options)
    with Home.of(tmp_path).open_store() as store:
        assert store.run(made.run_ids[0]).planned == 1
    assert cases_of(made, tmp_path) == chosen
    assert resume(made.run_ids[0], provider=answer, add_models=["k"], home=tmp_path).summary
    assert cases_of(made, tmp_path) == chosen * 2
    assert estimate(LANGUAGES, models="openai/gpt-4o-mini", options=options).cases == 1
    selected(tmp_path, LANGUAGES)
    found, _ = selected(tmp_path, LANGUAGES, filter=expression, filter_of="latest")
    assert found == chosen


def test_a_resumed_run_keeps_its_selection_without_the_earlier_run(tmp_path):
    _, first = selected(tmp_path)
    _, made = selected(tmp_path, failed_of=first.run_ids[0])
    with Home.of(tmp_path).open_store() as store:
        store.delete_run(first.run_ids[0])
    grown = resume(made.run_ids[0], provider=answer, add_models=["k"], home=tmp_path)
    assert sorted(cases_of(grown, tmp_path)) == ["c1", "c1", "v/2", "v/2"]
    with Home.of(tmp_path).open_store() as store:
        assert store.run(made.run_ids[0]).planned == 4


def test_a_sample_is_stored_with_its_seed_and_repeatable(tmp_path):
    first, made = selected(tmp_path, sample=3, sample_seed=5)
    again, _ = selected(tmp_path, sample=3, sample_seed=5)
    assert first == again
    kept = selection_of(made, tmp_path)
    assert (kept.sample, kept.sample_seed, kept.ids) == (3, 5, tuple(first))


@pytest.mark.parametrize(
    ("seeds", "seed"),
    [({}, 0), ({"seed": 7}, 7), ({"seed": 7, "sample_seed": 5}, 5), ({"sample_seed": 0}, 0),
     ({"seed": 7, "sample_seed": 0}, 0)],
)  # fmt: skip
def test_the_seed_of_a_run_selects_its_sample_unless_that_has_its_own(tmp_path, seeds, seed):
    found, made = selected(tmp_path, sample=3, **seeds)
    assert selection_of(made, tmp_path).sample_seed == seed
    assert found == [case.id for case in sample_cases(SUITE.cases, 3, seed=seed)]


@given(st.integers(1, 9), st.integers(0, 99))
def test_a_sample_keeps_expansions_together_and_grows(number, seed):
    small, large = (
        [case.id for case in sample_cases(SUITE.cases, n, seed=seed)] for n in (number, number + 1)
    )
    assert set(small) <= set(large)
    assert len({name.split("/")[0] for name in small}) == min(number, 7)
    assert sum(name.startswith("v/") for name in small) in {0, 3}
    assert small == [case.id for case in SUITE.cases if case.id in set(small)]


def test_samples_draw_each_case_equally_often():
    drawn = [case.id for seed in range(700) for case in sample_cases(SUITE.cases, 1, seed=seed)]
    counts = [drawn.count(name) for name in ("c0", "c1", "c2", "c3", "c4", "c5", "v/1")]
    assert all(60 < count < 140 for count in counts)


def test_the_limit_counts_cases_before_expansion(tmp_path):
    suite = Suite("s", list(reversed([{"id": "z", "prompt": "1", "expected": "1"},
        {"id": "v", "prompt": "{{ n }}", "expected": "{{ n }}", "vars": {"n": [7, 8]}}])),
        scorer="exact")  # fmt: skip
    assert selected(tmp_path, suite, limit=1)[0] == ["v/1", "v/2"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cases": ["c9"]}, "no case of suite 'sums' matches --case c9"),
        ({"cases": ["c1", "vv"]}, "Did you mean 'v'?"),
        ({"categories": ["odd"], "filter": "id == 'c2'"},
         "Filter --filter \"id == 'c2'\" left none of 3 cases"),
        ({"failed_of": "nope"}, "nope"),
        ({"filter_of": "latest"}, "--filter-of has no effect without --filter"),
        ({"sample_seed": 3}, "--sample-seed has no effect without --sample"),
        ({"sample": 0}, "sample must be at least 1, not 0"),
        ({"filter": "nme"}, "unknown name 'nme'"),
    ],
)  # fmt: skip
def test_a_selection_of_nothing_is_refused_before_any_request(tmp_path, options, words):
    asked = []
    with pytest.raises(SpecError) as caught:
        run(
            SUITE, provider=asked.append, models=["m"], home=tmp_path, options=RunOptions(**options)
        )
    assert words in f"{caught.value} {caught.value.hint}"
    assert not asked


def test_a_run_without_failures_says_so(tmp_path):
    selected(tmp_path, cases="c0")
    with pytest.raises(SpecError) as caught:
        selected(tmp_path, failed_of="latest")
    assert "--failed-of" in caught.value.hint
    assert "left none of 9 cases" in caught.value.hint


def test_an_estimate_obeys_the_selection(tmp_path):
    selected(tmp_path)
    model = "openai/gpt-4o-mini"
    made = estimate(SUITE, models=model, home=tmp_path, options=RunOptions(failed_of="latest"))
    assert (made.cases, made.models[0].requests) == (2, 2)
    assert estimate(SUITE, models=model, options=RunOptions(sample=2), sample=1).cases >= 2


def test_a_queued_run_has_the_selection(tmp_path):
    recorded = tmp_path / "answers.jsonl"
    recorded.write_text('{"model": "m", "id": "c1", "output": "1"}\n', encoding="utf-8")
    with Home.of(tmp_path).open_store() as store:
        options = RunOptions(cases="c1", filter="category == 'odd'")
        making = enqueue_runs(store, SUITE, options, home=tmp_path, recorded=recorded)
        made = asyncio.run(making)
        kept = store.run(made[0].id)
    assert (kept.planned, kept.selection.cases) == (1, ("c1",))
    assert kept.selection.filter == "category == 'odd'"
