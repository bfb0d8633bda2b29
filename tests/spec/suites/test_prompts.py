"""Models, efforts, variables and prompts of a suite."""

import json
import pickle

import pytest

from benchmaker import Case, ScorerSpec, Suite
from benchmaker.errors import SpecError
from benchmaker.scoring.check import check_suite, load_checked
from benchmaker.spec.suites.rendering import case_with_prompt, conversation
from benchmaker.web.suites.export import as_yaml

SUITE = """\
name: matrix
models: [openai/a, {model: openai/a, label: hot, parameters: {temperature: 1.5}}]
efforts: [low, high]
vars: {unit: km}
system_prompt: "Use {{ unit }}."
prompts:
  - {id: plain, prompt: "P {{ place }}"}
  - {id: ruled, prompt: "R {{ place }}", system_prompt: "Be {{tone}}.", parameters: {max_tokens: 7}}
  - {id: chat, messages: [{role: user, content: "C {{ expected }}"}]}
  - {id: few, prompt: "Q", few_shot: {file: shots.jsonl, n: 2, seed: 5,
    user: "{{q}}", assistant: "{{a}}"}}
  - file: "p/*.md"
  - "bare {{ place }}"
scorer: exact
cases:
  - {id: a, vars: {place: [Rome, Oslo], tone: [calm, loud]}, expected: "{{ place }}", weight: 2}
  - {id: b, vars: {place: X, tone: t}, expected: 3, group: g}
"""


