"""Runs over setups: from Python, from files, judged, exported, corrected and estimated."""

import json
from dataclasses import replace

import pytest

from benchmaker import RunOptions, Suite, estimate, export, rescore, resume, run
from benchmaker.errors import SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.store.home import Home
from benchmaker.testing.judges import judge_script

SUITE = Suite(
    "sums",
    [{"id": "a", "vars": {"n": [1, 2]}, "expected": "{{ n }}"}],
    scorer="exact",
    models=["m", {"model": "m", "label": "hot", "parameters": {"temperature": 1.5}}],
    prompts=[{"id": "p", "prompt": "P {{ n }}"}, {"id": "q", "prompt": "Q {{ n }}"}],
    efforts=["low", "high"],
)


def last_word(request):
    return request.messages[-1].content.split()[-1]


def stored(result, home):
    with Home.of(home).open_store() as store:
        return [trial for one in result.run_ids for trial in store.trials(one)]


def run_of(result, home):
    with Home.of(home).open_store() as store:
        return store.run(result.run_ids[0])


def test_a_suite_names_its_models_and_every_setup_is_run(tmp_path):
    asked = []

    def answer(request):
        asked.append((request.model, request.parameters.temperature))
        return last_word(request)

    result = run(SUITE, provider=answer, home=tmp_path)
    assert len(asked) == 2 * 2 * 2 * 2
    assert set(asked) == {("m", 0.7), ("m", 1.5)}
    assert result.models[:2] == ("m · p · low", "m · p · high")
    assert result.mean("hot · q · high") == 1.0


def test_setups_are_interleaved_case_by_case(tmp_path):
    result = run(SUITE, provider=last_word, home=tmp_path)
    order = [(trial.case_id, trial.model) for trial in stored(result, tmp_path)]
    assert order == [(case, name) for case in ("a/1", "a/2") for name in result.models]


def test_prompts_and_efforts_are_chosen_in_the_call(tmp_path):
    result = run(
        SUITE, provider=last_word, models=["k"], prompts="q", efforts="none", home=tmp_path
    )
    assert result.models == ("k · q · none",)
    assert run_of(result, tmp_path).setups[0].parameters["reasoning_effort"] == "none"


def test_parameters_of_the_call_win_over_those_of_a_model(tmp_path):
    options = RunOptions(parameters={"temperature": 0.0})
    result = run(SUITE, provider=last_word, home=tmp_path, options=options)
    made = run_of(result, tmp_path)
    assert {one.parameters["temperature"] for one in made.setups} == {0.0}
    grown = resume(made.id, provider=last_word, home=tmp_path, options=RunOptions(efforts=["none"]))
    assert len(grown.models) == 12
    assert {one.parameters["temperature"] for one in run_of(grown, tmp_path).setups} == {0.0}


def test_a_run_of_plain_models_records_no_setups(tmp_path):
    plain = Suite("s", [{"id": "a", "prompt": "1", "expected": "1"}], scorer="exact")
    made = run_of(run(plain, provider=last_word, models=["m"], home=tmp_path), tmp_path)
    assert (made.models, made.setups, made.overrides) == (("m",), (), {})


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_export_has_the_parts_of_each_setup_and_reads_back(tmp_path):
    first = run(SUITE, provider=last_word, home=tmp_path / "one")
    export(first.run_ids[0], tmp_path / "rows.jsonl", home=tmp_path / "one")
    row = lines_of(tmp_path / "rows.jsonl")[-1]
    assert {name: row[name] for name in ("model", "prompt_id", "effort", "setup", "vars")} == {
        "model": "m",
        "prompt_id": "q",
        "effort": "high",
        "setup": "hot · q · high",
        "vars": {"n": 2},
    }


def test_a_report_has_the_messages_of_each_setup(tmp_path):
    result = run(SUITE, provider=lambda _: "wrong", home=tmp_path / "one")
    export(result.run_ids[0], tmp_path / "report.html", home=tmp_path / "one")
    page = (tmp_path / "report.html").read_text()
    assert "P 1" in page
    assert "Q 2" in page


