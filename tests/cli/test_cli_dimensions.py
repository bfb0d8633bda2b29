"""Runs with prompts, models and efforts: results and compare, called as they are typed."""

import csv
import io

import numpy as np
import pytest

from benchmaker import compare
from tests.analysis.effects.designs import a_design, setups_of, stored_design


@pytest.fixture
def crossed(home):
    """A stored run of 3 models × 2 prompts × 2 efforts with effects of prompt and effort."""
    design, random = a_design(prompt={"few": 0.08}, effort={"high": 0.01}), np.random.default_rng(1)
    home.mkdir()
    costs = np.array([[0.04 if one.effort == "high" else 0.01 for one in design.setups]])
    scores = design.scores(random, 60)
    return stored_design(
        home, design.setups, scores, costs * random.uniform(0.9, 1.1, scores.shape)
    )


@pytest.mark.usefixtures("crossed")
def test_results_say_the_effect_of_the_prompt_and_show_the_matrix(cli):
    said = cli("results").stdout
    assert said.startswith("Prompt few beats plain by ")
    assert "over 3 models and 2" in said
    assert "Prompt by model at effort low: mean (0-100), 95% CI, cost per case" in said
    assert "all prompts" in said
    assert "alpha · plain · low  " not in said


@pytest.mark.usefixtures("crossed")
def test_explained_results_list_the_setups_too(cli):
    said = cli("results", "--explain").stdout
    assert "alpha · plain · low" in said
    assert "Margins: the mean over the setups" in said


@pytest.mark.usefixtures("crossed")
def test_results_as_json_have_setups_effects_and_matrix(cli):
    data = cli("results", "--json").data
    first = data["setups"][0]
    assert first["setup"] == f"{first['model']} · {first['prompt_id']} · {first['effort']}"
    assert [one["by"] for one in data["effects"]] == ["prompt", "model", "effort"]
    assert data["matrix"]["blocks"] == ["low", "high"]


@pytest.mark.usefixtures("crossed")
@pytest.mark.parametrize(("by", "pairs"), [("prompt", 1), ("model", 3), ("effort", 1)])
def test_compare_by_a_dimension_has_the_keys_of_pairs(cli, by, pairs):
    data = cli("compare", "--by", by, "--json").data
    assert len(data["pairs"]) == pairs
    assert {"a", "b", "diff", "low", "high", "p", "p_adj", "verdict"} <= set(data["pairs"][0])
    assert data["by"] == by


@pytest.mark.usefixtures("crossed")
def test_compare_by_prompt_says_verdict_and_interactions(cli):
    said = " ".join(cli("compare", "--by", "prompt").stdout.split())
    assert said.startswith("Prompt few beats plain by ")
    assert "No significant interaction of prompt and model" in said


@pytest.mark.usefixtures("crossed")
def test_compare_by_effort_with_a_margin_names_the_cheapest(cli):
    data = cli("compare", "--by", "effort", "--margin", "5", "--json").data
    assert data["within_margin"]["cheapest"] == "low"
    said = cli("compare", "--by", "effort", "--margin", "5").stdout
    assert said.startswith("Cheapest effort within 5.0 points of the best: low, $0.0")


@pytest.mark.usefixtures("crossed")
def test_compare_with_a_margin_names_the_cheapest_setup(cli):
    data = cli("compare", "--margin", "6", "--json").data
    assert data["within_margin"]["cheapest"].endswith(" · few · low")
    said = cli("compare", "--margin", "6").stdout
    assert said.startswith("Cheapest setup within 6.0 points of the best")


@pytest.mark.usefixtures("crossed")
def test_an_unknown_dimension_is_named_with_the_possible_ones(cli):
    said = " ".join(cli("compare", "--by", "auto", code=2).stderr.split())
    assert "'auto' is not one of 'model', 'prompt', 'effort', 'category', 'difficulty', " in said


@pytest.mark.usefixtures("crossed")
def test_compare_by_model_may_leave_out_models(cli):
    data = cli("compare", "--by", "prompt", "--model", "alpha", "--json").data
    assert data["pairs"][0]["over"]["model"] == ["alpha"]


