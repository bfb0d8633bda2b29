"""Suites in files, collected as tests."""

import pytest

from tests.pytest_plugin.projects import Project
from tests.web.answering import answering

pytestmark = pytest.mark.warm

PERU = {"id": "peru", "prompt": "Capital of Peru?", "expected": "Lima", "tags": ["geography"]}
CHAD = {"id": "chad", "prompt": "Capital of Chad?", "expected": "N'Djamena"}


def answer(case: str, output: str, model: str = "m") -> dict:
    return {"model": model, "id": case, "output": output}


@pytest.fixture
def capitals(project: Project) -> Project:
    project.suite("test_capitals.suite.json", [PERU, CHAD], name="capitals")
    rows = [answer("peru", "Lima"), answer("chad", "Abéché")]
    project.answers(
        "answers.jsonl", [*rows, answer("peru", "Lima", "n"), answer("chad", "N'Djamena", "n")]
    )
    return project


def test_without_an_option_cases_are_skipped_and_the_reason_names_the_options(capitals: Project):
    done = capitals.pytest("-rs")
    assert (done.code, done.counts) == (0, {"skipped": 2})
    assert "needs --benchmaker-model MODEL or --benchmaker-recorded FILE" in done.words
    assert not capitals.home.exists()


@pytest.mark.long
def test_each_case_and_model_is_a_test(capitals: Project):
    done = capitals.pytest("--benchmaker-recorded", "answers.jsonl", "--collect-only")
    listed = [line for line in done.text.splitlines() if "::" in line]
    name = "test_capitals.suite.json"
    assert listed == [
        f"{name}::peru[m]",
        f"{name}::peru[n]",
        f"{name}::chad[m]",
        f"{name}::chad[n]",
    ]


def test_a_wrong_answer_fails_with_case_answer_and_expected(capitals: Project):
    done = capitals.pytest("--benchmaker-recorded", "answers.jsonl")
    assert (done.code, done.counts) == (1, {"failed": 1, "passed": 3})
    assert "chad[m]" in done.text
    for part in ("Capital of Chad?", "N'Djamena", "Abéché", "score 0.0 of 100"):
        assert part in done.text
    suite = (capitals.folder / "test_capitals.suite.json").read_text().splitlines()
    line = next(at for at, text in enumerate(suite, 1) if '"chad"' in text) - 1  # of the brace
    assert f"test_capitals.suite.json:{line}: Failed" in done.text
    assert "Traceback" not in done.text


@pytest.mark.long
def test_the_results_stand_at_the_end(capitals: Project):
    done = capitals.pytest("--benchmaker-recorded", "answers.jsonl")
    assert "No significant difference: n leads m by 50.0 points" in done.text


@pytest.mark.long
def test_a_failure_lists_each_check_with_its_reason(project: Project):
    checks = [
        {"type": "contains", "value": "Lima"},
        {"type": "word_count", "max": 9},
        {"type": "starts_with", "value": "The"},
    ]
    project.suite("test_checks.suite.json", [{"id": "peru", "prompt": "?", "checks": checks}])
    project.answers("answers.jsonl", [answer("peru", "It is Cusco.")])
    done = project.pytest("--benchmaker-recorded", "answers.jsonl")
    assert done.counts == {"failed": 1}
    assert "✗ contains 'Lima' (score 0, weight 1): not found" in done.words
    assert "✓ word_count max=9 (score 1, weight 1): 3 words" in done.words
    assert "✗ starts_with 'The'" in done.words


@pytest.mark.long
def test_a_case_that_reaches_its_threshold_passes_below_a_full_score(project: Project):
    checks = [{"type": "contains", "value": "Lima"}, {"type": "contains", "value": "Peru"}]
    case = {"id": "peru", "prompt": "?", "checks": checks, "threshold": 0.5}
    project.suite("test_checks.suite.json", [case])
    project.answers("answers.jsonl", [answer("peru", "Lima")])
    assert project.pytest("--benchmaker-recorded", "answers.jsonl").counts == {"passed": 1}


@pytest.mark.long
def test_a_missing_answer_is_an_error_and_no_failure(capitals: Project):
    capitals.answers("some.jsonl", [answer("peru", "Lima")])
    done = capitals.pytest("--benchmaker-recorded", "some.jsonl")
    assert (done.code, done.counts) == (1, {"passed": 1, "error": 1})
    assert "no score" in done.text


@pytest.mark.long
def test_a_case_of_weight_zero_cannot_fail(project: Project):
    project.suite("test_weights.suite.json", [{**PERU, "weight": 0}, CHAD])
    project.answers("answers.jsonl", [answer("peru", "Cusco"), answer("chad", "N'Djamena")])
    done = project.pytest("--benchmaker-recorded", "answers.jsonl", "-rs")
    assert done.counts == {"passed": 1, "skipped": 1}
    assert "weight 0, can't fail: score 0.0 of 100" in done.words


def test_a_bad_suite_is_one_collection_error_with_line_and_column(project: Project):
    text = "name: bad\ncases:\n  - {id: a, promt: x}\n  - {id: b, prompt: y, weight: -1}\n"
    project.write("test_bad.suite.yaml", text)
    project.write("test_good.py", "def test_good():\n    pass\n")
    done = project.pytest()
    assert (done.code, done.counts) == (2, {"error": 1})
    assert "test_bad.suite.yaml:3:" in done.text
    assert "test_bad.suite.yaml:4:" in done.text
    assert "Traceback" not in done.text


