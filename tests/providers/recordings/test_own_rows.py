"""A run's export as JSON Lines, CSV or Parquet, scored again without a mapping."""

import csv
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker import Case, RunOptions, ScorerSpec, Suite, export, run
from benchmaker.errors import (
    BadResponse,
    ContextOverflow,
    ProviderError,
    RateLimited,
    Refused,
    SpecError,
    Timeout,
)
from benchmaker.providers.recordings.own_rows import answer_row
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, FinishReason, Outcome, TokenLogprob, Usage
from benchmaker.report.formats.jsonl import write_jsonl
from benchmaker.spec.documents.rows import DataRow
from scripts.reference.outcomes import FLAGS

SUMS = Suite(
    "sums",
    tuple(Case(id=f"c{n}", prompt=f"{n} + 1?", expected=str(n + 1)) for n in range(4)),
    scorer=ScorerSpec(id="exact"),
)


def replied(request):
    if request.case_id == "c3":
        return ProviderError("out of order", status=500)
    if request.case_id == "c2":
        return Completion(text="", finish=FinishReason.FILTER)
    usage = Usage(input_tokens=10, output_tokens=2)
    return Completion(text=str(request.run), usage=usage, cost_usd=0.01, latency_s=0.5)


@pytest.fixture
def exported(tmp_path):
    """A series of two runs of two models, and its export."""
    made = run(
        SUMS,
        provider=Scripted(replied, models=("a", "b")),
        home=tmp_path / "1",
        options=RunOptions(runs=2, retries=0),
    )
    stream = io.StringIO()
    write_jsonl(made.trials(), stream)
    path = tmp_path / "export.jsonl"
    path.write_text(stream.getvalue(), encoding="utf-8")
    return made, path


def facts(result):
    return [
        (
            it.model, it.case_id, it.outcome, it.text, it.score and it.score.score,
            it.error_type, it.error,
        )
        for it in result.trials()
    ]  # fmt: skip


def figures(result):
    return {
        it.model: (it.mean, it.ci95, it.n_scored, it.n_trials, dict(it.outcomes))
        for it in result.summary.models
    }


def read_back(made, folder, ending="jsonl"):
    """A run over the export of another."""
    path = export(made, Path(folder) / f"export.{ending}")
    return run(SUMS, recorded=path, home=f"{folder}/2{ending}")


ENDS = [
    "1", "2", "wrong", "", Timeout("after 60 s", is_retryable=False), ProviderError("HTTP 500"),
    RateLimited("slow down", is_retryable=False), BadResponse("no JSON", is_retryable=False),
    Refused("not for me"), ContextOverflow("too long"),
    Completion(text="", finish=FinishReason.FILTER),
    Completion(text="1", finish=FinishReason.LENGTH),
    Completion(text="", finish=FinishReason.REFUSAL),
]  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(ENDS), min_size=16, max_size=16), st.integers(1, 2))
def test_an_export_has_the_same_figures_and_outcomes_when_read_back(ends, runs):
    def reply(request):
        return ends[int(request.case_id[1:]) + 4 * (request.model == "b") + 8 * (request.run - 1)]

    with TemporaryDirectory() as folder:
        provider = Scripted(reply, models=("a", "b"))
        made = run(
            SUMS, provider=provider, home=f"{folder}/1", options=RunOptions(runs=runs, retries=0)
        )
        for ending in ("jsonl", "csv", "parquet"):
            again = read_back(made, folder, ending)
            assert facts(again) == facts(made)
            assert figures(again) == figures(made)


CELLS = ["=1+1", "'=1+1", "-3", "- 3", "+4", "@x", "1, 2", 'say "1"', "a\nb", " 1 ", "'", "007"]


def test_answers_that_a_spreadsheet_would_change_are_read_back_as_they_were(tmp_path):
    cases = tuple(Case(id=f"c{n}", prompt="?", expected="1") for n in range(len(CELLS)))
    suite = Suite("cells", cases, scorer=ScorerSpec(id="exact"))
    answers = {("=m", f"c{n}"): Completion(text=text) for n, text in enumerate(CELLS)}
    made = run(suite, provider=Scripted(answers), models=["=m"], home=tmp_path / "1")
    again = run(suite, recorded=export(made, tmp_path / "rows.csv"), home=tmp_path / "2")
    assert facts(again) == facts(made)
    assert again.models == ("=m",)


