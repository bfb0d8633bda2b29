"""``run``, ``resume`` and ``rescore`` with judges."""

import json

import pytest


def write_lines(path, lines):
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.fixture
def folder(tmp_path):
    """A suite of four questions, answers of two models, and a judge's replies to them."""
    cases = [{"id": f"c{n}", "prompt": f"What is {n}?"} for n in range(4)]
    answers = [
        {"model": model, "id": f"c{n}", "output": f"{model} says {n}"}
        for n in range(4)
        for model in ("a", "b")
    ]
    replies = [
        {"model": line["model"], "id": line["id"], "output": json.dumps({"score": score})}
        for line, score in zip(answers, (8, 2) * 4, strict=True)
    ]
    suite = {"name": "judged", "scorer": "llm_judge", "cases": cases}
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    plain = {"name": "plain", "scorer": "exact", "cases": [{**it, "expected": "4"} for it in cases]}
    (tmp_path / "plain.json").write_text(json.dumps(plain))
    write_lines(tmp_path / "answers.jsonl", answers)
    write_lines(tmp_path / "judge.jsonl", replies)
    write_lines(tmp_path / "torn.jsonl", [{**it, "output": "?"} for it in replies])
    return tmp_path


def words(folder, suite="suite.json", judge="judge.jsonl"):
    given = [folder / suite, "--recorded", folder / "answers.jsonl"]
    return [*given, "--recorded-judge", folder / judge] if judge else given


def test_recorded_replies_are_judgments_without_any_call(cli, folder):
    data = cli("run", *words(folder), "--json").data
    assert {row["model"]: row["mean"] for row in data["models"]} == {"a": 0.8, "b": 0.2}
    assert data["judging"]["judgments"] == 8
    assert data["judging"]["judges"] == ["recorded"]
    assert data["complete"] is True


def test_the_table_says_who_judged_and_that_nobody_calibrated_it(cli, folder):
    cli("run", *words(folder))
    said = cli("results", "--explain").stdout
    assert "Judge: recorded (1 × each; uncalibrated" in said
    assert "Judgments: 8" in said
    assert "judge recorded (1 × each answer)" in " ".join(said.split())


def test_a_judge_that_can_not_be_read_makes_the_run_incomplete(cli, folder):
    said = cli("run", *words(folder, judge="torn.jsonl"), "--json", code=4)
    assert said.data["complete"] is False
    assert said.data["judging"]["failed"] == 8
    assert "Incomplete: 8 of 8 answers to be judged (100.0%) have no judgment." in said.stderr


def test_a_request_that_failed_in_a_recording_costs_what_the_recording_says(cli, folder):
    lines = [json.loads(line) for line in (folder / "judge.jsonl").read_text().splitlines()]
    lines[0] |= {"output": None, "error": "HTTP 500"}
    priced = [{**line, "cost_usd": 0.01} for line in lines[:7]]
    write_lines(folder / "priced.jsonl", [*priced, lines[7]])
    judging = cli("run", *words(folder, judge="priced.jsonl"), "--json").data["judging"]
    assert judging["cost_usd"] is None
    assert judging["cost_usd_at_least"] == pytest.approx(0.07)
    assert judging["usd_per_1000_judgments"] == pytest.approx(1000 * 0.07 / 6)
    assert (judging["judgments"], judging["by_judge"][0]["without_reply"]) == (7, 1)


def test_a_suite_that_needs_a_judge_says_how_to_name_one(cli, folder):
    said = cli("run", *words(folder, judge=None), code=2)
    assert "--judge MODEL" in said.stderr


def test_a_judge_without_a_key_is_refused_before_anything_is_asked(cli, folder):
    said = cli("run", *words(folder, judge=None), "--judge", "openai/gpt-4o", code=3)
    assert "OPENAI_API_KEY" in said.stderr


def test_a_judge_that_nothing_asks_is_refused(cli, folder):
    said = cli("run", *words(folder, suite="plain.json"), code=2)
    assert "suite 'plain' uses no judge" in said.stderr


def test_stored_answers_are_judged_later(cli, folder):
    cli("run", *words(folder, suite="plain.json", judge=None), "--quiet")
    judge = ("--recorded-judge", folder / "judge.jsonl")
    said = cli("rescore", "latest", *judge, code=2)
    assert "suite 'plain' uses no judge" in said.stderr
    data = cli("rescore", "latest", "--scorer", "llm_judge", *judge, "--json").data
    assert {row["model"]: row["mean"] for row in data["models"]} == {"a": 0.8, "b": 0.2}
    said = cli("explain", "latest", "c1", "--model", "a").stdout
    assert "recorded, repeat 1: 8 = 0.8" in said


