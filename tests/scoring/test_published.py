"""Published accuracies, scored again from the recorded answers."""

import gzip
import json
import re
from collections import Counter

import pytest

from benchmaker.scoring.build import build
from benchmaker.spec import Case, ScorerSpec, profile
from benchmaker.testing import a_trial

pytestmark = pytest.mark.data

ROBUST = profile("robust")
ROW = re.compile(r"\|\s*(\S+)\s*\|\s*greedy\s*\|\s*([0-9.]+)\s*\|")


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def published(path):
    return {model: float(value) for model, value in ROW.findall(path.read_text(encoding="utf-8"))}


def strict(scorer, expected, reply):
    return scorer.score(Case(id="x", prompt="", expected=expected), a_trial(text=reply)).is_strict


def accuracies(scorer, questions, answers):
    gold = {line["id"]: line["answer"] for line in lines(questions)}
    right, total = Counter(), Counter()
    for line in lines(answers):
        total[line["model"]] += 1
        right[line["model"]] += strict(scorer, gold[line["id"]], line["output"])
    return {model: 100 * right[model] / total[model] for model in total}, set(total.values())


def test_gsm8k_of_14_models(shared):
    folder = shared / "suites" / "zeroeval_gsm"
    scorer = build(ScorerSpec(id="numeric"), ROBUST)
    got, sizes = accuracies(
        scorer, folder / "gsm_questions.jsonl.gz", folder / "gsm_answers.jsonl.gz"
    )
    want = published(folder / "gsm_published_summary.md")
    assert (len(got), sizes) == (14, {1319})
    above = {model: value - want[model] for model, value in got.items()}
    broken_json = above.pop("Phi-3.5-mini-instruct")
    assert max(map(abs, above.values())) <= 0.2
    assert 0 <= broken_json <= 2.4


@pytest.mark.parametrize("rules", ["answer_is", "auto"])
def test_the_labels_of_openais_5276_solutions(shared, rules):
    scorer = build(ScorerSpec(id="numeric", extract=rules, extract_expected=rules), ROBUST)
    agreed = Counter()
    for line in lines(shared / "suites" / "gsm8k_openai_solutions.jsonl.gz"):
        for given in (value for value in line.values() if isinstance(value, dict)):
            right = strict(scorer, line["ground_truth"], given["solution"])
            agreed[right == given["is_correct"]] += 1
    assert agreed == {True: 5276}


CRUX = ["outer_quotes", "escape_line_breaks"]


@pytest.fixture(scope="module")
def crux(shared):
    """The accuracies by a list of normalising steps, None for the default, and the published."""
    folder = shared / "suites" / "zeroeval_crux"
    want = published(folder / "crux_published_summary.md")

    def by(steps):
        given = {} if steps is None else {"normalise": steps}
        scorer = build(ScorerSpec(id="exact", extract="json", **given), ROBUST)
        return accuracies(
            scorer, folder / "crux_questions.jsonl.gz", folder / "crux_answers.jsonl.gz"
        )

    return by(CRUX), by(None), want


def test_crux_of_12_models(crux):
    (got, sizes), _, want = crux
    assert (len(got), sizes) == (12, {800})
    above = {model: value - want[model] for model, value in got.items()}
    assert abs(above.pop("Phi-3.5-mini-instruct")) <= 0.5
    assert max(map(abs, above.values())) <= 0.2


def test_the_default_list_would_flatter_crux(crux):
    (got, _), (flattered, _), _ = crux
    gains = [flattered[model] - value for model, value in got.items()]
    assert round(min(gains), 1) == 0.9
    assert round(max(gains), 1) == 6.5


def bbh(shared, scorer, only=None):
    right, total = Counter(), Counter()
    for line in lines(shared / "suites" / "bbh_code_davinci_002" / "answers.jsonl.gz"):
        key = f"{line['task']}|{line['mode']}"
        if only and key not in only:
            continue
        total[key] += 1
        right[key] += strict(scorer, line["target"], line["output"])
    return {key: 100 * right[key] / total[key] for key in total}


@pytest.fixture(scope="module")
def bbh_published(shared):
    path = shared / "suites" / "bbh_code_davinci_002" / "published_accuracy.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["accuracy"]
    return {key: row["accuracy"] for key, row in rows.items()}


def test_bbh_in_8_tasks_and_2_modes(shared, bbh_published):
    spec = ScorerSpec(id="exact", extract=["answer_is", "whole"], normalise=["final_stop"])
    got = bbh(shared, build(spec, ROBUST))
    assert len(got) == 16
    assert got == pytest.approx(bbh_published, abs=1e-9)


def test_the_final_verdict_gives_the_boolean_tasks_too(shared, bbh_published):
    scorer = build(ScorerSpec(id="boolean", verdict=True, extract=["answer_is"]), ROBUST)
    got = bbh(shared, scorer, only=("boolean_expressions|cot", "web_of_lies|cot"))
    assert got == pytest.approx({key: bbh_published[key] for key in got})