def test_a_csv_export_has_tokens_cost_and_latency_when_read_back(exported, tmp_path):
    made, _ = exported
    again = read_back(made, tmp_path, "csv")
    known = [
        [(it.tokens, it.cost_usd, it.latency_s) for it in one.trials() if it.text]
        for one in (made, again)
    ]
    assert known[0] == known[1] == [((10, 2), 0.01, 0.5)] * 8


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_an_export_without_some_of_its_columns_names_them(exported, tmp_path, ending):
    made, _ = exported
    path = export(made, tmp_path / f"rows.{ending}")
    path.write_text(path.read_text().replace("outcome", "result").replace("output", "reply"))
    with pytest.raises(SpecError) as error:
        run(SUMS, recorded=path, home=tmp_path / "2")
    said = "looks like one of an export of a run, but lacks columns: outcome, output."
    assert said in str(error.value)


def test_an_export_is_read_back_without_options(exported, tmp_path):
    made, path = exported
    again = run(SUMS, recorded=path, home=tmp_path / "2")
    assert len(again.run_ids) == 2
    assert facts(again) == facts(made)
    assert again.mean("a") == made.mean("a")
    (model, _) = again.summary.models
    assert model.cost_usd_at_least == pytest.approx(0.04)
    assert Outcome.FILTERED in {it.outcome for it in again.trials()}


def test_rows_have_the_group_of_the_case_and_the_number_of_the_run(tmp_path):
    grouped = Suite(
        "grouped",
        tuple(Case(id=f"c{n}", prompt="?", expected="1", group=f"g{n // 2}") for n in range(4)),
        scorer=ScorerSpec(id="exact"),
    )
    made = run(
        grouped,
        provider=Scripted(replied, models=("a",)),
        home=tmp_path / "1",
        options=RunOptions(runs=2),
    )
    for ending in ("jsonl", "csv"):
        path = export(made, tmp_path / f"rows.{ending}")
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file) if ending == "csv" else map(json.loads, file))
        assert [row["group"] for row in rows] == ["g0", "g0", "g1", "g1"] * 2
        assert [str(row["run"]) for row in rows] == ["1"] * 4 + ["2"] * 4


def test_the_number_of_the_run_is_kept_whatever_the_order_of_the_rows(tmp_path):
    made = run(
        SUMS,
        provider=Scripted(replied, models=("a", "b")),
        home=tmp_path / "1",
        options=RunOptions(runs=2, retries=0),
    )
    path = export(made, tmp_path / "rows.jsonl")
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    again = run(SUMS, recorded=path, home=tmp_path / "2")
    assert sorted(facts(again), key=str) == sorted(facts(made), key=str)
    assert [one.provider["run_labels"] for one in again.runs] == [["1", "2"]] * 2
    assert {it.text for it in again.trials() if it.run_id == again.run_ids[1]} >= {"2"}


def test_exports_of_several_series_in_one_file_stay_apart(tmp_path):
    texts = []
    for number in (1, 2):
        home = tmp_path / f"{number}"
        made = run(
            SUMS,
            provider=Scripted(replied, models=("a",)),
            home=home,
            options=RunOptions(retries=0),
        )
        texts.append(export(made, home / "rows.jsonl").read_text())
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(texts))
    assert len(run(SUMS, recorded=path, home=tmp_path / "3").run_ids) == 2


def test_a_prompt_over_the_context_is_counted_as_the_models_doing_again(tmp_path):
    def long_for_a(request):
        return ContextOverflow("too long", status=400) if request.model == "a" else "1"

    made = run(SUMS, provider=Scripted(long_for_a, models=("a", "b")), home=tmp_path / "1")
    path = tmp_path / "export.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        write_jsonl(made.trials(), stream)
    again = run(SUMS, recorded=path, home=tmp_path / "2")
    assert made.summary.models[-1].outcomes["context_overflow"] == 4
    assert facts(again) == facts(made)
    counts = {one.model: (one.mean, dict(one.outcomes)) for one in again.summary.models}
    assert counts == {one.model: (one.mean, dict(one.outcomes)) for one in made.summary.models}


