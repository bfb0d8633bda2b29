"""Runs of two versions of a suite: the cases that are the same are compared, and nothing else."""

from statistics import fmean

import pytest

from benchmaker import Case, Suite, rescore, results, run
from benchmaker.analysis import compare, rank
from benchmaker.engine.runs.suite_versions import read_together
from benchmaker.errors import NotComparable
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE

CASES = tuple(Case(id=f"c{n}", prompt=f"{n} + 0?", expected=str(n)) for n in range(8))


@pytest.fixture
def asked(tmp_path):
    """Runs a version of the suite with one model; returns the run's id."""

    def ask(cases, model, answer, name="arith", **header):
        suite = Suite(name, cases, **{"scorer": "exact", "profile": "robust", **header})
        return run(suite, provider=answer, models=[model], home=tmp_path).run_ids[0]

    return ask


@pytest.fixture
def together(tmp_path):
    def read(*run_ids):
        with Store.open(tmp_path / STORE_FILE, read_only=True) as store:
            return read_together(store, run_ids)

    return read


def right(request):
    return request.case_id.removeprefix("c")


def even(request):
    number = request.case_id.removeprefix("c")
    return number if int(number) % 2 == 0 else "wrong"


def edited(at=1, **fields):
    return [case if n != at else case.model_copy(update=fields) for n, case in enumerate(CASES)]


def test_two_versions_are_compared_over_the_cases_that_are_the_same(asked, together):
    old = asked(CASES, "a", right)
    new = asked(edited(expected="other"), "b", even)
    found = together(old, new)
    made = compare(found.columns, found.runs)
    assert len({run.suite_hash for run in found.runs}) == 1
    assert [run.id for run in found.stored] == [old, new]
    assert len({run.suite_hash for run in found.stored}) == 2
    assert found.sentence == (
        "7 of 8 cases are the same in these 2 versions of arith; excluded: c1 (changed)"
    )
    assert made.n_common == 7
    means = {one.model: one.mean for one in made.models}
    assert means == {"a": 1.0, "b": pytest.approx(fmean([1, 1, 0, 1, 0, 1, 0]))}


def test_a_prompt_with_another_text_is_named(asked, together):
    texts = [{"plain": "{{ prompt }}", "brief": "Briefly: {{ prompt }}"}]
    texts += [{**texts[0], "plain": "Well: {{ prompt }}"}]
    prompts = [[{"id": name, "prompt": one} for name, one in it.items()] for it in texts]
    old, new = (asked(CASES, "a", right, prompts=one) for one in prompts)
    said = "the text of prompt plain differs in these 2 versions of arith"
    assert said in together(old, new).warnings
    other = asked(edited(expected="other"), "a", right, prompts=prompts[1])
    assert together(new, other).other_prompts == ""


def test_cases_are_found_by_their_ids_wherever_they_stand(asked, together):
    old = asked(CASES, "a", even)
    new = asked((*CASES[:3:-1], *CASES[:2]), "b", even)
    found = together(old, new)
    scores = {
        (found.columns.case_ids[place], found.columns.models[model]): score
        for place, model, score in zip(
            found.columns.position.tolist(),
            found.columns.model.tolist(),
            found.columns.score.tolist(),
            strict=True,
        )
    }
    ids = [f"c{n}" for n in (0, 1, 4, 5, 6, 7)]
    assert scores == {(one, model): float(int(one[1:]) % 2 == 0) for one in ids for model in "ab"}
    assert found.sentence.startswith("6 of 8 cases are the same")
    assert found.places[old][0] == 7
    assert new not in found.places


@pytest.mark.parametrize("change", [{"weight": 3.0}, {"prompt": "?"}, {"scorer": "boolean"}])
def test_a_case_that_changed_in_anything_is_left_out(asked, together, change):
    old = asked(CASES, "a", right)
    changed = edited(**change) if "scorer" not in change else [
        Case(id="c1", prompt="1 + 0?", expected="1", scorer="boolean"), *CASES[:1], *CASES[2:]
    ]  # fmt: skip
    assert together(old, asked(changed, "b", right)).sentence.startswith("7 of 8 cases")


