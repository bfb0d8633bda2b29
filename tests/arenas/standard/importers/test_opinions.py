"""Second opinions on imported evaluations: planted faults are found, and nothing else."""

import json
from random import Random

import pytest

import benchmaker
from benchmaker import RunOptions, ScorerSpec
from benchmaker.arenas.standard.importers.opinions import opinions
from benchmaker.providers.scripted import Scripted
from benchmaker.report.sentences.opinion_words import opinion_sentences
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from benchmaker.testing import a_case, a_suite
from tests.arenas.standard.importers.files import (
    imported,
    inspect_log,
    tool_sample,
    write_json,
)
from tests.arenas.standard.importers.planted import (
    CLEAN,
    PLANTED,
    inspect_row,
    lm_eval_row,
    self_judged_letters,
    write_group,
    write_inspect,
)

SEEDS = 20


def opinion_on(folder, write, seed):
    """The second opinion on logs written with a seed."""
    folder.mkdir(parents=True)
    paths = write(folder, Random(seed))  # noqa: S311  planted faults
    with Store.open(folder / "benchmaker.db") as store:
        files = imported(store, *paths)
        (made,) = opinions(store, [run_id for one in files for run_id in one.runs])
    return made


def kinds(made):
    return {one.kind for one in made.findings}


@pytest.mark.long
@pytest.mark.parametrize(("kind", "tool"), PLANTED)
def test_a_planted_fault_is_found_and_no_other(tmp_path, kind, tool):
    found = [
        kinds(opinion_on(tmp_path / str(seed), PLANTED[kind, tool], seed)) for seed in range(SEEDS)
    ]
    assert sum(kind in one for one in found) >= 0.95 * SEEDS
    assert [one - {kind} for one in found if one - {kind}] == []


@pytest.mark.long
@pytest.mark.parametrize("tool", CLEAN)
def test_a_log_without_a_fault_has_no_finding(tmp_path, tool):
    found = [kinds(opinion_on(tmp_path / str(seed), CLEAN[tool], seed)) for seed in range(SEEDS)]
    assert sum(map(len, found)) <= 0.02 * SEEDS


@pytest.mark.long
@pytest.mark.parametrize("n_runs", [1, 2])
def test_each_of_our_scorers_is_named_with_the_number_of_its_values(tmp_path, n_runs):
    scorers = [ScorerSpec(id="exact"), ScorerSpec(id="contains"), ScorerSpec(id="exact")]
    suite = a_suite(*(a_case(f"c{at}", scorer=one) for at, one in enumerate(scorers)))
    provider = Scripted(lambda _: "42", models=("m",))
    ran = benchmaker.run(suite, provider=provider, home=tmp_path, options=RunOptions(runs=n_runs))
    with Store.open(tmp_path / STORE_FILE) as store:
        (made,) = opinions(store, ran.run_ids)
    assert made.to_dict()["headline"]["scorer"] == "exact, contains"
    assert made.to_dict()["headline"]["scorers"] == {"exact": 2, "contains": 1}
    assert opinion_sentences(made)[0] == "m: mean is 1, from 3 values: 2 of exact, 1 of contains."


@pytest.mark.long
def test_an_empty_answer_that_our_policy_scores_0_is_no_failed_request(tmp_path):
    suite = a_suite(*(a_case(f"c{at}", prompt=str(at)) for at in range(4)))
    provider = Scripted(lambda asked: "" if asked.case_id == "c0" else "42", models=("m",))
    ran = benchmaker.run(suite, provider=provider, home=tmp_path)
    with Store.open(tmp_path / STORE_FILE) as store:
        (made,) = opinions(store, ran.run_ids)
    assert (made.headline.value, made.ours.mean, made.ours.n) == (0.75, 0.75, 4)
    assert kinds(made) == {"empty_answers", "too_few_cases"}


@pytest.mark.long
def test_answers_of_letters_tell_how_kind_a_model_is_to_itself(tmp_path):
    made = opinion_on(tmp_path / "log", self_judged_letters, 5)
    effects = {one.kind: one.effect_points for one in made.findings}
    assert effects.keys() == {"self_judged", "extraction_hit"}
    assert effects["self_judged"] == pytest.approx(effects["extraction_hit"])


REPEATS = [(True, True, False), (True, False, False), (True, True, True), (False,) * 3]


