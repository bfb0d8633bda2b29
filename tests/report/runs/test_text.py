import io
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis import summarise
from benchmaker.record import MODEL_STOPPED, Completion, Outcome, RunState, Setup
from benchmaker.report import summary_text, write_text
from benchmaker.report.sentences.notes import reproducibility_line
from tests.report.conftest import make_trial

TABLE = """\
         Mean        95% CI     SD  Strict        95% CI  Scored
Model   0-100         cases  cases                 cases  trials
────────────────────────────────────────────────────────────────
aurora   75.0  [39.1, 93.3]   41.8   66.7%  [30.0, 90.3]       6
basalt   26.7   [7.3, 62.5]   43.2   16.7%   [3.0, 56.4]       6
"""

VERDICT = """\
aurora has the highest mean, 75.0, 95% CI [39.1, 93.3]. Differences between
models are not tested.
"""

BRIEF = f"""\
{VERDICT}
{TABLE}
capitals: run r1, 2 models, 6 cases scored.
Methods, settings and costs: benchmaker results r1 --explain
"""

FULL = f"""\
{VERDICT}
{TABLE}
capitals: suite 7f3a91c2, profile robust/1, run r1, 2 models, 6 cases scored.
Cost: unknown (no cost was reported).
Mean: 0 to 100, over cases, equal weights.
95% CI over cases (Wilson or variance-matched Wilson, independent cases).
SD, cases: standard deviation of the scores across cases.
Strict: share of answers that score exactly 100.
Settings: recorded answers from answers.jsonl (sha256 abababab), Benchmaker
0.1.0.
"""


def full_text(summary, **more):
    return summary_text(summary, detail="full", **more)


@pytest.mark.parametrize(("detail", "text"), [("rows", TABLE), ("brief", BRIEF), ("full", FULL)])
def test_a_single_run_as_a_table_alone_briefly_and_with_what_its_columns_mean(
    two_models, detail, text
):
    assert summary_text(two_models[1], detail=detail) == text


def test_the_table_is_brief_unless_more_is_wanted(two_models):
    assert summary_text(two_models[1]) == BRIEF


def test_a_result_and_warnings_stand_above_the_table_and_not_beside_rows_alone(a_trial):
    trials = [a_trial(0), *(a_trial(at, lost=True) for at in (1, 2))]
    made = summarise(trials)
    text = summary_text(made, result=["Aurora leads.", "Cost: $1."])
    above = text.partition("\n\n")[0].splitlines()
    assert above == [
        "Aurora leads.",
        "Cost: $1.",
        "2 of 3 trials of aurora failed (timeout) and are excluded from the mean.",
        "Provisional: aurora (1 case scored). At least 5 are needed.",
    ]
    rows = summary_text(made, result=["Aurora leads."], detail="rows")
    assert rows == text.partition("\n\n")[2].partition("\n\n")[0] + "\n"


def test_the_hint_names_the_command_that_explains_and_is_absent_without_a_run(two_models):
    text = summary_text(two_models[1], explained_by="benchmaker results r1 --by tag --explain")
    assert text.endswith("costs: benchmaker results r1 --by tag --explain\n")
    unstored = replace(two_models[1], run_ids=(), runs=())
    assert summary_text(unstored).endswith("Scores: no run, 2 models, 6 cases scored.\n")


def test_a_series_names_the_interval_over_cases_and_the_spread_over_runs(a_trial, a_run):
    trials = [
        a_trial(at, score, run=run)
        for run, scores in (("r1", [1.0, 0.5, 0.0, 1.0, 1.0]), ("r2", [1.0, 0.0, 0.0, 1.0, 1.0]))
        for at, score in enumerate(scores)
    ]
    runs = [a_run(run, series_id="s1", models=("aurora",)) for run in ("r1", "r2")]
    text = full_text(summarise(trials, runs), width=100)
    assert "2 runs, series s1, 1 model, 5 cases scored" in text
    assert "each with its mean over the runs" in text
    assert "95% CI over cases (" in text
    assert "SD, runs: standard deviation of the mean across runs." in text
    assert "±" not in text


