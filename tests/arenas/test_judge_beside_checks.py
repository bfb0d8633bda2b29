"""A judge in a run whose cases have checks of their own scores only the others."""

import json

import pytest

from benchmaker import RunOptions, Suite, rescore, run
from benchmaker.arenas.standard.request import runnable_suite
from benchmaker.errors import SpecError

CHECK = {"type": "contains", "value": "Lima"}
RUBRIC = {"type": "rubric", "value": "Names a city."}
CHECKED = {"id": "checked", "prompt": "?", "checks": [CHECK]}
JUDGED = {"id": "judged", "prompt": "?", "checks": [CHECK, RUBRIC]}
SCORED = {"id": "scored", "prompt": "?", "scorer": "exact", "expected": "Lima"}
BOTH = {"id": "both", "prompt": "?", "scorer": "exact", "expected": "Lima", "checks": [CHECK]}
APART = {"id": "apart", "prompt": "?", "checks": [CHECK], "checks_only": True}
PLAIN = {"id": "plain", "prompt": "?"}


def scorers(suite):
    """The types of the checks of each case, or the id of its scorer."""
    found = {}
    for case in suite.cases:
        spec = suite.scorer_of(case)
        checks = spec.parameters.get("checks") or ()
        found[case.id] = [it["type"] for it in checks] or [spec.id]
    return found


def as_object(tmp_path, cases):  # noqa: ARG001  as the others
    return Suite("s", cases)


def as_reader(tmp_path, cases):  # noqa: ARG001  as the others
    made = Suite("s", cases).cases
    return Suite("s", type("Reader", (), {"__iter__": lambda _: iter(made)})())


def as_document(tmp_path, cases):
    (tmp_path / "s.json").write_text(json.dumps({"name": "s", "cases": cases}))
    return tmp_path / "s.json"


def as_rows(tmp_path, cases):
    (tmp_path / "s.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in cases))
    return tmp_path / "s.jsonl"


@pytest.fixture(params=[as_object, as_reader, as_document, as_rows])
def read(request, tmp_path):
    return lambda *cases: runnable_suite(request.param(tmp_path, list(cases)), judged=True)


def test_the_judge_scores_only_the_cases_without_scoring(read):
    suite = read(CHECKED, JUDGED, SCORED, BOTH, APART, PLAIN)
    assert scorers(suite) == {
        "checked": ["contains"],
        "judged": ["contains", "rubric"],
        "scored": ["exact"],
        "both": ["exact", "contains"],
        "apart": ["contains"],
        "plain": ["llm_judge"],
    }
    assert {spec.id for spec in suite.named_scorers.values()} == {"checks", "exact", "llm_judge"}


def test_a_suite_in_which_each_case_is_scored_gets_no_judge(read):
    suite = read(CHECKED, JUDGED)
    assert scorers(suite) == {"checked": ["contains"], "judged": ["contains", "rubric"]}
    assert suite.scorer is None


def test_without_checks_of_cases_the_judge_is_the_scorer_of_the_suite(read):
    suite = read(SCORED, PLAIN)
    assert scorers(suite) == {"scored": ["exact"], "plain": ["llm_judge"]}
    assert suite.scorer.id == "llm_judge"


def test_preparing_twice_changes_nothing(read):
    suite = read(CHECKED, PLAIN)
    again = runnable_suite(suite, judged=True)
    assert scorers(again) == scorers(suite)
    assert again.content_hash == suite.content_hash


def test_a_right_answer_stays_right_beside_a_judge_for_another_check(tmp_path):
    answers = [{"model": "m", "id": it, "output": "Lima"} for it in ("checked", "judged")]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in answers))
    reply = {"model": "m", "id": "judged", "output": json.dumps({"score": 10})}
    (tmp_path / "j.jsonl").write_text(json.dumps(reply))
    suite = Suite("s", [CHECKED, JUDGED], profile="robust")
    result = run(
        suite,
        recorded=tmp_path / "a.jsonl",
        options=RunOptions(recorded_judge=tmp_path / "j.jsonl"),
        home=tmp_path,
    )
    assert [it.score.score for it in result.trials()] == [1.0, 1.0]


def test_a_judge_without_anything_to_judge_is_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"model": "m", "id": "checked", "output": "Lima"}')
    (tmp_path / "j.jsonl").write_text('{"model": "m", "id": "checked", "output": "10"}')
    with pytest.raises(SpecError, match="uses no judge"):
        run(
            Suite("s", [CHECKED]),
            recorded=tmp_path / "a.jsonl",
            options=RunOptions(recorded_judge=tmp_path / "j.jsonl"),
            home=tmp_path,
        )


@pytest.fixture
def stored(tmp_path):
    """Make a run of recorded answers, and return what rescores it with a recorded judge."""

    def make(suite, *ids, judged=False):
        answers = [{"model": "m", "id": it, "output": "Lima"} for it in ids]
        (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in answers))
        replies = [{"model": "m", "id": it, "output": json.dumps({"score": 7})} for it in ids]
        (tmp_path / "j.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in replies))
        options = RunOptions(recorded_judge=tmp_path / "j.jsonl")
        first = options if judged else RunOptions()
        done = run(suite, recorded=tmp_path / "a.jsonl", options=first, home=tmp_path)

        def again(**named):
            return rescore(done.run_ids[0], options=options, home=tmp_path, **named)

        return again

    return make


@pytest.mark.parametrize(
    "suite",
    [
        Suite("s", [{"id": "a", "prompt": "?"}], checks=[CHECK]),
        Suite("s", [{"id": "a", "prompt": "?", "expected": "Lima"}], scorer="exact"),
        Suite("s", [{**SCORED, "id": "a"}]),
        Suite("s", [{**CHECKED, "id": "a"}]),
    ],
)
def test_rescoring_with_a_judge_that_nothing_uses_is_refused(stored, suite):
    again = stored(suite, "a")
    with pytest.raises(SpecError, match="suite 's' uses no judge"):
        again()


def test_a_corrected_suite_refuses_a_judge_that_nothing_uses(stored):
    again = stored(Suite("s", [CHECKED]), "checked")
    edited = Suite("s", [{**CHECKED, "checks": [{"type": "contains", "value": "im"}]}])
    with pytest.raises(SpecError, match="suite 's' uses no judge"):
        again(suite=edited)


def test_a_scorer_with_a_judge_replaces_the_checks_of_the_suite(stored):
    suite = Suite("s", [{"id": "a", "prompt": "?"}], checks=[CHECK])
    (trial,) = stored(suite, "a")(scorer="llm_judge").trials()
    assert (trial.score.score, trial.score.scorer) == (0.7, "llm_judge")


def test_rescoring_with_a_judge_keeps_the_scores_of_other_cases(stored):
    again = stored(Suite("s", [CHECKED, SCORED, PLAIN]), "checked", "scored", "plain", judged=True)
    found = {it.case_id: (it.score.scorer, it.score.score) for it in again().trials()}
    assert found == {
        "checked": ("checks", 1.0),
        "scored": ("exact", 1.0),
        "plain": ("llm_judge", 0.7),
    }


def test_a_judge_beside_a_scorer_without_one_is_refused(stored):
    suite = Suite("s", [{"id": "a", "prompt": "?", "expected": "Lima"}], scorer="exact")
    with pytest.raises(SpecError, match="uses no judge"):
        stored(suite, "a")(scorer="boolean")
