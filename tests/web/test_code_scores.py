"""A page's score is the same in results, exports, pages, the API and standings."""

import io
import json
import math
from types import SimpleNamespace

import pytest

import benchmaker
from benchmaker import Case, RunOptions, ScorerSpec, Suite
from benchmaker.arenas.code.generated_pages import gather_pages
from benchmaker.arenas.code.prompt_suite import suite_of_stored_page
from benchmaker.arenas.code.totals import totals_of
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.errors import AuthError, ProviderError, SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, FinishReason, TrialKey
from benchmaker.report.arenas.code_scores import criterion_lines
from benchmaker.report.arenas.voting import standings_text
from benchmaker.report.formats.code_report import write_code_report
from benchmaker.report.sentences.notes import summary_notes
from benchmaker.spec.suites.page_checks import Page
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script
from benchmaker.web.code.rows import prompt_rows
from benchmaker.web.code.run_ratings import standings_of
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.previews import bundle_of
from benchmaker.web.tickets import PreviewOf
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving

CHECKS = Page(
    checks=[{"steps": [{"expect": {"css": "main"}}]}, {"steps": [{"expect": {"css": "#none"}}]}]
)
WITHOUT_PAGE = {"empty": "", "sorry": "I cannot do that.", "rust": "```rust\nfn main() {}\n```"}
STATES = {"empty": "empty"}
"""The words for answers without a page, where these do not say that there is no code."""
FAILED = {"down": ProviderError("out of order")}
WITH_PAGE = {"fine": "```html\n<!doctype html><title>x</title><main>Fine</main>\n```"}
"""What each model answers, by its name."""


def _judge(_):
    marks = [{"id": name, "evidence": "", "level": 50} for name in ("visual", "code")]
    return {"criteria": marks, "rationale": "so", "confidence": 1, "cannot_judge": False}


def _run(home, answers, *, page=None, is_judged=False):
    """A run of one page by models that answer so; its id."""
    home.mkdir(exist_ok=True)
    made = aside(
        benchmaker.run,
        Suite(
            "pages",
            [Case(id="x", prompt="A page.", page=page)],
            scorer=ScorerSpec(id="code_judge"),
            profile="robust",
        ),
        provider=Scripted(lambda it: answers[it.model], models=list(answers)),
        models=list(answers),
        judge_provider=Scripted(judge_script(_judge)) if is_judged else None,
        home=home,
        options=RunOptions(
            judge="j" if is_judged else {"models": []},
            limits=RunLimits(retry=Retry(base_s=0.001, empty_s=0.001)),
        ),
    )
    return made.run_ids[0]


def _expected(answers, *, page, is_judged):
    """The score of each model from 0 to 100, None if unscored, computed without Benchmaker."""
    found = {}
    for model in answers:
        if model in FAILED:
            found[model] = None
        elif model in WITHOUT_PAGE:
            found[model] = 0.0 if page or is_judged else None
        else:
            found[model] = math.nan if is_judged else 50.0 if page else None
    return found


def _same(seen, expected):
    """True if the scores agree; a judged page has any score above 0."""
    if expected is None or seen is None:
        return expected is seen
    return seen > 0 if math.isnan(expected) else seen == pytest.approx(expected)


def _assert_surfaces_agree(home, run_id, expected, *, page, is_judged):
    results = benchmaker.results(run_id, home=home).summary.to_dict()
    means = {one["model"]: one["mean"] for one in results["models"]}
    with Store.open(home / "benchmaker.db") as store:
        subject = CodeRun.of(store, run_id)
        (row,) = prompt_rows(subject, 375)
        cells = {cell.model: cell for cell in row.cells}
        totals = {key.model: it for key, it in totals_of(store, [run_id]).items()}
        voted = {it.model: it for it in standings_of(store, [run_id]).models}
        report = io.StringIO()
        write_code_report(
            subject.run, gather_pages(store, subject.run), report, pictures=lambda _: []
        )
    with serving(home) as address:
        listed = json.loads(fetched(f"{address}/api/v1/code/runs/{run_id}/pages")[2])
    rows = {one["model"]: one for one in listed["items"]}
    for model, score in expected.items():
        assert _same(None if means[model] is None else 100 * means[model], score), model
        assert _same(rows[model]["score"], score), model
        if model in WITHOUT_PAGE:
            assert cells[model].score == ("not judged" if score is None else "0.0")
            assert cells[model].state == rows[model]["state"] == STATES.get(model, "no code")
            assert cells[model].checks == ("0 of 2" if page else "")
            assert cells[model].reason == rows[model]["notes"] != ""
            assert rows[model]["checks_passed"] == (0 if page else None)
            assert totals[model].judge == voted[model].judge_mean == (0 if is_judged else None)
            assert totals[model].checks == voted[model].checks_mean == (0 if page else None)
            assert (voted[model].without_page, voted[model].probed) == (1, 0)
        elif score is None:
            if model in FAILED:
                assert cells[model].state == rows[model]["state"] == "provider error"
                assert cells[model].score == ""
            assert totals[model].judge is voted[model].judge_mean is None
            assert voted[model].without_page == 0
            assert not cells[model].score[:1].isdigit()
    without = len(WITHOUT_PAGE.keys() & expected.keys())
    words = ("no code", "empty")
    assert sum(report.getvalue().count(f'<span class="chip bad">{it}</span>') for it in words) == (
        without
    )