TWICE = """\
models: [{model: a/b, label: m · p}, {model: a/b, label: m}]
prompts: [{id: q, prompt: Q}, {id: p · q, prompt: Q}]"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "suite.yaml").write_text(SUITE)
    shots = [json.dumps({"q": f"q{i}", "a": i}) for i in range(4)]
    (tmp_path / "shots.jsonl").write_text("\n".join(shots))
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "one.md").write_text("one {{ place }}\n")
    (tmp_path / "p" / "two.md").write_text("two {{ place }}\n")
    return tmp_path


def said(turns):
    return [(turn.role, turn.content) for turn in turns]


def faults_of(folder, text):
    (folder / "suite.yaml").write_text(text)
    with pytest.raises(SpecError) as caught:
        load_checked(folder / "suite.yaml")
    return [(it.line, it.column, f"{it.message} {it.hint}") for it in caught.value.findings]


def test_lists_of_variables_make_cases_of_one_group_and_one_weight(folder):
    suite = load_checked(folder / "suite.yaml")
    found = [(case.id, case.group, case.weight, case.expected) for case in suite.cases]
    assert found == [
        ("a/1", "a", 0.5, "Rome"),
        ("a/2", "a", 0.5, "Rome"),
        ("a/3", "a", 0.5, "Oslo"),
        ("a/4", "a", 0.5, "Oslo"),
        ("b", "g", 1.0, "3"),
    ]
    assert suite.cases[1].vars == {"place": "Rome", "tone": "loud"}


def test_each_prompt_has_its_conversation(folder):
    suite = load_checked(folder / "suite.yaml")
    case = suite.cases[0]
    assert [one.id for one in suite.prompts] == [
        "plain", "ruled", "chat", "few", "one", "two", "prompt-6",
    ]  # fmt: skip
    system = ("system", "Use km.")
    assert said(conversation(suite, case, "plain")) == [system, ("user", "P Rome")]
    assert said(conversation(suite, case, "ruled")) == [("system", "Be calm."), ("user", "R Rome")]
    assert said(conversation(suite, case, "chat")) == [system, ("user", "C Rome")]
    assert said(conversation(suite, case, "two")) == [system, ("user", "two Rome")]
    few = said(conversation(suite, case, "few"))
    assert [role for role, _ in few] == ["system", *("user", "assistant") * 2, "user"]
    assert all(
        user[1] == f"q{answer[1]}" for user, answer in zip(few[1:5:2], few[2:5:2], strict=True)
    )
    assert said(case_with_prompt(suite, case, "plain").messages) == [system, ("user", "P Rome")]


def test_examples_are_chosen_by_seed(folder):
    def examples():
        return load_checked(folder / "suite.yaml").prompt("few").few_shot.examples

    first = examples()
    assert examples() == first
    seeds = set()
    for seed in range(8):
        (folder / "suite.yaml").write_text(SUITE.replace("seed: 5", f"seed: {seed}"))
        seeds.add(examples())
    assert len(seeds) > 1


def test_a_suite_is_the_same_after_every_way_of_keeping_it(folder):
    suite = load_checked(folder / "suite.yaml")
    (folder / "again.yaml").write_text(as_yaml(suite))
    assert load_checked(folder / "again.yaml").content_hash == suite.content_hash
    assert Suite.of_header(suite.header(), suite.cases).content_hash == suite.content_hash
    sent = pickle.dumps(suite.without_cases())
    assert pickle.loads(sent).prompts == suite.prompts  # noqa: S301  made here


def test_the_content_of_files_is_part_of_the_hash(folder):
    before = load_checked(folder / "suite.yaml").content_hash
    (folder / "p" / "one.md").write_text("another {{ place }}")
    assert load_checked(folder / "suite.yaml").content_hash != before


def test_cases_of_a_data_file_are_expanded_too(folder):
    text = SUITE[: SUITE.index("cases:")] + "cases: {file: rows.jsonl}\n"
    rows = [
        {"id": "a", "expected": "e", "vars": {"place": ["Rome", "Oslo"], "tone": "t"}},
        {"id": "b", "expected": "e", "vars": {"place": "X", "tone": "t"}},
    ]
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "suite.yaml").write_text(text)
    suite = load_checked(folder / "suite.yaml")
    for _ in range(2):
        assert [case.id for case in suite.cases] == ["a/1", "a/2", "b"]
        suite.cases.release()
    assert len(suite.cases) == 3


def test_a_suite_without_variables_keeps_its_braces_and_its_hash():
    case = {"id": "a", "prompt": "{{ x }}", "expected": "{% if %}"}
    suite = Suite("s", [case], scorer=ScorerSpec(id="exact"))
    assert suite.cases[0].prompt == "{{ x }}"
    assert "vars" not in suite.cases[0].model_dump()
    assert not {"vars", "models", "prompts", "efforts"} & suite.header().keys()
    assert check_suite(suite) == []


def test_undefined_variables_are_reported_with_their_places_all_at_once(folder):
    text = SUITE.replace("P {{ place }}", "P {{ plase }} {{ nothing }}").replace(
        'expected: "{{ place }}"', 'expected: "{{ plac }}"'
    )
    found = faults_of(folder, text)
    assert sorted((line, column) for line, column, _ in found) == [(7, 25), (7, 25), (16, 72)]
    assert {words.partition(" Known")[0] for _, _, words in found} == {
        "undefined variable 'plase' in case 'b'. Did you mean 'place'?",
        "undefined variable 'nothing' in case 'b'.",
        "undefined variable 'plac'. Did you mean 'place'?",
    }


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("prompts: [{id: a, promt: x}]", "unknown field 'promt'. Did you mean 'prompt'?"),
        ("prompts: [{id: a, prompt: x, file: y}]", "exactly one of prompt, messages and file"),
        ("prompts: [{id: a, prompt: x}, {id: a, prompt: y}]", "'a' is given twice"),
        ("prompts: [{file: ../x.md}]", "outside the folder of the suite"),
        ("prompts: [{file: /etc/passwd}]", "is an absolute path"),
        ("prompts: [{id: a, prompt: x, few_shot: {file: ../s.jsonl}}]", "outside the folder"),
        ("prompts: [{id: a, prompt: x, few_shot: {n: 2}}]", "give a file with examples"),
        ("prompts: [{file: '../*.md'}]", "the folder of the suite"),
        ("prompts: [{file: 'none/*.md'}]", "no file matches 'none/*.md'"),
        ("prompts: [{id: a, prompt: '{{ x'}]", "the template has a syntax error"),
        ("prompts: [{id: a, prompt: x, parameters: {temprature: 1}}]", "mean 'temperature'?"),
        ("models: [{model: a/b, parameters: {top_p: 7}}]", "parameters.top_p must be at most 1"),
        ("models: [a/b, a/b]", "'a/b' is given twice"),
        ("efforts: [lots]", "must be 'none', 'minimal', 'low', 'medium', 'high' or 'xhigh'"),
        ("vars: {x: [[1]]}", "a list in a list"),
        ("vars: {x: []}", "an empty list"),
        ("prompts: [' ']", "the prompt is empty"),
        (TWICE, "two setups are named 'm · p · q'"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line(tmp_path, line, words):
    text = f"name: s\n{line}\nscorer: exact\ncases: [{{id: a, prompt: p, expected: e}}]\n"
    found = faults_of(tmp_path, text)
    assert any(at == 2 and words in message for at, _, message in found), found


def test_a_case_needs_a_question_where_the_suite_has_no_prompts(tmp_path):
    text = "name: s\nscorer: exact\ncases:\n- {id: a, vars: {x: 1}, expected: e}\n"
    assert faults_of(tmp_path, text) == [(4, 3, "prompt is missing; add prompt or messages. ")]


def test_a_fault_in_a_file_has_its_place_there(folder):
    (folder / "p" / "one.md").write_text("one {{ place }}\nand {{ palce }}")
    with pytest.raises(SpecError) as caught:
        load_checked(folder / "suite.yaml")
    (found,) = caught.value.findings
    assert (found.file, found.line, found.column) == (str(folder / "p" / "one.md"), 2, 8)
    assert found.message == "undefined variable 'palce' in case 'a/1'."


def test_variables_of_a_reader_are_not_applied():
    class Reader:
        def __iter__(self):
            yield Case(id="a", prompt="{{ x }}", expected="1", vars={"x": 1})

    (found,) = check_suite(Suite("s", Reader(), scorer=ScorerSpec(id="exact")))
    assert "the variables are not applied" in found.message


def test_prompts_from_python():
    suite = Suite(
        "s",
        [Case(id="a", vars={"x": [1, 2]}), {"id": "b", "prompt": "own"}],
        prompts=["{{ x | default(prompt) }}?"],
        models=["openai/a", {"model": "openai/b", "label": "b"}],
        efforts="low",
        scorer="exact",
    )
    assert [case.id for case in suite.cases] == ["a/1", "a/2", "b"]
    asked = [conversation(suite, case, "prompt-1")[0].content for case in suite.cases]
    assert asked == ["1?", "2?", "own?"]
    assert [one.name for one in suite.models] == ["openai/a", "b"]
    assert suite.efforts == ("low",)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"prompts": [{"file": "a.md"}]}, "is not read here"),
        ({"cases": [Case(id="a", prompt="{{ y }}", vars={"x": 1})]}, "undefined variable 'y'"),
        ({"efforts": ["lots"]}, "efforts"),
    ],
)
def test_faults_of_a_suite_from_python(given, words):
    with pytest.raises(SpecError, match=words):
        Suite(**{"name": "s", "cases": [{"id": "a", "prompt": "p"}], **given})


def test_an_unknown_prompt_is_named_with_the_nearest():
    suite = Suite("s", [{"id": "a"}], prompts=[{"id": "plain", "prompt": "p"}])
    with pytest.raises(SpecError, match="plain"):
        suite.prompt("plane")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("one.md", "\n", "the prompt is empty."),
        ("one.json", '{"messages": []}', "the conversation is empty."),
        ("one.yaml", "- {role: usr, content: x}", "not a conversation."),
    ],
)
def test_a_fault_of_a_prompt_file_stands_alone(tmp_path, name, content, words):
    (tmp_path / name).write_text(content)
    text = f"name: s\nprompts: [{{file: {name}}}]\nscorer: exact\ncases: [{{id: a, expected: e}}]\n"
    (tmp_path / "suite.yaml").write_text(text)
    with pytest.raises(SpecError) as caught:
        load_checked(tmp_path / "suite.yaml")
    (found,) = caught.value.findings
    assert (found.file, found.message) == (str(tmp_path / name), words)


def test_a_missing_prompt_file_is_the_only_fault(tmp_path):
    text = "name: s\nprompts: [{file: none.md}]\nscorer: exact\ncases: [{id: a, expected: e}]\n"
    assert [line for line, _, _ in faults_of(tmp_path, text)] == [2]


def test_a_prompt_file_is_the_same_with_the_line_ends_of_windows(folder):
    (folder / "p" / "one.md").write_bytes(b"one\n{{ place }}\n")
    plain = load_checked(folder / "suite.yaml")
    (folder / "p" / "one.md").write_bytes(b"\xef\xbb\xbfone\r\n{{ place }}\r\n")
    assert load_checked(folder / "suite.yaml").content_hash == plain.content_hash
    assert plain.prompt("one").prompt == "one\n{{ place }}"


def test_the_lists_of_all_cases_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmaker.spec.suites.load.MOST_EXPANSIONS", 30)
    cases = "".join(
        f"- {{id: c{i}, vars: {{x: {list(range(8))}}}, expected: e}}\n" for i in range(9)
    )
    text = f"name: s\nprompts: 'p {{{{ x }}}}'\nscorer: exact\ncases:\n{cases}"
    assert faults_of(tmp_path, text) == [
        (9, 3, "the lists make more than 30 cases. Shorten them, or use a data file.")
    ]
