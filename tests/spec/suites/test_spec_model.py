import pytest

from benchmaker.errors import SpecError
from benchmaker.spec import Case, JudgeSpec, Parameters, ScorerSpec, Suite

ONE = Case(id="a", prompt="x")


def refused(make):
    with pytest.raises(SpecError) as caught:
        make()
    assert "pydantic" not in str(caught.value)
    return str(caught.value)


def test_numbers_become_the_text_that_is_meant_as_in_a_file():
    case = Case(id=7, prompt="2 + 3?", expected=5, category=2024)
    assert (case.id, case.expected, case.category) == ("7", "5", "2024")


def test_a_wrong_value_in_python_is_one_error_that_names_every_fault():
    found = refused(lambda: Case(id="a", prompt="x", weight=-1, expcted="y"))
    assert found.startswith("Case 'a': ")
    assert "weight must be at least 0, not -1." in found
    assert "unknown field 'expcted'. Did you mean 'expected'?" in found
    assert "prompt is missing; add prompt or messages" in refused(lambda: Case(id="a"))


def test_parameters_and_judges_have_our_errors_too():
    assert "temperature must be at most 2, not 3." in refused(lambda: Parameters(temperature=3))
    assert "repeats must be at least 1, not 0." in refused(lambda: JudgeSpec(repeats=0))


def test_a_suite_reads_names_and_mappings_as_a_file_does():
    suite = Suite(
        "s",
        [{"id": "a", "prompt": "x", "expected": 5, "scorer": "numeric"}],
        scorer="exact",
        judge="openai/gpt-4o",
        parameters={"temperature": 0},
        policies={"empty": "leave_out"},
    )
    assert suite.scorer == ScorerSpec(id="exact")
    assert suite.cases == (Case(id="a", prompt="x", expected="5", scorer="numeric"),)
    assert suite.judge.models[0].model == "openai/gpt-4o"
    assert suite.parameters == Parameters(temperature=0)
    assert suite.policies.empty == "leave_out"


def test_cases_from_a_generator_can_be_read_twice():
    suite = Suite("s", (case for case in [ONE]))
    assert list(suite) == list(suite) == [ONE]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Suite("g", [{"id": "a"}]), "suite 'g', cases[0]: prompt is missing; add"),
        (
            lambda: Suite("g", [ONE, "b"]),
            "suite 'g', cases[1]: a case must be a Case or a mapping,",
        ),
        (lambda: Suite("g", 5), "suite 'g': cases must be a list of cases, not 5."),
        (lambda: Suite("g", [ONE], scorer=5), "suite 'g', scorer: "),
        (lambda: Suite("g", [ONE], parameters={"temprature": 0}), "Did you mean 'temperature'?"),
    ],
)
def test_what_no_suite_can_be_is_refused_where_it_is_made(make, words):
    assert words in refused(make)