@pytest.mark.parametrize("is_judged", [False, True])
@pytest.mark.parametrize("page", [None, CHECKS])
def test_an_answer_without_a_page_has_one_score_on_every_surface(tmp_path, page, is_judged):
    answers = {**WITHOUT_PAGE, **FAILED}
    expected = _expected(answers, page=page, is_judged=is_judged)
    run_id = _run(tmp_path, answers, page=page, is_judged=is_judged)
    _assert_surfaces_agree(tmp_path, run_id, expected, page=page, is_judged=is_judged)


@pytest.mark.long
@pytest.mark.parametrize("is_judged", [False, True])
@pytest.mark.parametrize("page", [None, CHECKS])
def test_scores_of_pages_agree_with_a_plain_computation(tmp_path, page, is_judged):
    answers = {**WITHOUT_PAGE, **FAILED, **WITH_PAGE}
    expected = _expected(answers, page=page, is_judged=is_judged)
    run_id = _run(tmp_path, answers, page=page, is_judged=is_judged)
    _assert_surfaces_agree(tmp_path, run_id, expected, page=page, is_judged=is_judged)


def test_one_empty_answer_does_not_rename_the_mean_of_checks(tmp_path):
    results = benchmaker.results(_run(tmp_path, WITHOUT_PAGE, page=CHECKS), home=tmp_path)
    assert results.summary.measure == "checks"


def test_a_judged_mean_is_no_accuracy_though_every_answer_is_0(tmp_path):
    results = benchmaker.results(_run(tmp_path, WITHOUT_PAGE, is_judged=True), home=tmp_path)
    assert [it.mean for it in results.summary.models] == [0.0] * len(WITHOUT_PAGE)
    assert results.summary.figure_name == "mean"


def test_every_answer_has_an_address_which_names_the_reason_for_no_page(tmp_path):
    answers = {"empty": "", "sorry": "I cannot do that.", **FAILED}
    run_id = _run(tmp_path, answers, page=CHECKS)
    with serving(tmp_path) as address:
        found = [fetched(f"{address}/code/{run_id}/1/{n}") for n in range(1, len(answers) + 1)]
        grid = fetched(f"{address}/code/{run_id}?names=1")[2].decode()
    assert [status for status, *_ in found] == [200] * len(answers)
    empty, sorry, down = (body.decode() for *_, body in found)
    assert "empty: scored 0 by the suite" in empty
    assert "The answer has no code." in sorry
    assert "provider error" in down
    assert "out of order" in down
    assert ["/improve" in it for it in (empty, sorry, down)] == [False, True, False]
    assert all(f"/code/{run_id}/1/{n}" in grid for n in range(1, len(answers) + 1))


def test_a_page_is_an_answer_with_code_in_every_list(tmp_path):
    run_id = _run(tmp_path, {"empty": "", "sorry": "I cannot do that."}, page=CHECKS)
    with serving(tmp_path) as address:
        listed = json.loads(fetched(f"{address}/api/v1/code/runs")[2])
        gallery = fetched(f"{address}/code/models/{run_id}/2?all=1")[2].decode()
    assert [it["pages"] for it in listed["items"]] == [0]
    assert "0 pages" in gallery


def test_a_failed_request_can_not_be_improved_and_says_why(tmp_path):
    run_id = _run(tmp_path, FAILED)
    with (
        Store.open(tmp_path / "benchmaker.db") as store,
        pytest.raises(SpecError, match="there is no answer: provider error"),
    ):
        suite_of_stored_page(store, TrialKey(run_id, "down", "x"), "Larger.")


def test_without_judge_and_checks_no_mean_is_over_failures_alone(tmp_path):
    results = benchmaker.results(_run(tmp_path, WITHOUT_PAGE), home=tmp_path)
    by_model = {it.model: it for it in results.summary.models}
    assert [it.mean for it in by_model.values()] == [None] * len(WITHOUT_PAGE)
    assert by_model["empty"].treatments.unscorable == {"empty": 1}
    assert "No score without a judge or checks: empty (1 empty)." in " ".join(
        summary_notes(results.summary)
    )