def test_what_is_left_out_of_the_mean_is_counted_by_kind(a_trial, a_run):
    trials = [
        a_trial(0),
        a_trial(1, None, outcome=Outcome.TIMEOUT, completion=None),
        a_trial(2, None, outcome=Outcome.TIMEOUT, completion=None),
        a_trial(3, None),
        a_trial(4, 0.0, outcome=Outcome.REFUSED, scoring={"flags": ("policy_zero",)}),
        a_trial(5, scoring={"flags": ("auto_pass",)}),
    ]
    text = summary_text(summarise(trials, [a_run(models=("aurora",))]))
    assert "2 of 6 trials of aurora failed (timeout) and are excluded from the mean." in text
    assert "Scored 0 by the suite's policy: aurora (1 refused)." in text
    assert "Unscored, excluded from the mean: aurora (1 unscored)." in text
    assert "1 trial passed without an expected answer (auto-pass)." in text
    assert "Provisional: aurora (3 cases scored). At least 5 are needed." in text
    assert "3/6" in text
    assert "1 model, 3 of 6 cases scored" in text


def test_which_incomplete_answers_score_0_and_how_the_others_are_scored_is_said(a_trial):
    empty = a_trial(0, 0.0, outcome=Outcome.EMPTY, scoring={"flags": ("policy_zero",)})
    text = summary_text(summarise([empty, a_trial(1, outcome=Outcome.TRUNCATED)]), width=200)
    assert "Scored 0 by the suite's policy: aurora (1 empty). " in text
    assert "Scored as received: aurora (1 truncated)." in text


def test_the_title_counts_cases_scored_among_those_selected_as_the_notice_does(a_trial, a_run):
    trials = [*(a_trial(at) for at in range(6)), a_trial(6, None, outcome=Outcome.TIMEOUT)]
    run = a_run(models=("aurora",), planned=8, state=RunState.INTERRUPTED)
    for detail in ("brief", "full"):
        text = summary_text(summarise(trials, [run]), detail=detail, width=200)
        assert "1 model, 6 of 8 cases scored.\n" in text
        assert "Unfinished: 7 of 8 trials stored so far.\n" in text


def test_a_missing_interval_is_a_word_and_has_its_reason(a_trial):
    text = full_text(summarise([a_trial(at, at / 6, group="g") for at in range(6)]))
    assert "No interval: 1 group of cases, at least 2 are needed (aurora)." in text
    assert "no interval" in text
    assert "95% CI over cases (" not in text


def test_equal_scores_have_an_interval(a_trial):
    text = full_text(summarise([a_trial(at) for at in range(6)]))
    assert "100.0%  [61.0, 100.0]" in text
    assert "(Wilson, independent cases)." in text


def test_a_single_case_has_an_interval_but_no_sd(a_trial):
    text = full_text(summarise([a_trial(0, 0.5)]))
    assert re.search(r"50\.0  \[[\d.]+, [\d.]+\]  no SD", text)
    assert "No SD: 1 scored case, at least 2 are needed (aurora)." in text


def test_cases_of_a_group_are_taken_together_and_the_legend_says_so(a_trial):
    trials = [a_trial(at, float(at < 4), group=f"g{at // 2}") for at in range(8)]
    text = full_text(summarise(trials))
    assert "(Wilson, clustered by group)." in text


def test_many_graded_scores_have_students_t(a_trial):
    text = full_text(summarise([a_trial(at, 0.5 + at % 5 / 10) for at in range(60)]))
    assert "(Student's t or Wilson, independent cases)." in text


def test_nothing_scored_is_no_number(a_trial):
    text = full_text(summarise([a_trial(0, None)]))
    assert "No interval: no scores (aurora)." in text
    assert "0.0" not in text


def test_an_unfinished_run_says_how_far_it_is(a_trial, a_run):
    run = a_run(models=("aurora",), planned=9, state=RunState.INTERRUPTED)
    text = summary_text(summarise([a_trial()], [run]))
    assert "Unfinished: 1 of 9 trials stored so far.\n" in text


def test_a_model_that_was_given_up_is_named_and_its_last_trial_is_to_be_asked_again(a_trial, a_run):
    run = a_run(models=("aurora",), planned=3, state=RunState.INTERRUPTED)
    trials = [a_trial(0), a_trial(1), a_trial(2, lost=True, flags=(MODEL_STOPPED,))]
    text = summary_text(summarise(trials, [run]))
    assert "Unfinished: 3 of 3 trials stored so far, 1 of them to be retried.\n" in text
    assert "Stopped querying aurora (1 of 3 trials failed).\n" in text


def test_a_run_that_died_after_its_last_trial_is_not_called_unfinished_so_far(a_trial, a_run):
    run = a_run(models=("aurora",), planned=1, state=RunState.RUNNING)
    text = summary_text(summarise([a_trial()], [run]))
    assert "Unfinished: 1 of 1 trial stored, but the run was not closed.\n" in text