def test_a_mapping_of_ones_own_goes_before(exported, tmp_path):
    _, path = exported
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    one_run = [it for it in lines if it["run_id"] == lines[0]["run_id"] and it["output"]]
    path.write_text("\n".join(map(json.dumps, one_run)), encoding="utf-8")
    fields = {"id": "case_id", "output": "category"}
    again = run(SUMS, recorded=path, fields=fields, home=tmp_path / "2")
    assert {it.text for it in again.trials()} == {""}


def test_log_probabilities_are_exported_and_read_back(tmp_path):
    case = Case(id="c", prompt="?", choices=("Paris", "Rome"), expected="B")
    suite = Suite("capitals", [case], scorer=ScorerSpec(id="choice", by="likelihood"))
    tokens = (TokenLogprob("A", -1.0, (("B", -0.5), ("A", -1.0), ("\ud800", -4.0))),)
    told = Completion(text="A", logprobs=tokens)
    provider = Scripted({("m", "c"): told})
    made = run(suite, provider=provider, home=tmp_path / "1")
    path = tmp_path / "export.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        write_jsonl(made.trials(), stream)
    again = run(suite, recorded=path, home=tmp_path / "2")
    (first,), (second,) = list(made.trials()), list(again.trials())
    assert first.completion.logprobs == tokens
    assert second.completion.logprobs[0].alternatives[:2] == tokens[0].alternatives[:2]
    assert (first.score.score, second.score.score) == (1.0, 1.0)


def test_recorded_log_probabilities_are_read_as_in_replies(tmp_path):
    top = [{"token": " B", "logprob": -0.2, "bytes": [32, 66]}, {"token": "A", "logprob": -2.0}]
    first = {"token": "A", "logprob": -2.0, "top_logprobs": top}
    line = {"id": "c", "model": "m", "output": "A", "lp": {"content": [first]}}
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(line), encoding="utf-8")
    case = Case(id="c", prompt="?", choices=("Paris", "Rome"), expected="B")
    suite = Suite("capitals", [case], scorer=ScorerSpec(id="choice", by="likelihood"))
    made = run(suite, recorded=path, fields={"logprobs": "lp"}, home=tmp_path)
    (trial,) = made.trials()
    assert (trial.score.score, trial.score.flags) == (1.0, ("by_likelihood",))


LABELLED = Suite(
    "labelled",
    [{"id": "c/1", "vars": {"x": [1, 2]}, "expected": "{{ x }}"}],
    scorer="exact",
    models=["org/m", {"model": "org/m", "label": "hot · 1", "parameters": {"temperature": 1.5}}],
    prompts=[{"id": "p", "prompt": "{{ x }}?"}, {"id": "q · r", "prompt": "{{ x }}"}],
)
LABELS_ONLY = Suite(
    "labels",
    [{"id": "c", "prompt": "1?", "expected": "1"}],
    scorer="exact",
    models=["org/m", {"model": "org/m", "label": "hot"}],
)


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
@pytest.mark.parametrize("suite", [LABELLED, LABELS_ONLY], ids=lambda suite: suite.name)
def test_two_labels_of_one_model_stay_two(tmp_path, suite, ending):
    made = run(suite, provider=lambda asked: asked.model[0], home=tmp_path / "1")
    path = export(made, tmp_path / f"export.{ending}")
    again = run(suite, recorded=path, home=tmp_path / "2")
    assert facts(again) == facts(made)
    known = [[(it.name, it.model, it.label) for it in one.runs[0].setups] for one in (made, again)]
    assert known[0] == known[1]
    chosen = run(suite, recorded=path, models=[suite.models[1].label], home=tmp_path / "3")
    assert {chosen.runs[0].setup(name).model_label for name in chosen.models} == {
        suite.models[1].label
    }
    assert chosen.models == tuple(it for it in made.models if it.startswith("hot"))
    everything = run(suite, recorded=path, models=["org/m"], home=tmp_path / "4")
    assert everything.models == made.models


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_flags_of_answers_are_kept_and_a_reused_answer_costs_nothing_again(tmp_path, ending):
    def reused(request):
        flags = (("cache_hit", "unsent_seed"), ("no_finish",), (), ())[int(request.case_id[1])]
        return Completion(text="1", cost_usd=0.01, flags=flags)

    made = run(SUMS, provider=Scripted(reused, models=("a",)), home=tmp_path / "1")
    assert made.summary.models[0].cost_usd == pytest.approx(0.03)
    again = read_back(made, tmp_path, ending)
    assert [it.completion.flags for it in again.trials()] == [
        it.completion.flags for it in made.trials()
    ]
    assert again.summary.models[0].cost_usd == pytest.approx(0.03)
    assert [it.cost_usd for it in again.trials()] == [0.01] * 4


