"""A judge that scored before with other parameters: each scoring has figures of its own."""

import pytest

from benchmaker import Case, RunOptions, ScorerSpec, Suite, rescore, resume, run
from benchmaker.errors import ProviderError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, Usage
from benchmaker.report.sentences.judging import judging_notes
from benchmaker.spec import JudgeSpec
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script

CASES = tuple(Case(id=f"c{n}", prompt=f"What is {n}?", expected=str(n)) for n in range(4))
JUDGE = ScorerSpec(id="llm_judge")
SUITE = Suite("judged", CASES, scorer=JUDGE, judge=JudgeSpec.model_validate("j"))


def answers():
    return Scripted(lambda asked: f"{asked.model} says {asked.case_id}", models=("b", "a"))


def judge(said=lambda _: {"score": 7}, *, cost_usd=0.25):
    reply = judge_script(said)

    def replied(request):
        made = reply(request)
        usage = Usage(input_tokens=10, output_tokens=2)
        if isinstance(made, Exception):
            return made
        return Completion(text=made, cost_usd=cost_usd, usage=usage)

    return Scripted(replied, models=("j",))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def told(result):
    return result.summary.to_dict()["judging"]


def figures(one):
    return one["judge"], one["judgments"], one["cost_usd"], one["input_tokens"]


def scored_again(done, home, *, cost_usd=0.5, said=lambda _: {"score": 7}, **parameters):
    return rescore(
        done.run_ids[0] if len(done.run_ids) == 1 else done.series_id,
        scorer=ScorerSpec.model_validate({"id": "llm_judge", **parameters}),
        judge_provider=judge(said, cost_usd=cost_usd),
        home=home,
    )


@pytest.mark.parametrize(
    "changed", [{"temperature": 0.9}, {"instructions": "Judge by the length alone."}]
)
def test_a_judge_that_scores_with_other_parameters_is_told_apart(home, changed):
    done = run(
        SUITE, provider=answers(), judge_provider=judge(), home=home, options=RunOptions(runs=2)
    )
    found = told(scored_again(done, home, **changed))

    assert [figures(one) for one in found["by_judge"]] == [("j", 16, 8.0, 160)]
    assert [figures(one) for one in found["earlier_judges"]] == [("j", 16, 4.0, 160)]
    assert (found["judgments"], found["cost_usd"]) == (16, 8.0)
    assert found["usd_per_1000_judgments"] == 500.0


def test_each_earlier_scoring_has_its_own_figures(home):
    done = run(SUITE, provider=answers(), judge_provider=judge(), home=home)
    scored_again(done, home, temperature=0.5)
    again = scored_again(done, home, temperature=0.9, cost_usd=1.0)
    found = told(again)

    assert [figures(one) for one in found["by_judge"]] == [("j", 8, 8.0, 80)]
    costs = [(one["cost_usd"], one["parameters"]) for one in found["earlier_judges"]]
    assert costs == [(2.0, {"temperature": None}), (4.0, {"temperature": 0.5})]
    assert again.summary.judging.spent_usd == again.summary.spending.judges_usd == 14.0
    notes = judging_notes(again.summary.judging)
    assert "No longer counted: 8 judgments of j (temperature 0.5); cost $4.00." in notes


def test_more_repeats_go_on_from_the_judgments_that_are_there(home):
    done = run(SUITE, provider=answers(), judge_provider=judge(), home=home)
    thrice = told(scored_again(done, home, repeats=3))
    once = told(scored_again(done, home, repeats=1))

    assert [figures(one) for one in thrice["by_judge"]] == [("j", 24, 10.0, 240)]
    assert thrice["earlier_judges"] == []
    assert [figures(one) for one in once["by_judge"]] == [("j", 8, 2.0, 80)]
    assert [figures(one) for one in once["earlier_judges"]] == [("j", 16, 8.0, 160)]


def test_replies_in_vain_belong_to_the_scoring_that_asked_for_them(home):
    def failing(shown):
        is_broken = shown["answer"] == "a says c1"
        return ProviderError("out of order", status=500) if is_broken else {"score": 7}

    def mumbling(shown):
        return "Hm." if shown["answer"] == "a says c2" else {"score": 7}

    done = run(SUITE, provider=answers(), judge_provider=judge(failing), home=home)
    (now,) = told(done)["by_judge"]
    assert (now["failed_requests"], now["unusable_replies"]) == (1, 0)
    found = told(scored_again(done, home, temperature=0.9, said=mumbling))

    ((earlier,), (now,)) = found["earlier_judges"], found["by_judge"]
    assert (earlier["failed_requests"], earlier["unusable_replies"]) == (1, 0)
    assert (now["failed_requests"], now["unusable_replies"]) == (0, 3)


def test_judgments_that_are_retried_are_of_one_scoring(home):
    broken = judge(
        lambda shown: (
            ProviderError("out of order", status=500)
            if shown["answer"] in {"a says c1", "b says c3"}
            else {"score": 7}
        )
    )
    done = run(SUITE, provider=answers(), judge_provider=broken, home=home)
    again = resume(
        done.run_ids[0],
        provider=answers(),
        judge_provider=judge(),
        home=home,
        options=RunOptions(retry_failed=True),
    )
    found = told(again)

    assert found["earlier_judges"] == []
    (now,) = found["by_judge"]
    assert (now["judgments"], now["failed_requests"]) == (8, 2)


def test_what_a_judge_wrote_beforehand_is_of_the_scoring_that_uses_it(home):
    cases = tuple(Case(id=f"c{n}", prompt=f"What is {n}?") for n in range(2))
    scorer = ScorerSpec.model_validate({"id": "llm_judge", "reference": "own"})
    own = Suite("own", cases, judge=JudgeSpec.model_validate("j"), scorer=scorer)

    def said(shown):
        return {"score": 7} if "answer" in shown else "It is so."

    done = run(own, provider=answers(), judge_provider=judge(said), home=home)
    (first,) = told(done)["by_judge"]
    found = told(scored_again(done, home, said=said, reference="own", instructions="By length."))

    assert figures(first) == ("j", 6, 1.5, 60)
    assert [figures(one) for one in found["by_judge"]] == [("j", 6, 2.5, 60)]
    assert [figures(one) for one in found["earlier_judges"]] == [("j", 4, 1.0, 40)]


def test_the_figures_are_those_of_the_rows(home):
    done = run(SUITE, provider=answers(), judge_provider=judge(), home=home)
    found = told(scored_again(done, home, temperature=0.9))
    with Store.open(home / "benchmaker.db") as store:
        rows = store.judgments(done.run_ids[0])
        scores = [trial.score for trial in store.trials(done.run_ids[0])]
    counting = {key for score in scores for one in score.detail["singles"] for key in one["keys"]}

    now = [row.cost_usd for row in rows if row.key in counting]
    assert (found["judgments"], found["cost_usd"]) == (len(now), sum(now))
    earlier = [row.cost_usd for row in rows if row.key not in counting]
    (one,) = found["earlier_judges"]
    assert (one["judgments"], one["cost_usd"]) == (len(earlier), sum(earlier))