def test_the_spread_says_over_how_many_runs_it_is(a_trial, a_run):
    trials = [a_trial(at, at / 4, run=run) for run in ("r1", "r2") for at in range(4)]
    trials += [a_trial(0, 0.0, run="r3")]
    ended = {"r1": RunState.FINISHED, "r2": RunState.FINISHED, "r3": RunState.INTERRUPTED}
    runs = [
        a_run(run, series_id="s1", models=("aurora",), planned=4, state=ended[run]) for run in ended
    ]
    text = full_text(summarise(trials, runs), width=200)
    assert (
        "SD, runs uses only cases scored in every run: aurora 2 of 3 runs, 4 of 4 cases.\n" in text
    )


def test_known_costs_stand_in_the_notes_and_unknown_ones_are_not_zero(a_trial):
    paid = a_trial(0, completion=Completion(text="x", cost_usd=0.187))
    text = full_text(summarise([paid, a_trial(1), a_trial(0, model="basalt")]), width=200)
    assert "aurora at least $0.187 (1 of 2 trials known); basalt unknown." in text


def test_ten_models_are_not_listed_one_by_one(a_trial):
    trials = [
        a_trial(0, None, model=f"m{n}", outcome=Outcome.TIMEOUT, completion=None) for n in range(10)
    ]
    text = summary_text(summarise(trials), width=200)
    assert "The only trial of m5 failed (timeout).\n4 more models with failed trials." in text


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(a_trial, width):
    trials = [a_trial(at, at / 7, model="a-model-with-a-rather-long-name-70b") for at in range(6)]
    text = summary_text(summarise(trials), width=max(width, 66))
    assert max(map(len, text.splitlines())) <= max(width, 66)


def test_hostile_names_do_nothing_to_the_terminal(a_trial, a_run):
    name = "evil\x1b[2J\n[bold]model\u202e"
    run = a_run(models=(name,), suite_name="suite\x07")
    text = summary_text(summarise([a_trial(model=name)], [run]), width=120)
    assert "evil␛[2J [bold]model[U+202E]" in text
    assert "suite␇" in text
    assert "\x1b" not in text


def test_a_stream_that_holds_only_ascii_gets_ascii(two_models):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    write_text(two_models[1], stream)
    assert b"-----------" in raw.getvalue()
    assert b"[39.1, 93.3]" in raw.getvalue()


def test_without_a_terminal_there_is_no_styling_and_with_one_there_is(two_models):
    plain, bold = io.StringIO(), io.StringIO()
    write_text(two_models[1], plain)
    write_text(two_models[1], bold, styled=True, width=100)
    assert "\x1b" not in plain.getvalue()
    assert "\x1b[1m" in bold.getvalue()


def nine(a_trial, name):
    return summarise([a_trial(model=name, position=at, score=at / 9) for at in range(9)])


def test_the_sd_gives_way_before_a_name_is_folded(a_trial):
    name = "a-model-with-a-name-of-29-chr"
    narrow, wide = (full_text(nine(a_trial, name), width=width) for width in (80, 100))
    assert name in narrow
    assert "SD" not in narrow.partition("───")[0]
    told = "Hidden at 80 columns: SD. Use a wider terminal or --json to see it."
    assert told in " ".join(narrow.split())
    assert "SD" in wide.partition("───")[0]
    assert "Hidden" not in wide


def columns_at(summary, width):
    head = summary_text(summary, detail="rows", width=width).partition("───")[0]
    return [one for one in ("Mean", "SD", "Strict", "Latency", "Cost") if one in head]


def test_columns_give_way_from_the_sd_to_the_cost(a_trial):
    known = Completion(text="x", cost_usd=0.01, latency_s=1.5)
    made = summarise([a_trial(at, at / 9, completion=known) for at in range(9)])
    shown = [tuple(columns_at(made, width)) for width in range(100, 39, -1)]
    assert list(dict.fromkeys(shown)) == [
        ("Mean", "SD", "Strict", "Latency", "Cost"),
        ("Mean", "Strict", "Latency", "Cost"),
        ("Mean", "Latency", "Cost"),
        ("Mean", "Cost"),
    ]


def test_cost_and_latency_are_columns_only_where_one_is_known(a_trial):
    known = Completion(text="x", cost_usd=0.01, latency_s=1.5)
    some = [a_trial(0, completion=known), a_trial(0, model="basalt")]
    text = summary_text(summarise(some), detail="rows")
    assert [re.split(r" {2,}", line)[-2:] for line in text.splitlines()[3:]] == [
        ["$0.01", "1.50 s"],
        ["unknown", "unknown"],
    ]
    assert columns_at(summarise([a_trial(0)]), 200) == []


