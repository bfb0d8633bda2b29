"""Tasks of lm-evaluation-harness: what is refused, what is named, and groups."""

import json

import pytest

from benchmaker.arenas.standard.conversion.converting import convert_file
from benchmaker.errors import SpecError
from tests.arenas.conversion.converted import scored, suite_of, verdict_of

TASK = {
    "task": "sums",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": "sums.jsonl"}},
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "{{q}}",
    "doc_to_target": "{{a}}",
}


@pytest.fixture
def write(tmp_path):
    """Write a task with two documents; ``lines`` are added to its file."""
    (tmp_path / "sums.jsonl").write_text('{"q": "1 + 1?", "a": 2}\n{"q": "1 + 2?", "a": 3}\n')

    def written(name="sums", lines=(), **values):
        path = tmp_path / f"{name}.yaml"
        own = {**TASK, "task": name, **values}
        text = "".join(f"{key}: {json.dumps(it)}\n" for key, it in own.items())
        path.write_text(text + "".join(f"{it}\n" for it in lines))
        return path

    return written


def test_a_python_function_of_documents_is_refused_by_name(write):
    path = write(lines=["process_docs: !function utils.clean"])
    with pytest.raises(SpecError, match=r"process_docs: utils\.clean"):
        convert_file(path)


def test_a_python_function_of_results_leaves_every_case_unscored(write, tmp_path):
    suite, made = suite_of(write(lines=["process_results: !function utils.grade"]))
    rows = [{"id": it.id, "model": "m", "output": "2"} for it in suite]
    scores = scored(suite, rows, tmp_path / "home")
    assert [verdict_of(it[0]) for it in scores.values()] == [None, None]
    (omission,) = made.omissions
    assert omission.text == "process_results: !function utils.grade"
    assert omission.line == 8


def test_metrics_and_filters_without_a_counterpart_are_named(write):
    suite, made = suite_of(
        write(
            metric_list=[
                {"metric": "exact_match", "aggregation": "mean"},
                {"metric": "bleu"},
                {"metric": "ter"},
            ],
            filter_list=[
                {"name": "plain", "filter": [{"function": "take_first"}]},
                {"name": "spans", "filter": [{"function": "format_span"}]},
            ],
            repeats=4,
        )
    )
    checks = suite.checks
    assert [one.weight for one in checks] == [1.0, *[0] * 5]
    assert checks[0].metric == "exact_match,plain"
    assert [one.what for one in made.omissions] == [
        "repeat the suite when you run it: --runs",
        "the filter spans: the filter function format_span has no counterpart",
        "bleu is computed for each answer, not over all of them together",
        "no check is similar to the metric ter",
    ]


def test_parameters_of_generation(write):
    options = {"until": ["\n", "</s>"], "do_sample": False, "max_gen_toks": 9, "top_p": 0.5}
    suite, made = suite_of(write(generation_kwargs=options))
    assert suite.parameters.stop == ("\n", "</s>")
    assert (suite.parameters.temperature, suite.parameters.max_tokens) == (0, 9)
    assert suite.parameters.top_p == 0.5
    assert made.omissions == ()


def test_a_group_holds_the_cases_of_its_tasks(write, tmp_path):
    write("one")
    write("two", doc_to_text="Again: {{q}}")
    path = tmp_path / "both.yaml"
    path.write_text("group: both\ntask: [one, two]\naggregate_metric_list: [{metric: acc}]\n")
    suite, _ = suite_of(path)
    assert [it.id for it in suite.cases] == ["one/0", "one/1", "two/0", "two/1"]
    assert {it.category for it in suite.cases} == {"one", "two"}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"dataset_path": "openai/gsm8k", "dataset_kwargs": None}, "no data file of the split"),
        ({"dataset_kwargs": {"data_files": {"test": "../../etc/hosts"}}}, "not in the folder"),
        ({"output_type": "loglikelihood_rolling"}, "have no counterpart"),
        ({"doc_to_text": "{{missing}}"}, "the template of doc_to_text fails"),
        ({"doc_to_text": "{{ ''.__class__.__mro__ }}"}, "fails: SecurityError"),
        ({"num_fewshot": 3, "fewshot_split": "test"}, "examples are needed"),
        ({"include": "sums.yaml"}, "includes itself"),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_carried_over_is_refused(write, values, message):
    path = write(**values)
    with pytest.raises(SpecError, match=message):
        convert_file(path)


@pytest.mark.long
def test_a_template_without_end_is_refused(write):
    loops = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(SpecError, match="can't be rendered"):
        convert_file(write(doc_to_text=loops))
