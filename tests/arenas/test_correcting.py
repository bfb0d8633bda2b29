"""A corrected suite over stored answers: no model is asked, and nothing is lost."""

import asyncio
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from benchmaker import Case, RunOptions, ScorerSpec, SpecError, Suite, rescore, results, resume, run
from benchmaker.analysis import trend
from benchmaker.errors import ProviderError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import AWAITING_JUDGE, Completion, RunState
from benchmaker.report.runs.markdown import write_markdown
from benchmaker.report.sentences.notes import model_cost, summary_notes
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script

EXACT, JUDGE = ScorerSpec(id="exact"), ScorerSpec(id="llm_judge")


def a_case(name, expected, prompt=None, **fields):
    return Case(id=name, prompt=prompt or f"What is {name}?", expected=expected, **fields)


def a_suite(*cases, scorer=EXACT, **fields):
    return Suite(**{"name": "sums", "cases": cases, "scorer": scorer, **fields})


def a_model(models=("a", "b")):
    """Answers each case by its name, and fails at c3."""

    def said(request):
        if request.case_id == "c3":
            return ProviderError("out of order", status=500)
        return Completion(text=f"{request.case_id} is known", cost_usd=0.25)

    return Scripted(said, models=models)


def a_judge(score=7):
    return Scripted(judge_script(lambda _: {"score": score}), models=("j",))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def known(name):
    return f"{name} is known"


ASKED = a_suite(
    a_case("c1", "wrong"), a_case("c2", known("c2")), a_case("c3", "x"), a_case("c4", "y")
)
EDITED = a_suite(
    a_case("c4", known("c4"), prompt="Otherwise?"),
    a_case("new", "n"),
    a_case("c3", "x"),
    a_case("c2", known("c2"), weight=3.0),
    a_case("c1", known("c1")),
)


def test_a_corrected_suite_scores_stored_answers_without_asking(home):
    before = run(ASKED, provider=a_model(), home=home, options=RunOptions(runs=2, retries=0))
    heard = []
    after = rescore(
        before.series_id,
        suite=EDITED,
        home=home,
        on_correction=lambda *it: heard.append(it),
    )
    ((correction, judges),) = heard
    assert (correction.new, correction.reworded, correction.gone) == (("new",), ("c4",), ())
    assert judges == ()
    assert len(after.run_ids) == 2
    assert (before.mean("a"), after.mean("a")) != (None, None)
    assert after.mean("a") == 1.0
    scored = [it for it in after.trials() if it.score and it.model == "a"]
    places = [(it.case_id, it.position, it.weight) for it in scored]
    assert places == 2 * [("c2", 3, 3.0), ("c1", 4, 1.0)]


def test_the_run_that_was_made_stays_as_it_is_and_pays_alone(home):
    before = run(ASKED, provider=a_model(), home=home, options=RunOptions(retries=0))
    told = before.summary.to_dict()
    after = rescore(before.run_ids[0], suite=EDITED, home=home)
    assert results(before.run_ids[0], home=home).summary.to_dict() == told
    with Store.open(home / "benchmaker.db") as store:
        assert store.spent_usd(before.run_ids) == pytest.approx(1.5)
        assert store.spent_usd(after.run_ids) == 0
        assert store.run(after.run_ids[0]).state is RunState.INTERRUPTED
        assert before.run_ids[0] in store.run(after.run_ids[0]).notes[0]


def test_copied_answers_cost_what_they_cost_and_the_copy_spends_nothing(home):
    before = run(ASKED, provider=a_model(("a",)), home=home, options=RunOptions(retries=0))
    after = rescore(before.run_ids[0], suite=a_suite(*ASKED.cases, name="again"), home=home)
    paid = [(it.case_id, it.cost_usd) for it in before.trials()]
    assert [(it.case_id, it.cost_usd) for it in after.trials()] == paid
    [model] = after.summary.models
    assert (model.cost_usd, model.n_reused) == (0.0, 4)
    with Store.open(home / "benchmaker.db") as store:
        known = store.columns(before.run_ids).cost_usd
        np.testing.assert_array_equal(store.columns(after.run_ids).cost_usd, known)
        assert store.costs(after.run_ids).known_usd == 0.0
        assert store.costs(after.run_ids).is_whole
    assert any("spent; 4 answers from the cache" in it for it in summary_notes(after.summary))


def test_cases_outside_the_selection_of_a_run_are_not_named_as_removed(home):
    before = run(ASKED, provider=a_model(), home=home, options=RunOptions(retries=0, limit=2))
    heard = []
    rescore(
        before.run_ids[0],
        suite=a_suite(*ASKED.cases, name="again"),
        home=home,
        on_correction=lambda found, _: heard.append(found),
    )
    assert [list(found.sentences()) for found in heard] == [[]]


