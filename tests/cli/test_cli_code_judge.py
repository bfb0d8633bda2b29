"""``code run`` and ``code judge``: two small pages, rendered once."""

import asyncio
import json

import pytest

import benchmaker
from benchmaker import RunOptions
from benchmaker.arenas.code.prepare import Pages
from benchmaker.arenas.code.prompt_suite import suite_of_prompt
from benchmaker.arenas.standard.queued_runs import enqueue_runs
from benchmaker.errors import PrerequisiteError, RenderError
from benchmaker.store import Store
from tests.web.answering import answering

SUITE = """
name: pages
profile: robust
scorer: code_judge
cases:
  - id: counter
    prompt: A counter.
    page: {checks: [{steps: [{click: More}, {expect: {css: output, has_text: 1}}]}]}
"""
PAGE = (
    '<!doctype html><html lang="en"><head><title>Counter</title></head><body><main>'
    '<button onclick="o.value = +o.value + 1">More</button> <output id="o">0</output>'
    "</main></body></html>"
)


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "pages.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    told = {"a": f"```html\n{PAGE}\n```", "b": "No."}
    lines = [json.dumps({"model": m, "id": "counter", "output": it}) for m, it in told.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def recorded_judge(tmp_path, model, case):
    path = tmp_path / "judge.jsonl"
    marks = [{"id": name, "evidence": "", "level": 50} for name in ("visual", "code")]
    said = {"criteria": marks, "rationale": "so", "confidence": 1, "cannot_judge": False}
    line = {"model": model, "id": case, "judge": "j", "output": json.dumps(said)}
    path.write_text(json.dumps(line), encoding="utf-8")
    return path


def means(said):
    return {row["model"]: row["mean"] for row in said.data["models"]}


def test_pages_are_rendered_scored_and_judged_later(cli, suite, answers, tmp_path):
    first = means(
        cli("code", "run", suite, "--recorded", answers, "--no-judge", "--quiet", "--json")
    )
    assert first["b"] == 0
    assert first["a"] == 1
    explained = cli("explain", "latest", "counter", "--model", "a").stdout
    assert "checks: 1 × 70/100 (1 of 1 pass)" in explained
    assert "the same " in explained
    judge = recorded_judge(tmp_path, "a", "counter")
    again = means(cli("code", "judge", "latest", "--recorded-judge", judge, "--json"))
    assert again["b"] == 0
    assert again["a"] < first["a"]
    explained = cli("explain", "latest", "counter", "--model", "a").stdout
    assert "j, repeat 1: visual 50, code 50" in explained
    assert "Responsiveness: 70 of 100, weight 10" in explained
    assert "judge_uncited" in explained


def test_the_earlier_judge_is_used_after_a_pass_without_one(cli, suite, answers, tmp_path):
    judge = recorded_judge(tmp_path, "a", "counter")
    cli("code", "run", suite, "--recorded", answers, "--recorded-judge", judge, "--quiet")
    judged = means(cli("results", "latest", "--json"))
    for _ in range(2):
        assert means(cli("code", "judge", "latest", "--no-judge", "--json"))["a"] == 1
    assert means(cli("code", "judge", "latest", "--json")) == judged
    assert cli("results", "latest", "--json").data["judging"]["judges"] == ["j"]


def test_without_an_earlier_judge_the_one_of_the_suite_is_used(cli, suite, answers):
    cli("code", "run", suite, "--recorded", answers, "--no-judge", "--quiet")
    said = cli("code", "judge", "latest", code=2).stderr
    assert "code_judge needs a judge, but none is given." in " ".join(said.split())
    suite.write_text(f"{SUITE}judge: openai/of-the-suite\n", encoding="utf-8")
    cli("code", "run", suite, "--recorded", answers, "--no-judge", "--quiet")
    assert "OPENAI_API_KEY" in cli("code", "judge", "latest", code=3).stderr


def test_pages_in_files_are_judged_as_models(cli, tmp_path):
    path = tmp_path / "counter.html"
    path.write_text(PAGE, encoding="utf-8")
    judge = recorded_judge(tmp_path, "counter.html", "page")
    said = cli("code", "judge", path, "--recorded-judge", judge, "--quiet", "--json")
    assert 0.5 < means(said)["counter.html"] <= 1


def test_a_page_without_judge_and_checks_has_no_score(cli, tmp_path):
    path = tmp_path / "counter.html"
    path.write_text(PAGE, encoding="utf-8")
    said = cli("code", "judge", path, "--no-judge", "--json")
    assert means(said) == {"counter.html": None}
    repeat = cli("results", "latest", "--explain").stdout.partition("\nSettings: ")[2]
    assert " ".join(repeat.split()).startswith(f"answers read from {path}")
    assert "not judged: there is no judge, and the case has no checks" in " ".join(
        said.stderr.split()
    )


def test_a_suite_needs_a_judge_or_the_word_that_there_is_none(cli, suite, answers):
    said = cli("code", "run", suite, "--recorded", answers, "--quiet", code=2)
    assert "needs a judge" in said.stderr


def test_a_case_that_names_the_scorer_needs_no_judge_either(cli, tmp_path, answers):
    line = json.loads(answers.read_text(encoding="utf-8").splitlines()[0])
    page = {"checks": [{"steps": [{"expect": {"css": "output"}}]}]}
    case = {"id": line["id"], "prompt": "A page.", "scorer": "code_judge", "page": page}
    named = tmp_path / "named.json"
    named.write_text(json.dumps({"name": "pages", "cases": [case]}), encoding="utf-8")
    said = cli("code", "run", named, "--recorded", answers, "--no-judge", "--quiet", "--json")
    assert said.data["models"][0]["n_scored"] == 1


@pytest.mark.parametrize("scorer", ["scorer: exact\n", ""])
@pytest.mark.parametrize("way", ["--recorded", "--model"])
def test_a_suite_without_pages_is_refused_before_requests(cli, tmp_path, answers, scorer, way):
    case = "  - {id: counter, prompt: A?, expected: b" + ("}" if scorer else ", scorer: exact}")
    plain = tmp_path / "plain.yaml"
    plain.write_text(f"name: plain\n{scorer}cases:\n{case}\n", encoding="utf-8")
    given = answers if way == "--recorded" else "openai/plain"
    said = cli("code", "run", plain, way, given, "--no-judge", code=2)
    assert "no case has the scorer code_judge" in said.stderr
    assert cli("runs", "--json").data["runs"] == []


@pytest.fixture
def plain(tmp_path, cli):
    """The id of a stored run without pages."""
    file, replies = tmp_path / "plain.yaml", tmp_path / "plain.jsonl"
    file.write_text(
        "name: plain\nscorer: exact\ncases:\n  - {id: counter, prompt: A?, expected: b}\n",
        encoding="utf-8",
    )
    replies.write_text('{"model": "m", "id": "counter", "output": "b"}', encoding="utf-8")
    cli("run", file, "--recorded", replies, "--quiet")
    return cli("runs", "--json").data["runs"][0]["run_id"]


@pytest.mark.parametrize(
    "words",
    [
        ("code", "judge", "latest", "--no-judge"),
        ("code", "judge", "latest", "--judge", "openai/x"),
        ("rescore", "latest", "--scorer", "code_judge"),
        ("code", "rate", "latest"),
        ("code", "export", "latest", "--output", "pages.html"),
    ],
)
def test_a_run_without_pages_is_no_run_of_the_code_arena(cli, plain, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = " ".join(cli(*words, code=2).stderr.split())
    assert f"run {plain} is not a run of the Code Arena." in said
    assert "benchmaker code run" in said
    assert means(cli("results", "latest", "--json")) == {"m": 1}
    assert cli("code", "rate", "--json").data["runs"] == []
    assert not (tmp_path / "pages.html").exists()


def test_only_the_cases_of_pages_are_judged_as_pages(cli, tmp_path, answers):
    page = {"checks": [{"steps": [{"expect": {"css": "output"}}]}]}
    cases = [
        {"id": "counter", "prompt": "A page.", "scorer": "code_judge", "page": page},
        {"id": "word", "prompt": "A word.", "expected": "b"},
    ]
    mixed = tmp_path / "mixed.json"
    mixed.write_text(
        json.dumps({"name": "mixed", "scorer": "exact", "cases": cases}), encoding="utf-8"
    )
    lines = answers.read_text(encoding="utf-8").splitlines()[:1]
    lines.append(json.dumps({"model": "a", "id": "word", "output": "b"}))
    answers.write_text("\n".join(lines), encoding="utf-8")
    cli("code", "run", mixed, "--recorded", answers, "--no-judge", "--quiet")
    judge = recorded_judge(tmp_path, "a", "counter")
    cli("code", "judge", "latest", "--recorded-judge", judge, "--quiet")
    word = cli("show", "latest", "word", "--json").data["trials"][0]["scores"][-1]
    counter = cli("show", "latest", "counter", "--json").data["trials"][0]["scores"][-1]
    assert (word["scorer"], word["score"]) == ("exact", 1)
    assert counter["detail"]["singles"]
    said = cli("code", "judge", "latest", "--recorded-judge", judge, "--quick", code=2).stderr
    assert "name their own scorer" in " ".join(said.split())


def test_a_judge_and_no_judge_do_not_go_together(cli, suite, answers):
    said = cli(
        "code", "run", suite, "--recorded", answers, "--judge", "openai/x", "--no-judge", code=2
    )
    assert "--no-judge" in said.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("one.html", "two.html"), "one run"),
        (("latest", "--prompt", "x", "--no-judge"), "one run"),
    ],
)
def test_what_is_neither_files_nor_one_run_is_refused(cli, words, told):
    assert told in cli("code", "judge", *words, code=2).stderr