@pytest.mark.long
def test_answers_to_other_cases_are_an_error_of_each_case(capitals: Project):
    capitals.answers("others.jsonl", [answer("q1", "?"), answer("q2", "?")])
    done = capitals.pytest("--benchmaker-recorded", "others.jsonl")
    assert done.counts == {"error": 2}
    assert "the ids of the recorded answers (q1, q2) are not in the suite" in done.words


@pytest.mark.long
def test_a_missing_file_of_answers_is_an_error_of_usage(capitals: Project):
    done = capitals.pytest("--benchmaker-recorded", "none.jsonl")
    assert done.code == 4
    assert "no such file: none.jsonl" in done.text


@pytest.mark.long
def test_other_files_are_not_collected_unless_they_are_named(capitals: Project):
    capitals.suite("capitals.suite.json", [PERU])
    capitals.write("test_notes.yaml", "name: notes\n")
    assert capitals.pytest().counts == {"skipped": 2}
    assert capitals.pytest("capitals.suite.json").counts == {"skipped": 1}


@pytest.mark.long
def test_tags_and_the_marker_select_cases(capitals: Project):
    given = ("--benchmaker-recorded", "answers.jsonl", "--strict-markers")
    assert capitals.pytest(*given, "-k", "geography").counts == {"passed": 2, "deselected": 2}
    done = capitals.pytest(*given, "-m", "not benchmaker")
    assert done.code == 5


@pytest.mark.long
def test_expansions_and_setups_are_tests_of_their_own(project: Project):
    prompts = [{"id": "plain", "prompt": "{{n}} + 1?"}, {"id": "long", "prompt": "Add 1 to {{n}}."}]
    case = {"id": "sum", "vars": {"n": [1, 2]}, "expected": "{{n}}"}
    project.suite("test_sums.suite.json", [case], prompts=prompts, scorer="numeric")
    with answering(lambda _: "2") as models:
        done = project.pytest("--benchmaker-model", f"{models.url}#small", "-vv")
    assert done.counts == {"passed": 2, "failed": 2}
    assert f"sum/2[{models.url}#small · plain] PASSED" in done.text
    assert sorted(models.asked) == ["1 + 1?", "2 + 1?", "Add 1 to 1.", "Add 1 to 2."]


def test_only_selected_cases_are_requested(project: Project):
    cases = [{"id": f"c{n}", "prompt": f"case {n}", "expected": "42"} for n in range(4)]
    project.suite("test_sums.suite.json", cases, scorer="numeric")
    with answering() as models:
        small, large = f"{models.url}#small", f"{models.url}#large"
        given = ("--benchmaker-model", small, "--benchmaker-model", large)
        assert project.pytest(*given, "-k", "c2 or c3").counts == {"passed": 4, "deselected": 4}
        assert sorted(models.asked) == ["case 2", "case 2", "case 3", "case 3"]
        models.asked.clear()
        uneven = ("--deselect", f"test_sums.suite.json::c0[{small}]")
        assert project.pytest(*given, *uneven).counts == {"passed": 7, "deselected": 1}
        assert sorted(models.asked) == sorted(f"case {n}" for n in (0, 1, 1, 2, 2, 3, 3))


@pytest.mark.long
def test_ids_with_signs_of_patterns_select_themselves_alone(project: Project):
    cases = [{"id": name, "prompt": name, "expected": "42"} for name in ("a*", "ab", "a[b]", "x")]
    project.suite("test_sums.suite.json", cases, scorer="numeric")
    with answering() as models:
        done = project.pytest("--benchmaker-model", f"{models.url}#m", "-k", "not ab and not x")
    assert done.counts == {"passed": 2, "deselected": 2}
    assert sorted(models.asked) == ["a*", "a[b]"]


@pytest.mark.long
def test_failed_requests_are_errors_with_the_reason(project: Project):
    project.suite("test_capitals.suite.json", [PERU])
    done = project.pytest("--benchmaker-model", "http://127.0.0.1:9/v1#gone")
    assert done.counts == {"error": 1}
    assert "no score" in done.text
    assert "127.0.0.1:9" in done.text


@pytest.mark.long
def test_a_missing_key_is_an_error_that_names_the_variable(capitals: Project):
    done = capitals.pytest("--benchmaker-model", "openai/gpt-4o-mini")
    assert done.counts == {"error": 2}
    assert "OPENAI_API_KEY" in done.text
    assert "Traceback" not in done.text


@pytest.mark.long
def test_a_budget_ends_the_run_and_the_rest_are_errors(project: Project):
    project.suite("test_capitals.suite.json", [PERU, CHAD])
    with answering() as models:
        variables = {"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": models.url}
        given = ("--benchmaker-model", "openai/gpt-4o-mini", "--benchmaker-max-cost", "0")
        done = project.pytest(*given, **variables)
    assert done.counts == {"error": 2}
    assert models.asked == []
    assert "budget" in done.text


@pytest.mark.long
def test_keys_are_not_printed(project: Project):
    key = "sk-proj-0123456789abcdef0123456789abcdef"
    project.suite("test_capitals.suite.json", [PERU])
    with answering(lambda _: f"My key is {key}") as models:
        variables = {"OPENAI_API_KEY": key, "OPENAI_BASE_URL": models.url}
        done = project.pytest("--benchmaker-model", "openai/gpt-4o-mini", **variables)
    assert done.counts == {"failed": 1}
    assert key not in done.text