def test_a_resumed_run_asks_the_new_cases_alone(home):
    before = run(ASKED, provider=a_model(), home=home, options=RunOptions(retries=0))
    after = rescore(before.run_ids[0], suite=EDITED, home=home)
    more = a_model()
    resumed = resume(after.run_ids[0], provider=more, home=home)
    assert sorted({it.case_id for it in more.requests}) == ["c4", "new"]
    assert resumed.is_finished


def test_the_cases_without_an_answer_are_kept_and_shown_until_they_are_asked(home):
    before = run(ASKED, provider=a_model(), home=home, options=RunOptions(retries=0))
    after = rescore(before.run_ids[0], suite=EDITED, home=home)
    found = results(after.run_ids[0], home=home)
    assert found.runs[0].not_run == ("new", "c4")
    told = found.summary.to_dict()
    assert (told["rescored_from"], told["not_run"]) == (list(before.run_ids), ["new", "c4"])
    assert told["not_run_by_setup"] == {it: ["new", "c4"] for it in before.models}
    sentence = "Not run: 2 cases have no stored answer: new, c4."
    assert sentence in summary_notes(found.summary)
    text = io.StringIO()
    write_markdown(found.summary, text)
    assert f"- {sentence}" in text.getvalue()
    resumed = resume(after.run_ids[0], provider=a_model(), home=home)
    assert resumed.summary.to_dict()["not_run"] == []
    assert not any("Not run" in one for one in summary_notes(resumed.summary))


def test_a_run_that_was_asked_lists_no_case_as_not_run(home):
    told = run(
        ASKED, provider=a_model(), home=home, options=RunOptions(retries=0)
    ).summary.to_dict()
    assert (told["rescored_from"], told["not_run"]) == ([], [])


def test_the_very_same_suite_and_a_strange_one_are_refused(home):
    before = run(ASKED, provider=a_model(), home=home, options=RunOptions(retries=0))
    with pytest.raises(SpecError, match="no score can change"):
        rescore(before.run_ids[0], suite=ASKED, home=home)
    with pytest.raises(SpecError, match="no case has the same id and the same prompt"):
        rescore(before.run_ids[0], suite=a_suite(a_case("else", "e")), home=home)
    with pytest.raises(SpecError, match="already sets its scorers"):
        rescore(before.run_ids[0], suite=EDITED, scorer="exact", home=home)


JUDGED = a_suite(a_case("c1", "one"), a_case("c2", "two"), scorer=JUDGE)
REJUDGED = a_suite(a_case("c1", "one"), a_case("c2", "another rubric"), scorer=JUDGE)


def test_only_answers_with_another_rubric_are_judged_again(home):
    before = run(JUDGED, provider=a_model(("a",)), judge_provider=a_judge(), home=home)
    again = a_judge(3)
    after = rescore(before.run_ids[0], suite=REJUDGED, judge_provider=again, home=home)
    assert again.calls == 1
    assert [it.score.score for it in after.trials()] == [0.7, 0.3]
    assert after.runs[0].state is RunState.FINISHED
    silent = a_judge()
    once_more = rescore(
        after.run_ids[0], judge_provider=silent, home=home, options=RunOptions(profile="classic")
    )
    assert silent.calls == 0
    assert [it.score.score for it in once_more.trials()] == [0.7, 0.3]


def test_without_a_judge_they_wait_for_one(home):
    before = run(JUDGED, provider=a_model(("a",)), judge_provider=a_judge(), home=home)
    after = rescore(before.run_ids[0], suite=REJUDGED, ask_judges=False, home=home)
    one, two = after.trials()
    assert (one.score.score, two.score) == (0.7, None)
    assert AWAITING_JUDGE in two.flags
    resumed = resume(
        after.run_ids[0], provider=a_model(("a",)), judge_provider=a_judge(4), home=home
    )
    assert [it.score.score for it in resumed.trials()] == [0.7, 0.4]


def test_an_unreadable_judgment_is_judged_again(home):
    mumbling = Scripted(judge_script(lambda _: "I would rather not say."), models=("j",))
    before = run(JUDGED, provider=a_model(("a",)), judge_provider=mumbling, home=home)
    healthy = a_judge()
    after = rescore(before.run_ids[0], suite=REJUDGED, judge_provider=healthy, home=home)
    assert healthy.calls == 2
    assert after.mean("a") == 0.7