@pytest.mark.parametrize(
    ("page", "means"),
    [
        (CHECKS, "They are 0 in checks passed where pages have these, and are not"),
        (None, "They are not"),
    ],
)
def test_standings_count_the_answers_without_a_page(tmp_path, page, means):
    run_id = _run(tmp_path, {**WITHOUT_PAGE, **FAILED}, page=page)
    with Store.open(tmp_path / "benchmaker.db") as store:
        said = " ".join(standings_text(standings_of(store, [run_id])).split())
    named = ", ".join(f"{model} 1" for model in sorted(WITHOUT_PAGE))
    assert f"Answers without a page: {named}. {means} in the probe mean." in said
    with serving(tmp_path) as address:
        shown = fetched(f"{address}/code/standings?run={run_id}")[2].decode()
    assert f"Answers without a page: {named}. {means}" in shown


def test_a_case_without_checks_is_not_one_with_unknown_checks(tmp_path):
    run_id = _run(tmp_path, {"sorry": "I cannot do that."}, is_judged=True)
    with Store.open(tmp_path / "benchmaker.db") as store:
        score = CodeRun.of(store, run_id).score("x", "sorry")
    assert [it.texts for it in criterion_lines([score])][-2:] == [("0.0",), ("no checks",)]
    assert criterion_lines([None])[-1].texts == ("unknown",)


def test_the_live_stream_names_answers_without_a_page_but_no_model(tmp_path):
    run_id = _run(tmp_path, {**WITHOUT_PAGE, **FAILED})
    with serving(tmp_path) as address:
        body = fetched(f"{address}/code/{run_id}/1/live/events")[2].decode()
        page = fetched(f"{address}/code/{run_id}/1/live")[2].decode()
    for text in (body, page):
        assert text.count("It has no score") == len(WITHOUT_PAGE)
        assert text.count("no code<") >= len(WITHOUT_PAGE) - 1
        assert "not prepared" not in text
        assert "out of order" not in text
        assert "provider error" in text


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("empty", "The answer is empty."),
        ("rust", "fences contain rust"),
        ("down", "gave no answer"),
    ],
)
def test_the_preview_of_an_answer_without_a_page_says_why(tmp_path, model, words):
    run_id = _run(tmp_path, {model: {**WITHOUT_PAGE, **FAILED}[model]})
    with Store.open(tmp_path / "benchmaker.db") as store:
        bench = SimpleNamespace(store=store)
        assert words in bundle_of(bench, PreviewOf(run_id, "x", model)).document


@pytest.mark.long
@pytest.mark.parametrize(
    ("reply", "second"),
    [
        ("no reply", ""),
        (AuthError("no such key"), Completion(text="Thinking", finish=FinishReason.LENGTH)),
    ],
)
def test_a_failing_judge_leaves_no_mean_over_answers_without_a_page(tmp_path, reply, second):
    """One model has a page and an answer without one, the other two pages.

    After an error of authentication the judge is not queried again: its answers wait.
    """
    answers = {"both": (WITH_PAGE["fine"], second), "fine": (WITH_PAGE["fine"],) * 2}

    def answer(it):
        return answers[it.model]["second" in str(it.messages)]

    made = aside(
        benchmaker.run,
        Suite(
            "pages",
            [Case(id="x", prompt="A first."), Case(id="y", prompt="A second.")],
            scorer=ScorerSpec(id="code_judge"),
            profile="robust",
        ),
        provider=Scripted(answer, models=list(answers)),
        models=list(answers),
        judge_provider=Scripted(lambda _: reply, models=["j"]),
        home=tmp_path,
        options=RunOptions(judge="j"),
    )
    summary = made.summary
    assert [it.mean for it in summary.models] == [None, None]
    said = " ".join(summary_notes(summary))
    assert "No mean, because the judge decided on none of their answers: both." in said
    assert "No score without a judge" not in said
    with Store.open(tmp_path / "benchmaker.db") as store:
        found = standings_of(store, made.run_ids)
        rows = prompt_rows(CodeRun.of(store, made.run_ids[0]), 375)
    cells = [cell for row in rows for cell in row.cells if cell.state == "rendered"]
    assert [cell.score for cell in cells] == ["not judged"] * 3
    assert {it.model: (it.judge_mean, it.unjudged) for it in found.models} == {
        "both": (None, 1),
        "fine": (None, 2),
    }
    said = " ".join(standings_text(found).split())
    assert "Not judged, because the judge failed or has not replied yet: both 1, fine 2." in said