def test_the_table_alone_names_the_columns_that_a_width_hides(a_trial):
    known = Completion(text="x", cost_usd=0.01, latency_s=1.5)
    trials = [a_trial(at, at / 9, model="m" * 60, completion=known) for at in range(9)]
    text = summary_text(summarise(trials), detail="rows", width=80)
    assert "\nHidden at 80 columns: SD, Strict. Use a wider terminal" in text
    assert "Hidden" not in summary_text(summarise(trials), detail="rows", width=200)


def test_names_fold_to_24_columns_before_the_cost_gives_way(a_trial):
    known = Completion(text="x", cost_usd=0.01)
    trials = [a_trial(at, float(at < 5), model="m" * 60, completion=known) for at in range(9)]
    text = summary_text(summarise(trials), detail="rows", width=80)
    assert "Cost" in text
    assert max(len(line.split()[0]) for line in text.splitlines()[3:]) >= 24


@pytest.mark.parametrize("width", [60, 80])
def test_long_names_fold_before_cost_and_latency_give_way(a_trial, width):
    known = Completion(text="x", cost_usd=0.01, latency_s=1.5)
    names = [f"openrouter/anthropic/claude-{one}-4.5-20250929" for one in ("sonnet", "opus")]
    trials = [
        a_trial(at, float(at < 5), model=name, completion=known)
        for name in names
        for at in range(9)
    ]
    text = summary_text(summarise(trials), detail="rows", width=width)
    head = text.partition("───")[0].split()
    assert {"Accuracy", "CI", "Cost", "Latency"} <= set(head)
    assert max(map(len, text.splitlines())) <= width


def test_an_accuracy_stands_with_its_interval_and_sd_however_long_the_name(a_trial, a_run):
    name = "a-very-long-name-of-a-provider/with-a-model-that-is-named-longer-still"
    trials = [
        a_trial(at, float(at != number), model=name, run=f"r{number}")
        for number in (1, 2)
        for at in range(9)
    ]
    runs = [a_run(f"r{number}", series_id="s", models=(name,)) for number in (1, 2)]
    text = summary_text(summarise(trials, runs))
    assert max(map(len, text.splitlines())) <= 80
    assert "95% CI" in text.split("───")[0]
    assert "SD" in text.split("───")[0]


def test_a_name_of_22_letters_is_whole_beside_wide_intervals(a_trial, a_run):
    name = "a-model-of-22-letters-"
    trials = [a_trial(at, float(at == 0), model=name) for at in range(5)]
    trials += [a_trial(at, 1.0, model="b") for at in range(1234)]
    text = summary_text(summarise(trials, [a_run(models=(name, "b"), planned=12_340)]))
    assert name in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("width", [40, 50, 60, 70, 80, 100])
@pytest.mark.parametrize("metric", ["mean", "strict"])
def test_no_figure_stands_without_its_interval_on_any_terminal(a_trial, metric, width):
    trials = [a_trial(at, at / 9, model="a-model-with-a-long-name") for at in range(10)]
    _, _, text = full_text(summarise(trials, metric=metric), width=width).partition("\n\n")
    head = text.partition("───")[0]
    figures = [one for one in ("Mean", "Strict") if one in head]
    assert figures[0] == metric.capitalize() or len(figures) > 1
    assert head.count("95% CI") == len(figures)
    assert [one for one in ("Mean", "Strict") if f"\n{one}:" in text] == figures
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize(("judge", "head"), [({"asked": ["j"]}, "Mean"), ({}, "Accuracy")])
def test_before_the_first_score_a_judged_suite_has_a_mean(a_trial, a_run, judge, head):
    run = a_run(models=("aurora",), judge=judge)
    text = summary_text(summarise([a_trial(0, None), a_trial(1, None)], [run]))
    assert f"{head} " in text.partition("───")[0]


@given(length=st.integers(1, 70), width=st.integers(62, 140))
def test_a_name_is_folded_only_where_nothing_more_can_give_way(length, width):
    name = "m" * length
    _, _, text = full_text(nine(make_trial, name), width=width).partition("\n\n")
    assert max(map(len, text.splitlines())) <= width
    assert name in text or width - length < 60
    head, _, below = text.partition("───")
    left_out = " ".join(below.split()).partition("Hidden at ")[2].partition(" Use a")[0]
    for column in ("Mean", "SD", "Strict"):
        assert (column in head) != (column in left_out)