def test_every_documented_flag_of_an_answer_is_kept():
    row = {"run_id": "r", "run": 1, "model": "m", "case_id": "a", "outcome": "scored",
           "score_version": 1, "output": "x", "flags": list(FLAGS)}  # fmt: skip
    kept = answer_row(DataRow(1, row, "{}"), {}).values["answer_flags"]
    of_answers = ("On an answer", "On tokens")
    assert set(kept) == {
        name for name, words in FLAGS.items() if any(it in words for it in of_answers)
    }


TOOLS = {
    "name": "sums",
    "profile": "robust",
    "tools": [{"name": "add", "reply": 5}, {"name": "look", "reply": {"x": [1]}}],
    "cases": [
        {
            "id": f"c{number}",
            "prompt": "2 + 3?",
            "tools": ["add", "look"],
            "max_steps": 2,
            "checks": [
                {"type": "contains", "value": "5", "metric": "text"},
                {"type": "tool_called", "value": "add", "times": 1, "metric": "call"},
                {"type": "steps", "max": 1, "metric": "steps"},
            ],
        }
        for number in range(6)
    ],
}
CALLS = [
    {"name": "add", "arguments": {"a": 2, "b": 3}},
    {"name": "add", "arguments": '{"a": 2, "b'},
    {"name": "add", "arguments": "[2, 3]"},
    {"name": "look", "arguments": {"q": 'é, "x"\n\x00=1'}},
]
listed_calls = st.lists(st.sampled_from(CALLS), max_size=2)


@st.composite
def tool_answers(draw):
    """A recorded answer with calls, with messages, with both, or with neither."""
    text = draw(st.sampled_from(["5", "", "no"]))
    answer = {"output": text}
    kind = draw(st.sampled_from(["calls", "messages", "neither"]))
    last = {"role": "assistant", "content": text, "tool_calls": draw(listed_calls)}
    if kind == "calls":
        answer["tool_calls"] = draw(listed_calls)
    if kind == "messages":
        called = {"role": "assistant", "content": "", "tool_calls": [CALLS[0]]}
        before = [called, {"role": "tool", "content": "5"}] if draw(st.booleans()) else []
        answer["transcript"] = [{"role": "user", "content": "2 + 3?"}, *before, last]
    finish = draw(st.sampled_from(["stop", "length", "tool_calls", None]))
    steps = draw(st.sampled_from([1, 2, None, "absent"]))
    answer |= {} if steps == "absent" else {"steps": steps}
    answer |= {"stopped_by": "max_steps"} if draw(st.booleans()) else {}
    return answer | ({"finish": finish} if finish else {})


def scored_parts(result):
    return [
        (
            it.outcome, it.text, it.score.score, it.score.verdict, it.score.metrics,
            it.score.notes, it.transcript, it.completion.flags,
        )
        for it in result.trials()
    ]  # fmt: skip


@pytest.mark.long
@settings(max_examples=12, deadline=None)
@given(st.lists(tool_answers(), min_size=6, max_size=6))
def test_an_export_of_tool_answers_has_the_same_scores_when_read_back(answers):
    rows = [{"model": "m", "id": f"c{at}", **answer} for at, answer in enumerate(answers)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        made = run(TOOLS, recorded=path, home=f"{folder}/1")
        for ending in ("jsonl", "csv", "parquet"):
            exported_path = export(made, Path(folder) / f"export.{ending}", home=f"{folder}/1")
            again = run(TOOLS, recorded=exported_path, home=f"{folder}/2{ending}")
            assert scored_parts(again) == scored_parts(made), ending