def test_one_version_has_nothing_to_say(asked, together):
    found = together(asked(CASES, "a", right), asked(CASES, "b", right))
    assert (found.sentence, dict(found.places)) == ("", {})


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"name": "other"}, "have different suites"),
        ({"system_prompt": "Be brief."}, "they differ in system_prompt"),
        ({"scorer": "boolean"}, "No case is the same in these 2 versions of arith"),
    ],
)
def test_what_shares_no_case_is_refused(asked, together, header, words):
    old, new = asked(CASES, "a", right), asked(CASES, "b", right, **header)
    with pytest.raises(NotComparable, match=words):
        together(old, new)


def test_results_of_two_versions_are_compared_and_ranked_from_python(asked, tmp_path):
    ids = [asked(CASES, "a", right), asked(edited(expected="other"), "b", even)]
    both = [results(one, home=tmp_path) for one in ids]
    made = compare(both)
    assert made.n_common == 7
    assert made.warnings[0].startswith("7 of 8 cases are the same in these 2 versions of arith")
    assert rank(both, prior=1.0).warnings[0] == made.warnings[0]


def test_results_of_two_versions_in_two_stores_are_refused(asked, tmp_path):
    old = results(asked(CASES, "a", right), home=tmp_path)
    suite = Suite("arith", edited(expected="other"), scorer="exact", profile="robust")
    other = run(suite, provider=even, models=["b"], home=tmp_path / "other")
    with pytest.raises(NotComparable, match="different stores"):
        compare([old, other])


def test_a_case_that_is_only_in_one_version_is_counted_as_left_out(asked, together):
    new = Case(id="new", prompt="9 + 9?", expected="18")
    found = together(asked(CASES, "a", right), asked([*edited(expected="other"), new], "b", even))
    assert found.sentence == (
        "7 of 9 cases are the same in these 2 versions of arith; excluded: c1 (changed), new (new)"
    )


@pytest.mark.parametrize(("number", "end"), [(10, "c17 (new)"), (11, "c17 (new) and 1 more")])
def test_ten_cases_that_are_left_out_are_named_and_others_counted(asked, together, number, end):
    new = [Case(id=f"c{n}", prompt=f"{n} + 0?", expected=str(n)) for n in range(8, 8 + number)]
    found = together(asked(CASES, "a", right), asked([*CASES, *new], "b", even))
    assert found.sentence.endswith(f", {end}")


def test_answers_that_are_scored_again_count_once_by_their_newest_scores(asked, together, tmp_path):
    first, other = asked(CASES, "a", even), asked(CASES, "b", right)
    again = rescore(first, suite=Suite("arith", edited(expected="wrong"), scorer="exact",
                                       profile="robust"), home=tmp_path)  # fmt: skip
    found = together(first, *again.run_ids)
    assert [run.id for run in found.runs] == list(again.run_ids)
    assert found.columns.score.tolist() == [1, 1, 1, 0, 1, 0, 1, 0]
    assert found.counted_once == (
        "rescored answers count once, with their newest scores; excluded: "
        f"{first} (rescored in {again.run_ids[0]})"
    )
    both = [results(one, home=tmp_path) for one in (first, other, *again.run_ids)]
    made = compare(both)
    assert made.warnings[0] == found.counted_once
    assert (made.pairs[0].p_value, made.n_common) == (compare(both[1:]).pairs[0].p_value, 7)
    assert rank(both, prior=1.0).warnings[0] == found.counted_once


def test_a_chain_of_scorings_is_followed_through_runs_that_are_not_named(asked, together, tmp_path):
    first = asked(CASES, "a", even)
    made = [first]
    for answer in ("wrong", "1", "other"):
        suite = Suite("arith", edited(expected=answer), scorer="exact", profile="robust")
        made += rescore(made[-1], suite=suite, home=tmp_path).run_ids
    assert [run.id for run in together(made[1], made[3]).runs] == [made[3]]
