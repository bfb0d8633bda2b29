"""Templates in the scorer and the checks of a suite, rendered with the variables of each case."""

import pytest

from benchmaker import Suite, run
from benchmaker.errors import SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.scoring.check import check_suite, load_checked
from benchmaker.spec import Case

SUITE = """\
vars: {unit: km}
checks:
  - {type: regex, pattern: "{{ river }} .* {{ unit }}"}
  - {type: exact, value: ["{{ river }} is long", "{{ expected }} 900 {{ unit }}"]}
cases:
  - {id: a, prompt: p, expected: Po is 652 km, vars: {river: Po}}
  - {id: b, prompt: "{{ river }}?", expected: Don, vars: {river: [Don, Inn], unit: mi}}
"""


@pytest.fixture
def load(tmp_path):
    def read(text):
        path = tmp_path / "suite.yaml"
        path.write_text(text)
        return load_checked(path)

    return read


def _values(suite):
    """The pattern and the value of the checks of each case."""
    found = {}
    for case in suite.cases:
        first, second = suite.scorer_of(case).parameters["checks"]
        found[case.id] = (first["pattern"], second["value"])
    return found


def test_checks_of_a_suite_are_rendered_for_each_case(load):
    assert _values(load(SUITE)) == {
        "a": ("Po .* km", ["Po is long", "Po is 652 km 900 km"]),
        "b/1": ("Don .* mi", ["Don is long", "Don 900 mi"]),
        "b/2": ("Inn .* mi", ["Inn is long", "Don 900 mi"]),
    }


def test_checks_stay_as_written_in_the_header(load):
    assert load(SUITE).header()["checks"][0]["pattern"] == "{{ river }} .* {{ unit }}"


def test_an_exported_suite_has_the_same_checks(load):
    suite = load(SUITE)
    again = Suite.of_header(suite.header(), [Case(**one.model_dump()) for one in suite.cases])
    assert _values(again) == _values(suite)
    assert again.content_hash == suite.content_hash
    assert check_suite(again) == []


def test_the_scorer_of_a_suite_is_rendered(load):
    suite = load(
        'scorer: {id: regex, pattern: "^{{ x }}$"}\n'
        "cases:\n"
        "  - {id: a, prompt: p, vars: {x: 1}}\n"
        "  - {id: b, prompt: p, vars: {x: 2}, scorer: {id: exact}, expected: e}\n"
        "  - {id: c, prompt: p, vars: {x: 3}, checks: [{type: exact, value: 3}]}\n"
    )
    own, other, both = map(suite.scorer_of, suite.cases)
    assert own.parameters == {"pattern": "^1$"}
    assert other.id == "exact"
    assert both.parameters["checks"][0] == {"type": "regex", "pattern": "^3$"}


def test_a_text_with_braces_stays_a_text_without_variables(load):
    suite = load(
        'checks: [{type: exact, value: "{{ x }}"}]\ncases: [{id: a, prompt: p, expected: e}]\n'
    )
    (case,) = suite.cases
    assert suite.scorer_of(case).parameters["checks"][0]["value"] == "{{ x }}"


def test_an_undefined_variable_is_found_at_its_place(load):
    text = 'checks:\n  - exact\n  - {type: regex, pattern: "a {{ rivr }}"}\ncases:\n'
    text += "  - {id: a, prompt: p, expected: e, vars: {river: Po}}\n"
    text += (
        "  - {id: b, prompt: p, vars: {x: 1}, checks_only: true, checks: [exact], expected: e}\n"
    )
    with pytest.raises(SpecError) as caught:
        load(text)
    (fault,) = caught.value.findings
    assert (fault.line, fault.message) == (3, "undefined variable 'rivr' in case 'a'.")


def test_a_rendered_parameter_is_checked(load):
    text = 'checks: [{type: regex, pattern: "{{ x }}"}]\ncases:\n'
    text += '  - {id: a, prompt: p, vars: {x: "a+"}}\n  - {id: b, prompt: p, vars: {x: "("}}\n'
    with pytest.raises(SpecError) as caught:
        load(text)
    (fault,) = caught.value.findings
    assert fault.line == 1
    assert "unterminated" in fault.message


def test_answers_are_scored_by_the_rendered_checks(tmp_path):
    suite = Suite(
        "s",
        [
            {"id": "a", "prompt": "p", "vars": {"x": "Po"}},
            {"id": "b", "prompt": "p", "vars": {"x": "Inn"}},
        ],
        checks=[{"type": "regex", "pattern": "/^{{ x }}$/"}],
    )
    answers = Scripted(lambda _: Completion(text="Po"), models=("m",))
    result = run(suite, provider=answers, home=tmp_path)
    assert {one.case_id: one.score.score for one in result.trials()} == {"a": 1.0, "b": 0.0}


@pytest.mark.parametrize("place", ["suite", "case"])
@pytest.mark.parametrize("text", ["{{ name", "{{ unknown }}"])
def test_braces_in_a_check_that_are_no_template_have_a_remedy(tmp_path, place, text):
    checks = f'checks: [{{type: contains, value: "{text}"}}]'
    own = f", {checks}, checks_only: true" if place == "case" else ""
    file = tmp_path / "s.yaml"
    file.write_text(
        f"{checks if place == 'suite' else 'scorer: exact'}\n"
        f"cases:\n  - {{id: a, prompt: p, expected: x, vars: {{name: x}}{own}}}\n"
    )
    with pytest.raises(SpecError) as caught:
        load_checked(file)
    (found,) = caught.value.findings
    assert (found.line, found.column > 1) == (1 if place == "suite" else 3, True)
    assert found.hint.endswith("Around literal braces, write {% raw %} and {% endraw %}.")


def test_raw_braces_are_part_of_a_check(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(
        'checks: [{type: contains, value: "{% raw %}{{ x }}{% endraw %}"}]\n'
        "cases: [{id: a, prompt: p, vars: {name: x}}]\n"
    )
    suite = load_checked(file)
    assert suite.scorer_of(suite.cases[0]).parameters["checks"][0]["value"] == "{{ x }}"


def test_braces_in_a_check_are_text_where_the_suite_has_neither_variables_nor_prompts(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text('checks: [{type: contains, value: "{{ x }}"}]\ncases: [{id: a, prompt: p}]\n')
    suite = load_checked(file)
    assert suite.scorer_of(suite.cases[0]).parameters["checks"][0]["value"] == "{{ x }}"


TYPED = """\
profile: robust
vars: {n: 3, share: 0.5, words: {any: [red, blue]}}
checks:
  - {type: json_path, path: "$.n", value: "{{ n }}"}
  - {type: word_count, max: "{{ n }}"}
  - {type: contains, value: "{{ n }}"}
cases:
  - id: a
    prompt: p
    checks:
      - {type: json_path, path: "$.list", value: ["{{ share }}", "{{ n }} km"]}
      - {type: json_path, path: "$.all", value: "{{ words }}"}
"""


def test_a_variable_alone_keeps_its_type_in_checks_of_suite_and_case(load, tmp_path):
    suite = load(TYPED)
    assert check_suite(suite) == []
    answer = '{"n":3,"list":[0.5,"3 km"],"all":{"any":["red","blue"]}}'
    answers = Scripted(lambda _: Completion(text=answer), models=("m",))
    [trial] = run(suite, provider=answers, home=tmp_path).trials()
    assert [one["passed"] for one in trial.score.detail["checks"]] == [True] * 5