@pytest.mark.long
@pytest.mark.parametrize(
    ("reducer", "value"),
    [
        ("mean", 0.5),
        ("median", 0.5),
        ("mode", 0.5),
        ("max", 0.75),
        ("at_least_2", 0.5),
        ("pass_at_2", (1 + 2 / 3 + 1 + 0) / 4),
    ],
)
def test_a_figure_that_combines_repeats_by_a_reducer_is_named_and_holds(tmp_path, reducer, value):
    rows = [
        {**inspect_row(at, right, uuid=f"{at}-{epoch}"), "epoch": epoch}
        for epoch in (1, 2, 3)
        for at, right in enumerate(it[epoch - 1] for it in REPEATS)
    ]
    path = write_inspect(tmp_path, rows, value)
    log = json.loads(path.read_text())
    log["results"]["scores"][0]["reducer"] = reducer
    with Store.open(tmp_path / STORE_FILE) as store:
        (file,) = imported(store, write_json(path, log))
        (made,) = opinions(store, file.runs)
    assert kinds(made) == {"too_few_cases"}
    assert (made.headline.value, made.headline.n) == (pytest.approx(value), 4)
    assert made.headline.reducer == ("" if reducer == "mean" else reducer)
    assert (f"by {reducer}; ours averages them." in opinion_sentences(made)[0]) == (
        reducer != "mean"
    )
    assert made.ours.mean == 0.5


@pytest.mark.long
def test_a_log_on_another_scale_has_its_figure_and_no_finding(tmp_path):
    rows = [inspect_row(at, True, scores={"rated": {"value": at}}) for at in range(9)]
    with Store.open(tmp_path / STORE_FILE) as store:
        (file,) = imported(store, write_inspect(tmp_path, rows, 4.0))
        (made,) = opinions(store, file.runs)
    assert (made.headline.value, made.headline.n, made.ours) == (4.0, 9, None)
    assert (made.findings, made.notes) == ((), ())
    assert opinion_sentences(made)[1] == "There is no mean of ours: it needs scores from 0 to 1."


@pytest.mark.long
def test_samples_that_used_tools_are_not_left_out_of_stored_runs(tmp_path):
    rows = [inspect_row(at, True) for at in range(9)]
    log = inspect_log([*rows, tool_sample(10), tool_sample(11)])
    log["results"] |= {"total_samples": 11, "completed_samples": 11}
    with Store.open(tmp_path / STORE_FILE) as store:
        (file,) = imported(store, write_json(tmp_path / "log.json", log))
        (made,) = opinions(store, file.runs)
    assert file.tally.submissions == 2
    assert kinds(made) == {"too_few_cases"}


UNEQUAL = {
    "few": [lm_eval_row(at, at < 2) for at in range(4)],
    "many": [lm_eval_row(at + 9, at < 12) for at in range(16)],
}


@pytest.mark.long
@pytest.mark.parametrize(("value", "effect"), [(0.625, -7.5), (0.7, None)])
def test_a_group_of_unequal_tasks_has_the_effect_of_its_mean_of_means(tmp_path, value, effect):
    with Store.open(tmp_path / STORE_FILE) as store:
        files = imported(store, *write_group(tmp_path, UNEQUAL, value))
        made = {one.task: one for one in opinions(store, [it for one in files for it in one.runs])}
    group = "all (group of lm-eval)"
    assert list(made)[2:] == ([group] if effect else [])
    if effect:
        found = {one.kind: one for one in made[group].findings}
        assert found["unequal_subtasks"].effect_points == pytest.approx(effect)
        assert found["unequal_subtasks"].rows == 20
        assert (made[group].headline.value, made[group].headline.n) == (value, 20)
        assert made[group].ours.mean == pytest.approx(0.7)


@pytest.mark.long
def test_without_all_runs_of_an_evaluation_no_stated_figure_is_compared(tmp_path):
    rows = [
        {**inspect_row(at, epoch == 1, uuid=f"{at}-{epoch}"), "epoch": epoch}
        for epoch in (1, 2)
        for at in range(8)
    ]
    with Store.open(tmp_path / STORE_FILE) as store:
        (file,) = imported(store, write_inspect(tmp_path, rows))
        store.delete_run(file.runs[1])
        (made,) = opinions(store, file.runs[:1])
    assert kinds(made) == {"too_few_cases"}


@pytest.mark.data
@pytest.mark.long
def test_the_headline_of_genuine_files_is_the_stated_figure(tmp_path, shared):
    folder = shared / "incoming-t2"
    with Store.open(tmp_path / "benchmaker.db") as store:
        files = imported(store, folder)
        for one in files:
            for made in opinions(store, one.runs):
                stated = store.imported_rows.header(one.runs[0]).figures
                own = (made.headline.scorer, made.headline.metric)
                values = [it["value"] for it in stated if (it["scorer"], it["metric"]) == own]
                assert not values or made.headline.value in values
                computed = [
                    it["value"]
                    for it in made.headline.figures
                    if (it["scorer"], it["metric"]) == own
                ]
                assert any(made.headline.value == pytest.approx(it) for it in computed)
                assert "stated_figure_differs" not in kinds(made)
            assert [note for note in one.tally.notes if "the file states" in note] == []
