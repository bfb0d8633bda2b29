# ruff: noqa: E501  faults stand on one line, as people see them

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.spec import CaseFields, Limits
from benchmaker.spec.documents.source_map import SourceLocation
from benchmaker.spec.suites.load import load_suite, read_suite
from tests.draws import draws

SUITE = """\
name: sums
description: Small sums.
profile: robust
system_prompt: Be brief.
scorer: {id: numeric, tolerance: 0.01}
parameters: {temperature: 0}
policies: {truncated: zero}
cases:
  - id: 007
    prompt: What is 3/2?
    expected: 1.50
    weight: 2
    category: arithmetic
    difficulty: easy
    tags: [a, 2]
    group: g1
    metadata: {source: me, n: 1.50}
  - id: country
    messages:
      - {role: user, content: Which country is .no?}
    expected: NO
    scorer: exact
"""


def test_a_suite_in_yaml(write):
    suite = load_suite(write("suite.yaml", SUITE))
    first, second = suite
    assert (suite.name, suite.profile, suite.system_prompt) == ("sums", "robust", "Be brief.")
    assert suite.scorer.parameters == {"tolerance": 0.01}
    assert (suite.parameters.temperature, suite.policies.truncated) == (0, "zero")
    assert (first.id, first.expected, first.weight, first.tags) == ("007", "1.50", 2, ("a", "2"))
    assert (first.category, first.difficulty, first.group) == ("arithmetic", "easy", "g1")
    assert first.metadata == {"source": "me", "n": 1.5}
    assert (second.expected, second.scorer.id) == ("NO", "exact")
    assert suite.source.endswith("suite.yaml")


def test_the_same_suite_in_json_has_the_same_content(write):
    document = {
        "name": "x",
        "cases": [{"id": 1, "prompt": "a", "expected": 18, "weight": 1.5}],
    }
    in_json = load_suite(write("s.json", json.dumps(document)))
    in_yaml = load_suite(
        write("s.yaml", "name: x\ncases: [{id: 1, prompt: a, expected: 18, weight: 1.5}]")
    )
    assert in_json.content_hash == in_yaml.content_hash


@pytest.mark.parametrize("name", ["q.jsonl", "q.jsonl.gz", "q.csv", "q.csv.gz", "q.json"])
def test_cases_in_a_data_file_equal_inline_cases(write, name):
    inline = load_suite(
        write(
            "a.yaml", "name: x\ncases: [{id: a, prompt: p, expected: '1.50'}, {id: b, prompt: q}]"
        )
    )
    text = {
        "jsonl": '{"id": "a", "prompt": "p", "expected": 1.50}\n{"id": "b", "prompt": "q"}\n',
        "json": '[{"id": "a", "prompt": "p", "expected": 1.50},\n{"id": "b", "prompt": "q"}]',
        "csv": "id,prompt,expected\na,p,1.50\nb,q,\n",
    }[name.split(".")[1]].encode()
    write(f"data/{name}", gzip.compress(text) if name.endswith("gz") else text)
    suite = load_suite(write("b.yaml", f"name: x\ncases: {{file: data/{name}}}"))
    assert suite.content_hash == inline.content_hash
    assert list(suite) == list(inline)


def test_cases_with_mapping_and_defaults(write):
    write("q.jsonl", '{"key": 1, "turns": [{"content": "Hi"}], "gold": 3}\n')
    suite = load_suite(
        write(
            "s.yaml",
            "cases:\n  file: q.jsonl\n  fields: {id: 'q-{key}', prompt: turns.0.content, expected: gold}\n"
            "  defaults: {scorer: {id: numeric, tolerance: 0}, category: 7, tags: x, weight: 3}\n",
        )
    )
    (case,) = suite
    assert (case.id, case.prompt, case.expected) == ("q-1", "Hi", "3")
    assert (case.category, case.tags, case.weight) == ("7", ("x",), 3)
    assert case.scorer.parameters == {"tolerance": 0}
    assert suite.name == "s"


def test_a_data_file_alone_is_a_suite_named_for_it(write):
    path = write("sums.jsonl.gz", gzip.compress(b'{"k": 1, "q": "x"}\n'))
    suite = load_suite(
        path, fields=CaseFields(id="k", prompt="q"), defaults={"category": "c"}, profile="robust"
    )
    assert (suite.name, suite.profile) == ("sums", "robust")
    assert [(case.id, case.category) for case in suite] == [("1", "c")]


def test_defaults_given_in_python_are_checked_once(write):
    path = write("q.jsonl", '{"id": 1, "prompt": "x"}\n{"id": 2, "prompt": "x"}\n')
    suite = load_suite(path, defaults={"scorer": {"id": "exact"}, "category": 7, "tags": ["a", 1]})
    first, second = suite
    assert (first.category, first.tags) == ("7", ("a", "1"))
    assert first.scorer is second.scorer
    with pytest.raises(
        SpecError, match=r"q\.jsonl: unknown field 'wieght'\. Did you mean 'weight'"
    ):
        load_suite(path, defaults={"wieght": 1})


