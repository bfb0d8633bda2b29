"""Data sets of Inspect, goldens of DeepEval, the registry of OpenAI evals."""

import json

import pytest

from benchmaker.arenas.standard.conversion.converting import convert_file
from benchmaker.errors import SpecError
from tests.arenas.conversion.converted import scored, suite_of, verdict_of


def as_lines(rows):
    return "".join(f"{json.dumps(it)}\n" for it in rows)


def test_samples_of_inspect(tmp_path):
    path = tmp_path / "data.jsonl"
    rows = [
        {"id": "a", "input": "2 + 2?", "target": "4", "metadata": {"kind": "sum"}},
        {"input": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}],
         "target": ["Hello", "Hi"]},
        {"input": "Which?", "choices": ["Rome", "Oslo"], "target": "B"},
        {"input": "Which two?", "choices": ["Rome", "Oslo", "Lima"], "target": ["A", "C"]},
        {"input": "Look.", "target": "x", "sandbox": "docker"},
    ]  # fmt: skip
    path.write_text(as_lines(rows))
    suite, made = suite_of(path)
    first, second, third, fourth = suite.cases
    assert (first.id, first.prompt, first.expected) == ("a", "2 + 2?", "4")
    assert first.metadata == {"kind": "sum"}
    assert second.expectations == ("Hello", "Hi")
    assert [turn.role for turn in second.messages] == ["system", "user"]
    assert "A) Rome\nB) Oslo" in third.prompt
    assert third.scorer.id == "choice"
    assert fourth.checks[0].type == "no_verdict"
    assert [(one.line, one.what) for one in made.omissions] == [
        (4, "a target that is not one letter has no verdict"),
        (5, "the sample is left out: it needs a sandbox (sandbox)"),
    ]
    answers = {"a": "It is 4.", "3": "ANSWER: B", "4": "ANSWER: A, C"}
    lines = [{"id": it, "model": "m", "output": text} for it, text in answers.items()]
    scores = scored(suite, lines, tmp_path / "home")
    assert {name: verdict_of(it[0]) for name, it in scores.items() if name in answers} == {
        "a": True, "3": True, "4": None,
    }  # fmt: skip


def test_a_table_of_inspect(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text('input,target,choices\nWhich?,A,"Rome,Oslo"\n"Two\nlines",b,\n')
    suite, made = suite_of(path)
    assert suite.cases[0].choices == ("Rome", "Oslo")
    assert suite.cases[1].prompt == "Two\nlines"
    assert made.omissions == ()


def test_goldens_of_deepeval(tmp_path):
    path = tmp_path / "goldens.json"
    rows = [
        {"input": "Capital?", "expectedOutput": "Paris", "context": ["maps"], "name": "one"},
        {"input": "Why?", "actual_output": "Because."},
        {"scenario": "A visit", "turns": [], "expected_outcome": "none"},
    ]
    path.write_text(json.dumps(rows))
    suite, made = suite_of(path)
    assert [it.id for it in suite.cases] == ["one", "2"]
    assert suite.cases[0].expected == "Paris"
    assert suite.cases[1].checks[0].type == "no_verdict"
    assert len(made.omissions) == 1


REGISTRY = {
    "words": {"id": "words.s1", "metrics": ["accuracy"]},
    "words.s1": {"class": "evals.elsuite.basic.match:Match", "args": {"samples_jsonl": "s.jsonl"}},
    "parts.s1": {
        "class": "evals.elsuite.basic.includes:Includes",
        "args": {"samples_jsonl": "s.jsonl", "ignore_case": True},
    },
    "fuzzy.s1": {
        "class": "evals.elsuite.basic.fuzzy_match:FuzzyMatch",
        "args": {"samples_jsonl": "s.jsonl"},
    },
    "json.s1": {
        "class": "evals.elsuite.basic.json_match:JsonMatch",
        "args": {"samples_jsonl": "j.jsonl"},
    },
    "graded.s1": {"class": "evals.elsuite.modelgraded.classify:ModelBasedClassify"},
}


def test_entries_of_the_registry_of_openai_evals(tmp_path):
    path = tmp_path / "registry.yaml"
    path.write_text(json.dumps(REGISTRY))
    question = [{"role": "user", "content": "Where?"}]
    (tmp_path / "s.jsonl").write_text(as_lines([{"input": question, "ideal": ["Rome", "Roma"]}]))
    (tmp_path / "j.jsonl").write_text(as_lines([{"input": question, "ideal": '{"a": [1]}'}]))
    suite, made = suite_of(path)
    answers = [
        ("words.s1/0", "Roma, of course", True),
        ("words.s1/0", " Rome", False),
        ("parts.s1/0", "in ROME", True),
        ("fuzzy.s1/0", "It's the  rome!", True),
        ("json.s1/0", '{"a":[1]}', True),
        ("json.s1/0", '{"a":[2]}', False),
    ]
    rows = [
        {"id": case, "model": f"m{number}", "output": text}
        for number, (case, text, _) in enumerate(answers)
    ]
    scores = scored(suite, rows, tmp_path / "home", by_model=True)
    found = [(*it[:2], scores[it[0], f"m{number}"]) for number, it in enumerate(answers)]
    assert [(*it[:2], verdict_of(it[2])) for it in found] == answers
    assert [one.what.partition(":")[0] for one in made.omissions] == [
        "an answer that is only a part of the ideal text is wrong here",
        "graded.s1 is left out",
    ]


@pytest.mark.parametrize("samples", ["/etc/passwd", "../s.jsonl", "none.jsonl"])
def test_samples_elsewhere_are_not_read(tmp_path, samples):
    path = tmp_path / "registry.yaml"
    entry = {**REGISTRY["words.s1"], "args": {"samples_jsonl": samples}}
    path.write_text(json.dumps({"a.s1": entry}))
    with pytest.raises(SpecError, match="can be carried over"):
        convert_file(path)