def test_a_budget_without_anybody_to_pay_is_refused(cli, folder):
    said = cli("run", *words(folder), "--max-cost", 1, code=2)
    assert "--max-cost" in said.stderr


def test_a_judged_run_is_the_same_after_export_and_import(cli, folder):
    made = cli("run", *words(folder), "--json").data
    cli("export", "latest", "--format", "json", "--output", folder / "run.json")
    elsewhere = ("--home", folder / "elsewhere")
    cli("import", folder / "run.json", *elsewhere)
    assert "Already stored" in cli("import", folder / "run.json", *elsewhere).stdout
    there = cli("results", made["run_id"], "--json", *elsewhere).data
    here = cli("results", made["run_id"], "--json").data
    assert there["judging"] == here["judging"]
    assert there["judging"]["judgments"] == 8
    here, there = (
        cli("results", made["run_id"], *where).stdout.partition("Methods, settings")[0]
        for where in ((), elsewhere)
    )
    assert here == there
    for _ in range(2):  # and once more, out of what was imported
        cli("export", made["run_id"], "--format", "json", "--output", folder / "b.json", *elsewhere)
    first, second = ((folder / name).read_text() for name in ("run.json", "b.json"))
    assert json.loads(first)["judgments"] == json.loads(second)["judgments"]
    assert len(json.loads(first)["judgments"]) == 8


def test_resuming_a_judged_run_finds_its_replies_again(cli, folder):
    data = cli("run", *words(folder), "--json").data
    again = cli("resume", data["run_id"], "--json").data
    assert again["models"] == data["models"]


def test_power_says_how_many_runs_a_judged_suite_takes(cli, folder):
    said = cli("power", "--n", 100, "--delta", 5, "--judged").stdout
    assert "3 to 5 runs, by the published guideline" in said
    replies = [
        {"model": model, "id": f"c{n}", "repeat": at, "output": f"score: {score + n - at}"}
        for n in range(4)
        for model, score in (("a", 6), ("b", 3))
        for at in (1, 2)
    ]
    write_lines(folder / "twice.jsonl", replies)
    cli("run", *words(folder, judge="twice.jsonl"), "--judge-repeats", 2, "--quiet")
    data = cli("power", "--delta", 20, "--from", "latest", "--model", "a", "--json").data
    needed = data["runs_needed"]
    assert needed["basis"] == "measured"
    assert needed["is_least"] is True
    assert needed["sd_judge"] == pytest.approx(0.5**0.5 / 10)
    assert needed["judge_repeats"] == 2


def test_an_estimate_counts_the_judges(cli, folder):
    asked = ("estimate", folder / "suite.json", "--model", "openai/gpt-4o-mini")
    said = cli(*asked, "--judge", "openai/gpt-4o", "--judge-repeats", 3)
    assert "judge openai/gpt-4o" in said.stdout
    assert "Judges: one request per answer, run, repeat" in said.stdout
    data = cli(*asked, "--judge", "openai/gpt-4o", "--json").data
    assert data["judges"][0]["requests"] == 4
    assert "judge openai" not in cli(*asked).stdout


def test_a_header_tells_what_judging_recorded_answers_may_cost(cli, folder):
    said = cli("run", *words(folder, judge=None), "--judge", "openai/gpt-4o", code=3)
    assert "judged: judging 4 answers of each model" in said.stderr
    assert "judge openai/gpt-4o  estimate $" in said.stderr


def test_a_judged_score_is_explained_with_its_ground_and_computed_again_from_the_store(cli, folder):
    cli("run", *words(folder), "--quiet")
    said = cli("explain", "latest", "c1", "--model", "a").stdout
    assert "recorded: uncalibrated, never calibrated" in said
    assert "now: the same score" in said
    data = cli("explain", "latest", "c1", "--model", "a", "--json").data
    assert data["same_digits"] is True
    assert data["judges"] == ["recorded: uncalibrated, never calibrated"]
    shown = cli("show", "latest", "c1").stdout
    assert "judge     recorded: uncalibrated, never calibrated" in shown


def test_html_and_markdown_say_who_judged_and_how_far_judges_agree(cli, folder):
    lines = (folder / "judge.jsonl").read_text().splitlines()
    two = [{**json.loads(line), "judge": judge} for line in lines for judge in ("x", "y")]
    write_lines(folder / "two.jsonl", two)
    said = cli("run", *words(folder, judge="two.jsonl")).stdout
    assert "Judges: x, y" in said
    explained = " ".join(cli("results", "latest", "--explain").stdout.split())
    assert "Agreement between judges: Krippendorff's alpha 1.00" in explained
    data = cli("results", "latest", "--json").data["judging"]
    assert (data["alpha"], data["uncalibrated"]) == (1.0, ["x", "y"])
    for form in ("html", "markdown"):
        text = cli("export", "latest", "--format", form, "--output", "-").stdout
        assert "weights equal, uncalibrated" in text
        assert "Krippendorff" in text
        assert "per 1,000" in text or "cost unknown" in text


