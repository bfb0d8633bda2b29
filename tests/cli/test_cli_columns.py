"""Tables that a narrow terminal cuts: what is hidden is named, and intervals stay."""

import re

import numpy as np
import pytest

from tests.analysis.effects.designs import a_design, setups_of, stored_design

WIDTHS = (60, 80, 140)


@pytest.fixture(params=WIDTHS)
def width(request, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


@pytest.fixture
def crossed(home):
    """A stored run of 3 models × 2 prompts × 2 efforts; only the prompt has an effect."""
    design, random = a_design(prompt={"few": 0.08}), np.random.default_rng(1)
    home.mkdir()
    return stored_design(home, design.setups, design.scores(random, 60))


@pytest.fixture
def equal(home):
    """A stored run of 4 models; the best two have equal scores in every case."""
    random = np.random.default_rng(3)
    best = random.uniform(0.7, 1, 40)
    others = [best - random.uniform(0, 0.1, 40) for _ in range(2)]
    home.mkdir()
    setups = setups_of(("alpha", "beta", "gamma", "delta"), (None,))
    return stored_design(home, setups, np.array([best, best, *others]).T)


def sentences(said):
    return " ".join(said.stdout.split())


@pytest.mark.usefixtures("crossed")
@pytest.mark.parametrize("by", ["model", "prompt", "effort"])
def test_compare_by_a_dimension_shows_or_names_every_column(cli, width, by):
    said = cli("compare", "--by", by)
    tables, _, notes = said.stdout.rpartition("Hidden at ")
    hidden = " ".join(notes.partition(". Use")[0].split())
    for head in ("p", "Cases", "Averaged over", "Test"):
        shown = tables or said.stdout
        words = head.split()
        assert head in hidden or all(word in shown.split() for word in words), (head, said.stdout)
    assert "Hidden" in said.stdout or width > 80
    assert all(len(line) <= width for line in said.stdout.splitlines())


@pytest.mark.usefixtures("crossed")
@pytest.mark.parametrize("by", ["model", "prompt"])
def test_the_heads_of_both_names_of_a_pair_are_on_one_line_or_in_one_column(cli, width, by):
    lines = cli("compare", "--by", by).stdout.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("Higher"))
    assert "Lower" in lines[at] or lines[at + 1].startswith("− lower"), width


@pytest.mark.usefixtures("crossed")
def test_the_matrix_has_its_intervals_and_one_caption_at_every_width(cli, width):
    said = cli("results").stdout
    captions = [line for line in said.splitlines() if line.startswith("Prompt by model at effort")]
    assert len(captions) == 2
    assert len(re.findall(r"\[\d+\.\d, \d+\.\d\]", said)) >= 2 * 12, width
    assert all(len(line) <= width for line in said.splitlines() if "benchmaker " not in line)


@pytest.mark.usefixtures("equal")
def test_the_first_sentence_says_of_how_many_the_best_two_are(cli):
    said = sentences(cli("compare"))
    assert said.startswith(
        "No difference between the first two of 4 models: alpha and beta have the same score in "
        "every case. "
    )
    assert (
        "of 5 tested pairs differ significantly; 1 pair has the same score in every case." in said
    )


@pytest.mark.usefixtures("equal")
def test_a_pair_without_a_test_is_not_called_insignificant(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    row = next(
        line for line in cli("compare").stdout.splitlines()
        if line.startswith("alpha") and "beta" in line
    )  # fmt: skip
    assert "same scores" in row
    assert row.count("not tested") == 1
    assert "not significant" not in row


@pytest.mark.usefixtures("equal")
def test_with_two_models_the_sentence_names_no_number(cli):
    said = sentences(cli("compare", "--model", "alpha", "--model", "beta"))
    assert said.startswith("No difference: alpha and beta have the same score in every case.")
    said = sentences(cli("compare", "--reference", "delta"))
    assert "first two" not in said


@pytest.mark.usefixtures("crossed")
def test_the_claim_of_a_margin_is_made_only_where_a_setup_is_within(cli):
    claim = "shown not to be worse than the best by that much"
    assert claim in sentences(cli("compare", "--margin", 20))
    narrow = cli("compare", "--margin", 0.1)
    assert "No setup is shown to be within 0.1 points of the best" in sentences(narrow)
    assert claim not in sentences(narrow)


@pytest.mark.usefixtures("crossed")
def test_methods_of_a_margin_are_explained_on_request(cli):
    assert "At worst: the lower" not in sentences(cli("compare", "--margin", 20))
    assert "At worst: the lower" in sentences(cli("compare", "--margin", 20, "--explain"))


def test_messages_are_wrapped_at_the_width_and_commands_are_not(cli, live, sums, width):
    live("run", sums, "--model", "openai/plain")
    error = cli("run", sums, "--model", "nosuch/model", code=2).stderr
    assert "endpoints.yaml, for example endpoints:" in " ".join(error.split())
    for said in (error, cli("compare", "latest", code=2).stderr):
        wrapped = [line for line in said.splitlines() if " " in line and "benchmaker " not in line]
        assert all(len(line) <= width for line in wrapped), said
    header = live("run", sums, "--model", "openai/plain", "--runs", 2).stderr
    lines = [line for line in header.splitlines() if "benchmaker " not in line]
    assert all(len(line) <= width for line in lines), header


def test_too_few_cases_are_counted_with_the_number_needed(live, sums):
    said = sentences(live("run", sums, "--model", "openai/plain"))
    assert "Provisional: openai/plain (4 cases scored). At least 5 are needed." in said


def test_quiet_prints_head_and_rows_only(live, sums):
    said = live("run", sums, "--model", "openai/plain", "--quiet")
    lines = said.stdout.splitlines()
    assert len(lines) == 4
    assert lines[-1].startswith("openai/plain")
    assert not said.stderr


def test_trend_is_of_the_suite_of_the_latest_run(live, sums, cli):
    for _ in range(2):
        live("run", sums, "--model", "openai/plain")
    assert cli("trend").stdout == cli("trend", "sums").stdout


def test_an_explanation_says_once_what_was_extracted(live, sums, cli):
    live("run", sums, "--model", "openai/plain")
    case = cli("show", "latest", "--json").data["trials"][0]["case_id"]
    said = cli("explain", "latest", case).stdout
    assert said.count("Extracted") + said.count("extracted") <= 1
