"""The five configurations of promptfoo in the data folder, converted, give promptfoo's verdicts."""

import json

import pytest

from benchmaker.arenas.standard.conversion.converting import convert_file
from tests.arenas.conversion.converted import scored, suite_of, verdict_of

pytestmark = [pytest.mark.data, pytest.mark.long]


@pytest.fixture
def copied(shared, tmp_path):
    """A configuration with the files beside it, in a folder of its own."""

    def made(name, **files):
        source = shared / "incoming-t2" / "promptfoo" / name
        for one in source.parent.iterdir():
            if one.is_file():
                (tmp_path / one.name).write_bytes(one.read_bytes())
        for file, text in files.items():
            (tmp_path / file.replace("__", ".")).write_text(text)
        return tmp_path / source.name

    return made


def rows_of(path):
    return json.loads(path.read_text("utf-8"))["results"]["results"]


def theirs(rows):
    """Promptfoo's verdicts by variables, prompt and model; None for an error."""
    return {
        _key(row["vars"], row["prompt"]["label"], row["provider"]["label"]): None
        if row["failureReason"] == 2
        else row["success"]
        for row in rows
    }


def _key(variables, prompt, model):
    known = {name: str(it) for name, it in variables.items() if it not in ("", None)}
    return json.dumps(known, sort_keys=True), prompt, model


@pytest.mark.parametrize(
    ("name", "results", "labels"),
    [
        ("promptfooconfig.yaml", "results.json", {"plain": "Plain sentence", "json": "JSON"}),
        ("csv.yaml", "csv-results.json", {}),
    ],
)
def test_verdicts_on_the_answers_of_promptfoo(copied, tmp_path, name, results, labels):
    path = copied(name)
    suite, _ = suite_of(path)
    rows = rows_of(tmp_path / results)
    expected = theirs(rows)
    answers = {
        _key(row["vars"], row["prompt"]["label"], row["provider"]["label"]): row["response"]
        for row in rows
        if "output" in row.get("response", {})
    }
    texts = {one.id: labels.get(one.id, one.prompt) for one in suite.prompts}
    models = sorted({model for _, _, model in expected})
    lines, keys = [], []
    for case in suite:
        for prompt in suite.prompts:
            for model in models:
                key = _key(case.vars, texts[prompt.id], model)
                if key in answers:
                    keys.append((case.id, key))
                    lines.append({
                        "id": case.id, "model": model, "prompt_id": prompt.id,
                        "output": answers[key]["output"], "latency_s": 0.012, "cost_usd": 0.0001,
                    })  # fmt: skip
    assert len(keys) == len({it for _, it in keys}) == len(answers)
    found = {}
    for model in models:
        own = [it for it in lines if it["model"] == model]
        scores = scored(suite, own, tmp_path / f"home-{model}")
        asked = [it for it in keys if it[1][2] == model]
        for case in dict.fromkeys(it for it, _ in asked):
            names = [key for one, key in asked if one == case]
            found |= dict(zip(names, map(verdict_of, scores[case]), strict=False))
    assert found == {key: it for key, it in expected.items() if it is not None}


def test_a_schema_and_javascript_on_objects(copied, tmp_path):
    reviews = 'text,sentiment\n"Good, really",positive\nDull,negative\n'
    suite, made = suite_of(copied("examples/f-score.yaml", imdb_eval_sample__csv=reviews))
    answer = '{"sentiment": "positive", "confidence": 9, "reasoning": "r"}'
    rows = [{"id": it.id, "model": "m", "output": answer} for it in suite]
    scores = scored(suite, rows, tmp_path / "home")
    assert [verdict_of(it[0]) for it in scores.values()] == [True, False]
    assert [it[0].metrics["true_positives"] for it in scores.values()] == [1.0, 0.0]
    assert [it[0].metrics["false_positives"] for it in scores.values()] == [0.0, 1.0]
    assert [one.what for one in made.omissions] == [
        "derived metrics have no counterpart; calculate with the exported scores"
    ]


def test_transforms_and_conditions_on_objects(copied, tmp_path):
    suite, made = suite_of(copied("examples/json-output.yaml"))
    assert made.omissions == ()
    answers = {
        "test-1": '{"color": "yellow", "countries": ["Ecuador"]}',
        "test-2": '{"color": "purple", "countries": ["Brazil", "India"]}',
    }
    rows = [
        {"id": name, "model": f"{kind}", "output": text if kind == "right" else text[:-2]}
        for name, text in answers.items()
        for kind in ("right", "cut")
    ]
    scores = scored(suite, rows, tmp_path / "home", by_model=True)
    assert {key: verdict_of(it) for key, it in scores.items()} == {
        ("test-1", "right"): True,
        ("test-2", "right"): True,
        ("test-1", "cut"): False,
        ("test-2", "cut"): None,
    }


def test_prompts_and_variables_alone(copied):
    made = convert_file(copied("examples/simple-cli.yaml"))
    assert made.cases == 4
    assert made.omissions == ()