def test_files_need_a_judge_or_none(cli, tmp_path):
    path = tmp_path / "a.html"
    path.write_text(PAGE, encoding="utf-8")
    assert "no judge given" in cli("code", "judge", path, code=2).stderr
    assert "there is no file" in cli("code", "judge", path, "gone.html", code=2).stderr


def test_the_starter_suite_that_ships_is_sound():
    from benchmaker.scoring.check import load_checked  # noqa: PLC0415
    from benchmaker.spec.documents.bundled_files import resource_path  # noqa: PLC0415

    suite = load_checked(str(resource_path("code", "starter.yaml")))
    cases = list(suite.cases)
    assert len(cases) == 4
    assert all(case.page.checks for case in cases)
    lines = resource_path("code", "answers.jsonl").read_text(encoding="utf-8").splitlines()
    told = {(it["model"], it["id"]) for it in map(json.loads, lines)}
    assert told == {(f"illustrative-{m}", case.id) for m in "ab" for case in cases}


def test_pages_that_no_browser_showed_leave_a_judged_run_incomplete(
    cli, suite, tmp_path, monkeypatch
):
    async def here(_self):
        return "here"

    async def broken(_self, *_given, **_named):
        raise RenderError("the probe broke off: the browser ended.")

    monkeypatch.setattr(Pages, "place", here)
    monkeypatch.setattr(Pages, "make", broken)
    answers = tmp_path / "pages.jsonl"
    lines = [
        {"model": m, "id": "counter", "output": f"```html\n{PAGE}<!--{m}-->\n```"} for m in "ab"
    ]
    answers.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    judge = recorded_judge(tmp_path, "a", "counter")
    said = cli("code", "run", suite, "--recorded", answers, "--recorded-judge", judge, code=4)
    assert "Incomplete: 2 of 2 answers to be judged (100.0%) have no judgment." in said.stdout
    shown = cli("show", "latest", "counter", "--model", "a", "--json").data
    assert "the browser ended" in shown["trials"][0]["scores"][-1]["notes"]