def test_a_profile_given_replaces_the_suites_own(write):
    path = write("s.yaml", SUITE)
    assert load_suite(path, profile="classic").profile == "classic"
    with pytest.raises(SpecError, match="unknown profile 'robst'"):
        load_suite(path, profile="robst")


def test_places_lead_back_to_the_file(write):
    path = write("s.yaml", SUITE)
    places = load_suite(path).places
    assert places.locate(("scorer", "tolerance")) == SourceLocation(str(path), 5, 34)
    assert places.locate(("cases", 1, "scorer")) == SourceLocation(str(path), 22, 13)
    write("q.jsonl", '\n{"id": 1, "prompt": "x"}\n')
    places = load_suite(write("t.yaml", "cases: {file: q.jsonl}")).places
    assert places.locate(("cases", 0, "scorer")) == SourceLocation(
        str(path.parent / "q.jsonl"), 2, 1
    )


def test_every_fault_comes_at_once(faults):
    assert faults(
        "suite.yaml",
        "nam: x\nprofile: clasic\ncases:\n"
        "  - {id: a, promt: x}\n  - {id: b, prompt: x}\n  - {id: b, prompt: y, weight: -1}\n"
        "  - {id: b, prompt: z}\n  - 5\n  - {id: c}\n",
    ) == [
        "suite.yaml:1:1: unknown field 'nam'. Did you mean 'name'?",
        "suite.yaml:2:10: unknown profile 'clasic'. Did you mean 'classic'? Choose classic or robust.",
        "suite.yaml:4:13: unknown field 'promt'. Did you mean 'prompt'?",
        "suite.yaml:6:10: duplicate id 'b'; first at suite.yaml:5:10. Give each case a unique id.",
        "suite.yaml:6:32: weight must be at least 0, not -1. A weight of 0 excludes a case.",
        "suite.yaml:7:10: duplicate id 'b'; first at suite.yaml:5:10. Give each case a unique id.",
        "suite.yaml:8:5: a case must be a mapping, not 5. Use a mapping with id, prompt and expected.",
        "suite.yaml:9:5: prompt is missing; add prompt or messages.",
    ]


def test_duplicate_ids_in_a_data_file_name_both_lines(write, faults):
    rows = [{"id": str(i % 7), "prompt": "x"} for i in range(9)]
    write("q.jsonl", "\n".join(map(json.dumps, rows)))
    assert faults("s.yaml", "cases: {file: q.jsonl}") == [
        "q.jsonl:8:8: duplicate id '0'; first at q.jsonl:1:8. Give each case a unique id.",
        "q.jsonl:9:8: duplicate id '1'; first at q.jsonl:2:8. Give each case a unique id.",
    ]


def test_more_than_the_limit_is_counted(faults):
    text = "cases:\n" + "  - {id: a}\n" * 300
    found = faults("s.yaml", text)
    assert found[0].endswith("199 more places have the same error.")
    assert found[-1] == "s.yaml: 399 more errors are not listed. Fix these first."


def test_cases_are_read_in_spite_of_faults(write):
    reading = read_suite(
        write("s.yaml", "nme: x\ncases:\n  - {id: a}\n  - {id: b, prompt: x, scorer: exat}\n")
    )
    assert len(reading.findings) == 2
    assert [case.id for case in reading.suite] == ["a", "b"]
    assert reading.suite.places.locate(("cases", 1, "scorer")).line == 4


@settings(
    max_examples=draws(20, 40),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "name",
                        "cases",
                        "file",
                        "fields",
                        "defaults",
                        "id",
                        "prompt",
                        "messages",
                        "scorer",
                        "role",
                        "content",
                        "tags",
                        "weight",
                        "parameters",
                        "policies",
                        "profile",
                        "expected",
                    ]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=20,
    )
)
def test_no_document_raises_anything_but_a_spec_error(tmp_path, value):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(value))
    try:
        list(load_suite(path, limits=Limits()))
    except SpecError as exc:
        assert exc.findings  # noqa: PT017  most texts raise nothing


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "fields", "number"),
    [
        ("zeroeval_gsm/gsm_questions.jsonl.gz", {"expected": "answer"}, 1319),
        ("zeroeval_crux/crux_questions.jsonl.gz", {"expected": "answer"}, 800),
        (
            "bbh_code_davinci_002/answers.jsonl.gz",
            {"id": "{task}-{mode}-{i}", "prompt": "question", "expected": "target"},
            4000,
        ),
        (
            "gsm8k_openai_solutions.jsonl.gz",
            {"id": "$line", "prompt": "question", "expected": "ground_truth"},
            1319,
        ),
        (
            "arena_hard_v01/questions.jsonl.gz",
            {"id": "question_id", "prompt": "turns.0.content", "group": "cluster"},
            500,
        ),
        ("HumanEval.jsonl.gz", {"id": "task_id", "expected": "canonical_solution"}, 164),
    ],
)
def test_real_questions_load(shared, file, fields, number):
    suite = load_suite(shared / "suites" / file, fields=CaseFields(**fields))
    assert sum(1 for _ in suite) == number