def test_recorded_answers_have_the_setups_of_their_file(tmp_path):
    lines = [
        {"id": case, "model": "m", "prompt_id": prompt, "effort": effort, "output": case[-1]}
        for case in ("a/1", "a/2")
        for prompt, effort in (("p", "low"), ("p", "high"), ("q", None))
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    result = run(SUITE, recorded=path, home=tmp_path)
    assert result.models == ("m · p · low", "m · p · high", "m · q")
    assert [result.mean(name) for name in result.models] == [1.0, 1.0, 1.0]
    chosen = run(SUITE, recorded=path, home=tmp_path, prompts=["p"], efforts=["high"])
    assert chosen.models == ("m · p · high",)
    assert run(SUITE, recorded=path, models=["m"], home=tmp_path).models == result.models
    assert resume(chosen.run_ids[0], home=tmp_path).is_finished
    with pytest.raises(SpecError, match="none with this prompt"):
        run(SUITE, recorded=path, home=tmp_path, prompts=["z"])


def test_a_judge_sees_the_question_of_the_setup(tmp_path):
    seen = []

    def judge(parts):
        seen.append(parts["question"])
        return {"evidence": "", "rationale": "r", "score": 8, "confidence": 0.5}

    suite = replace(SUITE, scorer={"id": "llm_judge"}, efforts=(), models=())
    judges = Scripted(judge_script(judge), models=("judge",))
    options = RunOptions(judge="judge", profile="robust")
    run(
        suite,
        provider=last_word,
        models=["m"],
        judge_provider=judges,
        home=tmp_path,
        options=options,
    )
    assert set(seen) == {"P 1", "P 2", "Q 1", "Q 2"}


EDITED = replace(
    SUITE, prompts=[{"id": "p", "prompt": "Other {{ n }}"}, {"id": "q", "prompt": "Q {{ n }}"}]
)
"""The suite with another wording of one prompt."""


def test_a_corrected_suite_with_the_same_prompts_keeps_all_answers(tmp_path):
    result = run(SUITE, provider=last_word, home=tmp_path)
    again = rescore(result.run_ids[0], suite=replace(SUITE, scorer="numeric"), home=tmp_path)
    assert len(stored(again, tmp_path)) == 16


def test_an_edited_prompt_is_not_run_and_the_answers_to_the_others_are_kept(tmp_path):
    result = run(SUITE, provider=last_word, home=tmp_path)
    found = []
    again = rescore(
        result.run_ids[0], suite=EDITED, home=tmp_path, on_correction=lambda *it: found.append(it)
    )
    names = {trial.model for trial in stored(again, tmp_path)}
    assert names == {name for name in result.models if " q " in name}
    assert [again.mean(name) for name in sorted(names)] == [1.0] * 4
    ((correction, _),) = found
    assert (correction.new, correction.reworded) == ((), ())
    assert correction.is_partial
    said = "4 setups are not run (prompt changed): m · p · low, m · p · high, "
    assert next(correction.sentences()) == f"{said}hot · p · low, hot · p · high"
    assert not again.is_finished
    asked = []
    resumed = resume(
        again.run_ids[0],
        provider=lambda it: asked.append(it.messages[-1].content) or last_word(it),
        home=tmp_path,
    )
    assert resumed.is_finished
    assert sorted(asked) == ["Other 1"] * 4 + ["Other 2"] * 4


def test_the_answers_to_a_removed_prompt_are_left_out(tmp_path):
    result = run(SUITE, provider=last_word, home=tmp_path)
    single = replace(SUITE, prompts=[{"id": "q", "prompt": "Q {{ n }}"}])
    again = rescore(result.run_ids[0], suite=single, home=tmp_path)
    assert again.models == tuple(name for name in result.models if " q " in name)
    assert len(stored(again, tmp_path)) == 8
    assert again.is_finished
    said = "4 setups are excluded (prompt no longer in the suite): m · p · low, "
    assert any(note.startswith(said) for note in run_of(again, tmp_path).notes)


def test_a_prompt_that_the_stored_suite_lacks_is_refused_with_the_way_to_the_file(tmp_path):
    before = run(SUITE, provider=last_word, home=tmp_path)
    with pytest.raises(SpecError, match=r"stored with run .* has no prompt 'cc'") as caught:
        resume(before.run_ids[0], home=tmp_path, options=RunOptions(prompts=["cc"]))
    assert f"rescore {before.run_ids[0]} --suite FILE" in str(caught.value)


ADDED = replace(SUITE, prompts=[*SUITE.prompts, {"id": "new", "prompt": "New {{ n }}"}])
"""The suite with one more prompt."""


def test_the_setups_of_an_added_prompt_are_not_run_until_the_run_is_resumed(tmp_path):
    result = run(SUITE, provider=last_word, home=tmp_path)
    found, asked = [], []
    again = rescore(
        result.run_ids[0], suite=ADDED, home=tmp_path, on_correction=lambda *it: found.append(it)
    )
    ((correction, _),) = found
    said = "4 setups are not run (prompt added): m · new · low, m · new · high, "
    assert next(correction.sentences()) == f"{said}hot · new · low, hot · new · high"
    data = again.summary.to_dict()
    assert data["not_run"] == ["a/1", "a/2"]
    assert data["not_run_by_setup"] == {
        name: ["a/1", "a/2"]
        for name in ("m · new · low", "m · new · high", "hot · new · low", "hot · new · high")
    }
    assert (len(stored(again, tmp_path)), again.is_finished) == (16, False)

    def answer(request):
        text = request.messages[-1].content
        asked.append((text, request.parameters.temperature))
        return last_word(request)

    resumed = resume(again.run_ids[0], provider=answer, home=tmp_path)
    assert sorted(asked) == sorted(
        (f"New {n}", t) for n in (1, 2) for t in (0.7, 1.5) for _ in "ab"
    )
    assert resumed.is_finished
    assert resumed.mean("hot · new · high") == 1.0
    assert resumed.summary.to_dict()["not_run"] == []


def test_an_added_prompt_is_left_out_of_a_run_with_chosen_prompts_and_of_a_recording(tmp_path):
    chosen = run(SUITE, provider=last_word, prompts="q", home=tmp_path)
    again = rescore(chosen.run_ids[0], suite=ADDED, home=tmp_path)
    assert (again.models, again.is_finished) == (chosen.models, True)
    recorded = run(
        replace(SUITE, models=(), efforts=()),
        recorded=_recording(tmp_path),
        home=tmp_path,
    )
    again = rescore(recorded.run_ids[0], suite=replace(ADDED, models=(), efforts=()), home=tmp_path)
    assert (again.models, again.is_finished) == (("m · p", "m · q"), True)
    assert "1 setup is not run (prompt added): m · new" in run_of(again, tmp_path).notes


def _recording(folder):
    """A file of right answers with both prompts."""
    answers = folder / "added.jsonl"
    rows = [
        {"id": f"a/{n}", "model": "m", "prompt_id": prompt, "output": str(n)}
        for n in (1, 2)
        for prompt in "pq"
    ]
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return answers


def test_an_edit_of_all_prompts_keeps_nothing(tmp_path):
    result = run(SUITE, provider=last_word, home=tmp_path)
    other = replace(SUITE, system_prompt="Be brief.")
    with pytest.raises(SpecError, match="the same id and the same prompt"):
        rescore(result.run_ids[0], suite=other, home=tmp_path)


def test_a_case_reworded_for_one_prompt_keeps_its_answers_to_the_other(tmp_path):
    prompts = [{"id": "p", "prompt": "{{ n }} {{ m }}"}, {"id": "q", "prompt": "Q {{ m }}"}]
    cases = [{"id": name, "vars": {"n": 1, "m": 2}, "expected": "2"} for name in "ab"]
    suite = Suite("sums", cases, scorer="exact", prompts=prompts)
    result = run(suite, provider=last_word, models=["m"], home=tmp_path)
    edited = Suite(
        "sums", [{**cases[0], "vars": {"n": 3, "m": 2}}, cases[1]], scorer="exact", prompts=prompts
    )
    again = rescore(result.run_ids[0], suite=edited, home=tmp_path)
    kept = {(trial.case_id, trial.model) for trial in stored(again, tmp_path)}
    assert kept == {("a", "m · q"), ("b", "m · p"), ("b", "m · q")}
    said = "1 case is not run with some prompts (prompt changed): a"
    assert said in run_of(again, tmp_path).notes
    assert resume(again.run_ids[0], provider=last_word, home=tmp_path).is_finished


def test_a_recording_is_scored_again_without_an_edited_prompt(tmp_path):
    lines = [
        {"id": case, "model": "m", "prompt_id": prompt, "output": case[-1]}
        for case in ("a/1", "a/2")
        for prompt in "pq"
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    result = run(SUITE, recorded=path, home=tmp_path)
    again = rescore(result.run_ids[0], suite=EDITED, home=tmp_path)
    assert (again.models, again.is_finished) == (("m · q",), True)
    notes = run_of(again, tmp_path).notes
    assert "1 setup is not run (prompt changed): m · p" in notes
    assert any("--recorded FILE" in note for note in notes)
    assert resume(again.run_ids[0], home=tmp_path).is_finished


def test_an_estimate_has_a_line_for_each_setup(tmp_path):
    made = estimate(SUITE, models=["openai/gpt-4o-mini"], home=tmp_path)
    assert [one.model for one in made.models] == [
        f"openai/gpt-4o-mini · {prompt} · {effort}"
        for prompt in ("p", "q")
        for effort in ("low", "high")
    ]
    low, high = made.models[0], made.models[1]
    assert high.output_tokens.high == low.output_tokens.high  # no effort is sent to this model
    assert low.requests == 2
    low, high = estimate(SUITE, models=["openai/gpt-5-mini"], home=tmp_path).models[:2]
    assert high.output_tokens.high > low.output_tokens.high
    with pytest.raises(SpecError, match="no model"):
        estimate(replace(SUITE, models=()), home=tmp_path)