def a_recording(path, cost_usd=None):
    """Answers of one model to the cases of ASKED, with what they cost where it is known."""
    rows = [
        {"model": "a", "id": name, "output": known(name)}
        | ({"cost_usd": cost_usd} if cost_usd is not None else {})
        for name in ("c1", "c2", "c3", "c4")
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_a_rescored_recording_is_finished_without_the_cases_it_has_no_answer_to(home, tmp_path):
    before = run(ASKED, recorded=a_recording(tmp_path / "r.jsonl"), home=home)
    after = rescore(before.run_ids[0], suite=EDITED, home=home)
    (made,) = after.runs
    assert after.is_finished
    assert any("not run (new): new" in said for said in made.notes)
    assert any("--recorded FILE" in said for said in made.notes)
    with pytest.raises(SpecError, match=r"no answer to 2 cases: c4, new\."):
        resume(after.run_ids[0], home=home)
    assert {it.case_id for it in results(after.run_ids[0], home=home).trials()} == {
        "c1",
        "c2",
        "c3",
    }


@pytest.mark.parametrize("cost_usd", [None, 0.25])
def test_a_rescored_recording_costs_what_the_recording_says(home, tmp_path, cost_usd):
    path = a_recording(tmp_path / "r.jsonl", cost_usd)
    before = run(ASKED, recorded=path, home=home)
    after = rescore(before.run_ids[0], suite=a_suite(*ASKED.cases, name="again"), home=home)
    costs = [
        model_cost(it.summary.models[0])
        for it in (before, after, resume(after.series_id or after.run_ids[0], home=home))
    ]
    assert set(costs) == {"unknown" if cost_usd is None else "$1.00"}


def test_a_trend_shows_answers_that_are_scored_again_after_their_first_scores(home):
    made = [run(ASKED, provider=a_model(("a",)), home=home, options=RunOptions(retries=0))]
    for expected in ("x", "y", "z", known("c3"), "w"):
        edited = a_suite(a_case("c1", known("c1")), a_case("c2", expected))
        made.append(rescore(made[0].run_ids[0], suite=edited, home=home))
    for order in (made, made[::-1]):
        (model,) = trend(order).models
        assert [point.run_ids for point in model.points] == [it.run_ids for it in made]
    assert any("scored again" in marker for marker in model.points[1].markers)


def test_the_metric_of_a_run_is_chosen_and_a_corrected_suite_keeps_it(home):
    before = run(
        ASKED, provider=a_model(), home=home, options=RunOptions(metric="strict", retries=0)
    )
    assert (ASKED.metric, before.summary.metric) == ("mean", "strict")
    after = rescore(before.run_ids[0], suite=EDITED, home=home)
    assert after.summary.metric == "strict"
    usual = run(ASKED, provider=a_model(), home=home, options=RunOptions(retries=0))
    strict = replace(EDITED, metric="strict")
    assert rescore(usual.run_ids[0], suite=strict, home=home).summary.metric == "strict"


def test_a_correction_that_was_cut_off_goes_on_in_its_run_and_pays_for_nothing_twice(home):
    cases = tuple(a_case(f"c{n}", known(f"c{n}")) for n in range(6))
    before = run(
        a_suite(*cases, scorer=JUDGE),
        provider=a_model(),
        judge_provider=a_judge(),
        home=home,
        options=RunOptions(retries=0),
    )
    edited = a_suite(*(replace_expected(case) for case in cases[:3]), *cases[3:], scorer=JUDGE)
    stop, more = asyncio.Event(), a_judge()

    def stopping(*_):
        stop.set()

    cut = rescore(
        before.run_ids[0], suite=edited, judge_provider=more, home=home, stop=stop,
        on_correction=stopping, made_as="20260101-made00",
    )  # fmt: skip
    again = rescore(
        before.run_ids[0], suite=edited, judge_provider=more, home=home,
        made_as="20260101-made00",
    )  # fmt: skip
    whole = rescore(before.run_ids[0], suite=edited, judge_provider=a_judge(), home=home)

    assert (cut.run_ids, cut.is_finished) == (("20260101-made00",), False)
    assert again.run_ids == cut.run_ids
    assert more.calls == 3  # equal answers share a judgment
    with Store.open(home / "benchmaker.db") as store:
        keys = [sorted(it.key for it in store.judgments(one.run_ids[0])) for one in (again, whole)]
        assert len(store.runs()) == 3
    assert keys[0] == keys[1]
    assert again.summary.judging.to_dict() == whole.summary.judging.to_dict()


def replace_expected(case):
    return case.model_copy(update={"expected": f"{case.expected} indeed"})


def test_answers_given_with_other_tools_are_not_scored_again(home):
    def suite(reply, **fields):
        tools = [{"name": "clock", "reply": reply}]
        case = {"id": "c1", "prompt": "What is c1?", "expected": known("c1"), "tools": ["clock"]}
        plain = a_case("c2", known("c2"))
        return Suite("sums", [{**case, **fields}, plain], scorer="exact", tools=tools)

    before = run(suite("noon"), provider=a_model(("a",)), home=home)
    heard = []
    for other in (suite("one"), suite("noon", max_steps=2)):
        rescore(
            before.run_ids[0], suite=other, home=home, on_correction=lambda *it: heard.append(it)
        )
    assert [it.retooled for it, _ in heard] == [("c1",), ("c1",)]
    assert next(heard[0][0].sentences()) == "1 case is not run (tools or max_steps changed): c1"