def test_faults_of_defaults_fields_and_rows_come_together(write, faults):
    rows = [
        {"k": "a", "q": "x", "gold": "1", "w": -1},
        {"k": "a", "q": "", "w": 1},
        {"q": "x", "gold": {"a": 1}, "w": "much"},
    ]
    write("q.jsonl", "\n".join(map(json.dumps, rows)))
    assert faults(
        "s.yaml",
        "profle: robust\ncases:\n  file: q.jsonl\n  colour: red\n"
        "  fields: {id: k, promt: q, expected: gold, weight: w, group: '{g'}\n"
        "  defaults: {id: x, tags: [''], dificulty: hard}\n",
    ) == [
        "q.jsonl:1:40: weight must be at least 0, not -1. A weight of 0 excludes a case.",
        "q.jsonl:2:1: missing field 'gold'. Fields there: k, q, w.",
        "q.jsonl:2:7: duplicate id 'a'; first at q.jsonl:1:7. Give each case a unique id.",
        "q.jsonl:3:1: missing field 'k'. Fields there: q, gold, w.",
        "q.jsonl:3:20: expected must be text, not a mapping.",
        "q.jsonl:3:35: weight must be a number, not 'much'. A weight of 0 excludes a case.",
        "s.yaml:1:1: unknown field 'profle'. Did you mean 'profile'?",
        "s.yaml:4:3: unknown field 'colour'. Known fields: file, sheet, hf, config, split, revision, fields, defaults.",
        "s.yaml:5:19: unknown field 'promt'. Did you mean 'prompt'?",
        "s.yaml:5:63: unbalanced braces in '{g'. Use {field} for a field, and {{ or }} for a literal brace.",
        "s.yaml:6:18: an id can't be a default. Set id on each case.",
        "s.yaml:6:28: tags[0] must not be empty.",
        "s.yaml:6:33: unknown field 'dificulty'. Did you mean 'difficulty'?",
    ]


@pytest.mark.parametrize("fields", ["fields: 5", "feilds: {id: k, prompt: q}"])
def test_without_the_mapping_nothing_is_said_of_the_fields_of_a_line(write, faults, fields):
    write("q.jsonl", '{"k": 1, "q": "x"}\n{"k": \n')
    found = faults("s.yaml", f"cases: {{file: q.jsonl, {fields}}}")
    assert [one.split(": ")[0] for one in found] == ["q.jsonl:2:6", found[1].split(": ")[0]]
    assert found[1].startswith("s.yaml:1:")


def test_two_questions_among_the_defaults_are_told_once(write, faults):
    write("q.jsonl", '{"id": 1}\n{"id": 2}\n')
    defaults = "{prompt: x, messages: [{role: user, content: y}]}"
    (found,) = faults("s.yaml", f"cases: {{file: q.jsonl, defaults: {defaults}}}")
    assert "both prompt and messages are given" in found


def test_a_default_that_was_refused_is_not_missing_in_each_line(write, faults):
    write("q.jsonl", '{"id": 1}\n{"id": 2, "prompt": "x", "weight": 0}\n')
    found = faults("s.yaml", "cases: {file: q.jsonl, defaults: {prompt: [], weight: -1}}")
    assert [one.split(": ")[0] for one in found] == ["s.yaml:1:43", "s.yaml:1:55"]


def test_cases_under_a_mistyped_key_are_not_missing_as_well(faults):
    (found,) = faults("s.yaml", "case: []\n")
    assert "Did you mean 'cases'?" in found


def test_weights_are_summed_in_spite_of_other_faults(faults):
    found = faults("s.yaml", "nme: x\ncases: [{id: a, prompt: x, weight: 0}]\n")
    assert "the weights of all cases add up to 0" in found[1]
    found = faults(
        "s.yaml", "cases: [{id: a, prompt: x, weight: 0}, {id: b, prompt: x, weight: []}]"
    )
    assert len(found) == 1


def test_half_a_character_for_an_id_is_told_in_words(faults):
    (found,) = faults("s.json", '{"cases": [{"id": "\\ud800", "prompt": "x"}]}')
    assert "id must be text without lone surrogates" in found


def test_a_header_scorer_that_can_not_be_kept_is_a_fault(faults):
    (found,) = faults(
        "s.json", '{"scorer": {"id": "x", "a": ["\\ud800"]}, "cases": [{"id": "a", "prompt": "x"}]}'
    )
    assert found.startswith("s.json:1:30: lone surrogate U+D800")