@pytest.mark.parametrize(
    ("flags", "options", "told"),
    [
        (("cache_hit",), {"cache": True}, "Benchmark Mode off, 1 cache hit,"),
        ((), {"cache": True}, "Benchmark Mode off, 0 cache hits,"),
        ((), {}, "Benchmark Mode off, Benchmaker"),
    ],
)
def test_cache_hits_stand_in_the_line_to_repeat(a_trial, a_run, flags, options, told):
    run = a_run(models=("aurora",), provider={"kind": "live"}, options=options)
    text = full_text(summarise([a_trial(0, flags=flags), a_trial(1)], [run]))
    assert told in " ".join(text.split())


@pytest.mark.parametrize(
    "path", ["/srv/data/a.jsonl", "C:\\data\\a.jsonl", "../a.jsonl", "a.jsonl"]
)
@pytest.mark.parametrize("key", ["path", "source"])
def test_settings_for_other_machines_name_files_without_folders(a_trial, a_run, path, key):
    kind = "recorded" if key == "path" else "scripted"
    made = summarise([a_trial(0)], [a_run(models=("aurora",), provider={"kind": kind, key: path})])
    assert reproducibility_line(made, has_folders=False).startswith("Settings: ")
    assert "from a.jsonl" in reproducibility_line(made, has_folders=False)
    assert f"from {path}" in reproducibility_line(made)


@pytest.mark.parametrize(
    ("provider", "told"),
    [
        ({"kind": "scripted"}, "scripted answers"),
        ({"kind": "scripted", "source": "replay.jsonl"}, "answers read from replay.jsonl"),
        (
            {"kind": "function", "function": "mine:answer"},
            "answers of the Python function mine:answer",
        ),
        ({"kind": "recorded", "path": "a.jsonl"}, "recorded answers from a.jsonl"),
    ],
)
def test_no_parameter_is_named_that_nobody_was_sent(a_trial, a_run, provider, told):
    sent = {"temperature": 0.7, "max_tokens": 2048}
    run = a_run(models=("aurora",), provider=provider, parameters=sent, seed=7)
    made = summarise([a_trial(0)], [run])
    assert f"Settings: {told}, Benchmaker" in " ".join(full_text(made).split())
    known = made.to_dict()["reproducibility"]
    assert (known["temperature"], known["seed"]) == (None, None)


def test_parameters_are_named_that_a_program_or_an_endpoint_was_sent(a_trial, a_run):
    for kind in ("live", "command", "Own"):
        run = a_run(models=("aurora",), provider={"kind": kind}, parameters={"temperature": 0.7})
        made = summarise([a_trial(0)], [run])
        assert "Settings: temperature 0.7, max_tokens 2048" in full_text(made)
        assert made.to_dict()["reproducibility"]["temperature"] == 0.7


def test_settings_of_many_setups_are_grouped_as_before_the_run(a_trial, a_run):
    parameters = {"temperature": 0.7, "max_tokens": 2048}
    setups = tuple(
        Setup(
            name=f"{label} · {prompt}",
            model="m",
            label=label,
            prompt_id=prompt,
            parameters={**parameters, "temperature": 1.5 if label == "hot" else 0.7},
        )
        for label in ("cold", "hot")
        for prompt in "pq"
    )
    names = tuple(one.name for one in setups)
    run = a_run(models=names, setups=setups, parameters=parameters, provider={"kind": "live"})
    text = full_text(summarise([a_trial(0, model=name) for name in names], [run]))
    assert "Settings: temperature 0.7 (1.5 for hot), max_tokens 2048" in " ".join(text.split())


def test_the_explained_table_has_the_tokens_of_each_model_if_any_are_known(two_models):
    summary = two_models[1]
    assert "Tokens" not in full_text(summary)
    first, second = summary.models
    counted = replace(
        first,
        input_tokens=1234,
        output_tokens=56,
        reasoning_tokens=7,
        tokens_known_trials=first.n_trials - 1,
    )
    text = " ".join(full_text(replace(summary, models=(counted, second))).split())
    assert (
        f"Tokens of {first.model}: 1,234 input, 56 output (7 of them reasoning), in 5 of 6 trials. "
        f"Tokens of {second.model}: unknown."
    ) in text
    assert "Tokens" not in summary_text(replace(summary, models=(counted, second)))