@pytest.mark.usefixtures("crossed")
def test_an_unknown_model_is_refused(cli):
    assert "No model 'alhpa'" in cli("compare", "--by", "prompt", "--model", "alhpa", code=2).stderr


@pytest.mark.usefixtures("crossed")
@pytest.mark.parametrize("table", ["pairs", "models"])
def test_compare_by_a_dimension_prints_csv(cli, table):
    rows = list(
        csv.DictReader(
            io.StringIO(cli("compare", "--by", "model", "--csv", "--table", table).stdout)
        )
    )
    assert len(rows) == 3
    assert float(rows[0]["mean_a" if table == "pairs" else "mean"]) > 0.5


@pytest.mark.usefixtures("crossed")
def test_compare_by_a_dimension_prints_markdown(cli):
    said = cli("compare", "--by", "prompt", "--markdown", "--margin", "3").stdout
    assert "**Cheapest prompt within 3.0 points" in said
    assert "**Prompt few beats plain by " in said
    assert "| few | plain |" in said


@pytest.mark.usefixtures("crossed")
def test_python_compares_as_the_command_does(cli, home):
    made = compare("latest", by="prompt", home=home)
    assert made.to_dict()["pairs"] == cli("compare", "--by", "prompt", "--json").data["pairs"]
    assert compare("latest", margin=0.06, home=home).within_margin.cheapest.endswith("few · low")


@pytest.mark.usefixtures("crossed")
def test_python_chooses_models_by_name(home):
    made = compare("latest", by="effort", models=["beta"], home=home)
    assert made.pairs[0].over["model"] == ("beta",)


def test_a_run_of_one_prompt_says_that_there_is_nothing_to_compare(cli, home):
    home.mkdir()
    stored_design(home, setups_of(("a", "b"), ("plain",)), np.random.default_rng(0).random((9, 2)))
    assert "found 1" in cli("compare", "--by", "prompt", code=2).stderr


@pytest.mark.usefixtures("crossed")
@pytest.mark.parametrize("form", ["html", "markdown"])
def test_reports_have_the_matrix_and_the_verdict(cli, tmp_path, form):
    path = tmp_path / "report"
    cli("export", "latest", "--format", form, "--output", path)
    text = path.read_text()
    assert "Prompt few beats plain by " in text
    assert "Prompt by model at effort low" in text


@pytest.mark.usefixtures("crossed")
def test_the_list_of_runs_counts_setups(cli):
    head, row = cli("runs").stdout.splitlines()
    assert "setups" in head.split()
    assert "12" in row.split()


@pytest.mark.usefixtures("crossed")
def test_a_model_chooses_all_its_setups(cli):
    names = [row["model"] for row in cli("compare", "--model", "alpha", "--json").data["models"]]
    assert len(names) == 4
    assert all(name.startswith("alpha · ") for name in names)
    ranked = cli("rank", "--model", "alpha", "--model", "beta · few · low", "--json").data["models"]
    assert len(ranked) == 5
    words = ("compare", "--model", "alpha", "--model", "alpha · few · low")
    assert "'alpha · few · low' is given twice" in cli(*words, code=2).stderr


@pytest.mark.usefixtures("crossed")
def test_the_list_of_trials_is_by_setup(cli):
    assert cli("show", "latest").stdout.split()[:2] == ["Case", "Setup"]


def test_explain_names_the_cases_that_variables_made(cli, tmp_path):
    cases = "cases: [{id: k1, prompt: 'Say {{ n }}', vars: {n: [1, 2]}, expected: x}]\n"
    (tmp_path / "s.yaml").write_text(f"name: s\nscorer: exact\n{cases}")
    (tmp_path / "a.jsonl").write_text(
        "".join(f'{{"model": "m", "id": "k1/{n}", "output": "x"}}\n' for n in (1, 2))
    )
    cli("run", tmp_path / "s.yaml", "--recorded", tmp_path / "a.jsonl")

    said = cli("explain", "latest", "k1", code=2).stderr
    assert "no trial of case 'k1'" in said
    assert "k1/1, k1/2" in said
    assert "Did you mean 'k1/1'?" in cli("explain", "latest", "k1/1x", code=2).stderr