def test_a_page_is_improved_in_a_run_of_its_own(cli, suite, answers, tmp_path):
    cli("code", "run", suite, "--recorded", answers, "--no-judge", "--quiet")
    better = tmp_path / "better.jsonl"
    row = {"model": "b", "id": "page", "output": f"```html\n{PAGE}\n```"}
    better.write_text(json.dumps(row), encoding="utf-8")
    words = ("code", "improve", "latest", "counter", "Write a page.")
    said = cli(*words, "--no-judge", code=2).stderr
    assert "the run has 2 models: a, b." in said
    given = ("--model", "b", "--recorded", better, "--no-judge", "--quiet", "--json")
    assert means(cli(*words, *given)) == {"b": 1}
    again = cli("code", "improve", "latest", "counter", "Larger.", "--no-judge", code=2).stderr
    assert "no trial of case 'counter'" in again


def test_an_improved_page_is_judged_by_the_judge_of_its_run(cli):
    marks = [{"id": name, "evidence": "", "level": 50} for name in ("visual", "code")]
    told = {"criteria": marks, "rationale": "so", "confidence": 1, "cannot_judge": False}
    with answering(lambda _: f"```html\n{PAGE}\n```") as models:
        models.by_model["j"] = lambda _: json.dumps(told)
        named = (f"{models.url}#m", "--judge", f"{models.url}#j")
        cli("code", "run", "--page", "A counter.", "--model", *named, "--quiet")
        said = cli("code", "improve", "latest", "page", "Larger.", "--quiet", "--json").data
    assert said["judging"]["judges"] == [f"{models.url}#j"]
    assert said["models"][0]["mean"] > 0


