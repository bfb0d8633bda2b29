"""Scores against thresholds and baselines, in tests of a project."""

import json
from functools import cache
from pathlib import Path

import pytest

import benchmaker
from benchmaker import Case, NotComparable, SpecError, Suite, assert_scores, gate, run
from benchmaker.analysis.summary.gate import Gate
from benchmaker.testing import Scripted
from tests.pytest_plugin.projects import Project

N = 60


@pytest.fixture(scope="module")
def result_of(tmp_path_factory: pytest.TempPathFactory):
    """Runs of 60 cases by how many each model answers right, the first ones; each is made once."""
    home = tmp_path_factory.mktemp("sixty")

    @cache
    def make(**right: int) -> benchmaker.RunResult:
        cases = [Case(id=f"c{n}", prompt=f"{n}?", expected="yes") for n in range(N)]
        suite = Suite("sixty", cases, profile="robust", scorer="exact")
        answers = {
            (model, f"c{n}"): "yes" if n < number else "no"
            for model, number in right.items()
            for n in range(N)
        }
        return run(suite, provider=Scripted(answers), home=home)

    return make


def test_a_sure_value_passes_and_a_sure_miss_fails(result_of):
    result = result_of(m=54)
    assert_scores(result, mean=0.75)
    assert_scores(result, strict=0.75)
    with pytest.raises(AssertionError, match=r"Threshold missed: m has an accuracy of 90\.0%"):
        assert_scores(result, mean=0.99)


def test_a_name_is_no_result():
    with pytest.raises(SpecError, match="'foo' is not the result of a run") as caught:
        assert_scores("foo", mean=0.5)
    assert "benchmaker.results(NAME)" in caught.value.hint


def test_cases_without_a_score_fail_as_in_the_gate(result_of, tmp_path: Path):
    cases = [Case(id=f"c{n}", prompt=f"{n}?", expected="yes") for n in range(N)]
    suite = Suite("sixty", cases, profile="robust", scorer="exact")
    answers = {("m", f"c{n}"): "yes" for n in range(N - 1)}
    part = run(suite, provider=Scripted(answers), home=tmp_path)
    before = result_of(m=N)
    assert gate(part, before).verdict == "undecided"
    with pytest.raises(AssertionError, match="1 of 60 cases of m has no score"):
        assert_scores(part, baseline=before)


def test_changed_scores_are_not_listed_by_an_option_of_the_command(result_of):
    with pytest.raises(AssertionError) as told:
        assert_scores(result_of(m=20), baseline=result_of(m=60))
    assert "- 30 more\n" in str(told.value)
    assert "--json" not in str(told.value)


def test_an_undecided_threshold_fails_with_the_number_of_cases_that_decide(result_of):
    result = result_of(m=54)
    decided = Gate(0.85, is_sure=True).decide(result.summary, result.columns)
    (one,) = decided.decisions
    assert one.more_cases
    with pytest.raises(AssertionError) as told:
        assert_scores(result, mean=0.85)
    assert "Threshold undecided" in str(told.value)
    assert f"you need about {one.more_cases:,} more cases" in str(told.value)
    assert_scores(result, mean=0.85, gate="mean")


def test_three_right_of_three_do_not_prove_eighty_percent(tmp_path: Path):
    cases = [Case(id=name, prompt=name, expected="yes") for name in "abc"]
    suite = Suite("three", cases, profile="robust", scorer="exact")
    result = run(suite, provider=Scripted({("m", name): "yes" for name in "abc"}), home=tmp_path)
    with pytest.raises(AssertionError, match="Threshold undecided"):
        assert_scores(result, mean=0.8)


def test_strict_counts_full_scores_and_mean_all_of_them(tmp_path: Path):
    cases = [Case(id=f"c{n}", prompt=f"{n}?", expected="Paris") for n in range(N)]
    answers = {("m", f"c{n}"): "PARIS" if n % 2 else "Paris" for n in range(N)}
    suite = Suite("cities", cases, profile="classic", scorer="exact")
    result = run(suite, provider=Scripted(answers), home=tmp_path)
    assert result.mean("m") == pytest.approx(0.975)
    assert_scores(result, mean=0.85)
    with pytest.raises(AssertionError, match="Threshold missed"):
        assert_scores(result, strict=0.85)


def test_only_the_chosen_model_is_decided_on(result_of):
    result = result_of(good=60, bad=0)
    assert_scores(result, mean=0.9, model="good")
    assert_scores(result, mean=0.9, model=["good"])
    with pytest.raises(AssertionError, match="bad"):
        assert_scores(result, mean=0.9)
    with pytest.raises(SpecError, match="has no model 'god'"):
        assert_scores(result, mean=0.9, model="god")


def test_a_drop_fails_and_an_equal_run_passes(result_of):
    before, after = result_of(m=58), result_of(m=30)
    assert_scores(before, baseline=result_of.__wrapped__(m=58))
    with pytest.raises(AssertionError, match=r"Gate failed: m dropped by 46\.7 points"):
        assert_scores(after, baseline=before)
    assert_scores(after, baseline=before, max_drop=0.9)
    assert_scores(after, baseline=before.run_ids[0], max_drop=0.9)