def test_a_budget_for_a_calibration_from_a_file_is_refused(cli, folder):
    words = ("--recorded-judge", folder / "judge.jsonl", "--max-cost", 1)
    assert "cost nothing" in cli("calibrate", *words, code=2).stderr


@pytest.fixture
def three_runs(folder):
    """Answers of one model in three runs, which differ."""
    answers = [
        {"model": "a", "id": f"c{n}", "run": run, "output": f"{word} {n}"}
        for run, word in enumerate(("good", "bad", "so-so"), 1)
        for n in range(4)
    ]
    write_lines(folder / "answers.jsonl", answers)
    return folder


def test_each_run_is_judged_by_its_own_recorded_reply(cli, three_runs):
    replies = [
        {"model": "a", "id": f"c{n}", "run": run, "output": f"score: {score}"}
        for run, score in enumerate((9, 1, 5), 1)
        for n in range(4)
    ]
    write_lines(three_runs / "judge.jsonl", replies)
    (model,) = cli("run", *words(three_runs), "--json").data["models"]
    assert model["runs"]["scores"] == [0.9, 0.1, 0.5]
    assert model["mean"] == pytest.approx(0.5)


def test_a_reply_without_a_run_is_refused_where_the_answers_of_runs_differ(cli, three_runs):
    replies = [{"model": "a", "id": f"c{n}", "output": "score: 9"} for n in range(4)]
    write_lines(three_runs / "judge.jsonl", replies)
    said = cli("run", *words(three_runs), code=2).stderr
    assert (
        "the reply to the answer of 'a' to case 'c0' has no run, but the answers of the 3 runs"
        in said
    )
    assert "3 more replies like this" in said
    assert '"run": 2' in said
    cli("run", *words(three_runs), "--runs", 1, "--quiet")


def test_a_reply_without_a_run_serves_equal_answers_of_all_runs(cli, folder):
    lines = [json.loads(it) for it in (folder / "answers.jsonl").read_text().splitlines()]
    write_lines(folder / "answers.jsonl", [{**it, "run": n} for n in (1, 2) for it in lines])
    data = cli("run", *words(folder), "--json").data
    assert {row["model"]: row["mean"] for row in data["models"]} == {"a": 0.8, "b": 0.2}


def test_recorded_repeats_count_without_being_asked_for(cli, folder):
    lines = [json.loads(it) for it in (folder / "judge.jsonl").read_text().splitlines()]
    scores = {1: 8, 2: 2, 3: 3}
    replies = [
        {**it, "repeat": n, "output": f"score: {score}"}
        for it in lines
        for n, score in scores.items()
    ]
    write_lines(folder / "judge.jsonl", replies)
    data = cli("run", *words(folder), "--json").data
    assert data["judging"]["judgments"] == 24
    assert {row["mean"] for row in data["models"]} == {0.3}
    once = cli("run", *words(folder), "--judge-repeats", 1, "--json").data
    assert {row["mean"] for row in once["models"]} == {0.8}


def test_judges_that_replied_unequally_often_need_a_word_on_it(cli, folder):
    lines = [json.loads(it) for it in (folder / "judge.jsonl").read_text().splitlines()]
    replies = [{**it, "judge": judge, "repeat": n} for it in lines for judge, n in
               (("x", 1), ("x", 2), ("y", 1))]  # fmt: skip
    write_lines(folder / "judge.jsonl", replies)
    said = cli("run", *words(folder), code=2).stderr
    assert "different numbers of repeats: 2 of x, 1 of y." in said
    assert "--judge-repeats" in said


def test_what_waits_after_no_judge_is_judged_by_the_same_command(cli, folder):
    cli("run", *words(folder, judge="torn.jsonl"), "--quiet", code=4)
    cli("rescore", "latest", "--recorded-judge", folder / "judge.jsonl")
    suite = json.loads((folder / "suite.json").read_text())
    suite["cases"][0]["expected"] = "Nothing but zero."
    (folder / "edited.json").write_text(json.dumps(suite))
    again = ["rescore", "latest", "--suite", folder / "edited.json"]
    waiting = " ".join(cli(*again, "--no-judge", code=4).stdout.split())
    assert "2 answers wait for a judge. Judge them with: benchmaker resume" in waiting
    assert "not closed" not in waiting
    done = " ".join(cli(*again).stdout.split())
    assert "wait for a judge" not in done
    assert "Unfinished" not in done