def test_without_any_judge_the_message_names_the_option_of_improve(cli, suite, answers):
    cli("code", "run", suite, "--recorded", answers, "--no-judge", "--quiet")
    words = ("code", "improve", "latest", "counter", "Larger.", "--model", "a")
    said = " ".join(cli(*words, "--recorded", answers, code=2).stderr.split())
    assert "--no-judge of benchmaker code run, judge and improve" in said


@pytest.mark.parametrize(
    ("browser", "fault"),
    [("gone", "the browser does not exist."), ("mute", "nothing rendered")],
)
def test_a_browser_that_does_not_start_is_refused_before_any_request(cli, tmp_path, browser, fault):
    mute = tmp_path / "mute"
    mute.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    mute.chmod(0o755)
    with answering(lambda _: f"```html\n{PAGE}\n```") as models:
        order = ("--page", "A red page", "--model", f"{models.url}#m", "--no-judge")
        said = cli("code", "run", *order, "--browser", tmp_path / browser, code=3).stderr
        assert models.asked == []
    assert fault in said
    assert str(tmp_path / browser) in said
    assert cli("runs", "--json").data["runs"] == []


def test_a_queued_run_queries_no_model_while_its_browser_does_not_start(tmp_path):
    with answering(lambda _: f"```html\n{PAGE}\n```") as models:
        options = RunOptions(judge=[], prepare={"browser": str(tmp_path / "gone")})
        suite = suite_of_prompt("A red page")
        with Store.open(tmp_path / "benchmaker.db") as store:
            queued = enqueue_runs(
                store, suite, options, home=tmp_path, models=(f"{models.url}#m",), environ={}
            )
            (run,) = asyncio.run(queued)
        with pytest.raises(PrerequisiteError, match="the browser does not exist"):
            benchmaker.resume(run.id, home=tmp_path, environ={})
        assert models.asked == []


def test_a_judge_without_a_reply_takes_no_total_away(cli, suite, answers, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text('{"model": "a", "id": "counter", "judge": "k", "output": "Well."}')
    cli("code", "run", suite, "--recorded", answers, "--recorded-judge",
        recorded_judge(tmp_path, "a", "counter"))  # fmt: skip
    before = means(cli("results", "latest", "--json"))
    again = cli("code", "judge", "latest", "--recorded-judge", other, "--quiet", code=4)
    assert "decided nothing on 1 answer, which keeps its earlier score" in again.stderr
    after = cli("results", "latest", "--json")
    assert means(after) == before
    assert after.data["judging"]["judges"] == ["j"]
    rated = cli("code", "rate", "--json").data
    assert rated["scored_by"] == [{"judges": ["j"], "answers": 1}]