@pytest.mark.parametrize("right", [0, 30, 50, 55, 57, 58, 59, 60])
@pytest.mark.parametrize("max_drop", [0.0, 0.02, 0.2])
def test_the_decision_is_that_of_the_gate(result_of, right: int, max_drop: float):
    before, after = result_of(m=58), result_of.__wrapped__(m=right)
    made = gate(after, before, max_drop=max_drop)
    if made.verdict == "pass":
        assert_scores(after, baseline=before, max_drop=max_drop)
        return
    with pytest.raises(AssertionError) as told:
        assert_scores(after, baseline=before, max_drop=max_drop)
    word = {"fail": "Gate failed", "undecided": "Gate undecided"}[made.verdict]
    assert str(told.value).startswith(word)
    if made.verdict == "undecided" and made.more_cases and made.more_cases <= 100 * N:
        assert f"about {made.more_cases:,} more case" in str(told.value)


def test_trials_without_a_score_fail_even_if_the_rest_reaches_the_threshold(tmp_path: Path):
    cases = [Case(id=f"c{n}", prompt=f"{n}?", expected="yes") for n in range(N)]
    answers = {("m", f"c{n}"): "yes" for n in range(N - 1)}
    rows = [{"model": "m", "id": case, "output": "yes"} for _, case in answers]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    suite = Suite("sixty", cases, profile="robust", scorer="exact")
    result = run(suite, recorded=path, home=tmp_path)
    with pytest.raises(AssertionError, match="m: 1 trial is excluded from the mean"):
        assert_scores(result, mean=0.5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "no criterion given"),
        ({"mean": 80}, r"mean = 80 is out of range.*80 of 100 is 0\.8"),
        ({"strict": True}, "strict = True is out of range"),
        ({"mean": 0.8, "gate": "maybe"}, "unknown gate 'maybe'"),
    ],
)
def test_a_wrong_argument_is_no_failed_assertion(result_of, given: dict, message: str):
    with pytest.raises(SpecError, match=message):
        assert_scores(result_of(m=1), **given)


def test_another_suite_is_not_compared(result_of, tmp_path: Path):
    cases = [Case(id="c0", prompt="?", expected="yes")]
    suite = Suite("other", cases, profile="robust", scorer="exact")
    other = run(suite, provider=Scripted({("m", "c0"): "yes"}), home=tmp_path)
    with pytest.raises(NotComparable):
        assert_scores(result_of(m=1), baseline=other)


TESTS = """\
from benchmaker import assert_scores

def test_scores(benchmaker_run, benchmaker_baseline):
    result = benchmaker_run("suites/capitals.yaml")
    assert_scores(result, baseline=benchmaker_baseline("capitals"), max_drop=0.02)
"""


def rows(right: int, total: int = N) -> list[dict]:
    return [
        {"model": "m", "id": f"c{n}", "output": "yes" if n < right else "no"} for n in range(total)
    ]


@pytest.fixture
def sixty(project: Project) -> Project:
    """A project with a suite of 60 cases, a test against a baseline, and that baseline."""
    cases = [{"id": f"c{n}", "prompt": f"{n}?", "expected": "yes"} for n in range(N)]
    project.suite("tests/suites/capitals.yaml", cases, name="sixty")
    project.write("tests/test_scores.py", TESTS)
    for right in (30, 57, 58):
        project.answers(f"{right}.jsonl", rows(right))
    return project


def scored(project: Project, right: int, *words: str):
    return project.pytest("--benchmaker-recorded", f"{right}.jsonl", *words)


@pytest.mark.warm
def test_a_project_with_a_baseline_passes_fails_or_is_undecided(sixty: Project):
    missing = scored(sixty, 58)
    assert missing.counts == {"failed": 1}
    assert "Write it with: pytest --benchmaker-update-baselines" in missing.words
    assert "score_assertion.py" not in missing.text

    updated = scored(sixty, 58, "--benchmaker-update-baselines")
    assert updated.counts == {"passed": 1}
    path = sixty.folder / "tests/baselines/capitals.baseline.json"
    assert f"Baseline written: {path.relative_to(sixty.folder)}" in updated.text
    written = path.read_bytes()
    assert json.loads(written)["schema_version"] == "benchmaker.baseline/1"
    assert b'"text"' not in written

    assert scored(sixty, 58).counts == {"passed": 1}
    failed = scored(sixty, 30)
    assert failed.counts == {"failed": 1}
    assert "Gate failed: m dropped by 46.7 points" in failed.words
    assert "c30: 100.0 to 0.0" in failed.words
    undecided = scored(sixty, 57)
    assert undecided.counts == {"failed": 1}
    assert "Gate undecided" in undecided.words
    assert "more cases like these" in undecided.words
    assert path.read_bytes() == written


@pytest.mark.long
@pytest.mark.warm
def test_a_baseline_written_by_export_is_found_under_its_name(sixty: Project):
    scored(sixty, 58, "--benchmaker-update-baselines")
    folder = sixty.folder / "tests/baselines"
    (folder / "capitals.baseline.json").rename(folder / "capitals.json")
    assert scored(sixty, 58).counts == {"passed": 1}


@pytest.mark.long
@pytest.mark.warm
def test_a_missed_threshold_writes_no_baseline(sixty: Project):
    sixty.write("tests/test_scores.py", TESTS.replace("max_drop=0.02", "mean=0.99"))
    done = scored(sixty, 30, "--benchmaker-update-baselines")
    assert done.counts == {"failed": 1}
    assert not (sixty.folder / "tests/baselines").exists()


@pytest.mark.long
@pytest.mark.warm
def test_tests_that_run_suites_are_skipped_without_an_option_and_marked(sixty: Project):
    done = sixty.pytest("-rs")
    assert done.counts == {"skipped": 1}
    assert "needs --benchmaker-model MODEL or --benchmaker-recorded FILE" in done.words
    assert sixty.pytest("-m", "not benchmaker").counts == {"deselected": 1}
