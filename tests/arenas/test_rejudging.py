"""A judge is asked again for what is missing or can't be read, and for nothing else."""

import json
from dataclasses import replace

import pytest

from benchmaker import Case, RunOptions, ScorerSpec, Suite, rescore, run
from benchmaker.errors import AuthError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.report.sentences.judging import judging_notes, mixed_judges_note
from benchmaker.store import Store
from tests.arenas.agentic.judge_server import JudgeServer
from tests.web.results_data import fetched_when_computed
from tests.web.serving import serving

NAMES = ("c0", "c1", "c2", "c3")
SAID = Suite(
    "said",
    [Case(id=name, prompt=f"Say {name}.", expected=f"It says {name}.") for name in NAMES],
    scorer=ScorerSpec(id="llm_judge"),
)


class FailingJudge(JudgeServer):
    """Gives an unreadable reply to one answer and fails on another, until it is repaired."""

    def __init__(self):
        super().__init__()
        self.mumbles_at, self.fails_at = "c1", "c2"

    def reply(self, given):
        told = str(given["messages"])
        self.status = 400 if self.fails_at and f"says {self.fails_at}." in told else 200
        self.text = "Well." if self.mumbles_at and f"says {self.mumbles_at}." in told else ""
        return super().reply(given)

    def behave(self):
        self.mumbles_at = self.fails_at = ""
        self.asked.clear()


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def a_model():
    return Scripted(lambda request: Completion(text=f"it is {request.case_id}"), models=("m",))


def scores(result):
    return [it.score and it.score.score for it in result.trials()]


def count_judgments(home, result):
    with Store.open(home / "benchmaker.db") as store:
        return sum(1 for run_id in result.run_ids for _ in store.each_judgment(run_id))


def test_a_live_judge_is_asked_again_for_what_is_missing_alone(home):
    with FailingJudge().running() as judge:
        chosen = RunOptions(judge="openai/gpt-4o-mini", judge_concurrency=1)
        named = {"environ": judge.environ, "options": chosen}
        done = run(
            SAID, provider=a_model(), home=home, **named | {"options": replace(chosen, retries=0)}
        )
        assert [it is not None for it in scores(done)] == [True, False, False, True]
        judge.behave()
        after = rescore(done.run_ids[0], home=home, **named)
        asked = [str(one["messages"]) for one in judge.asked]
        assert [name for name in NAMES for one in asked if f"says {name}." in one] == ["c1", "c2"]
        assert scores(after) == [0.9, 0.9, 0.9, 0.9]
        judge.asked.clear()
        rescore(done.run_ids[0], home=home, **named)
        assert judge.asked == []


def replies(path, **said):
    """A file of a judge's replies, that of a case ``said`` where it is."""
    usual = json.dumps({"score": 7})
    lines = [
        {"model": "m", "id": name, "judge": "j", "output": said.get(name, usual)}
        for name in NAMES
        if said.get(name, usual) is not None
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_of_recorded_replies_only_those_are_taken_that_were_missing_or_unreadable(home, tmp_path):
    broken = replies(tmp_path / "broken.jsonl", c1="Well.", c2=None)
    done = run(SAID, provider=a_model(), home=home, options=RunOptions(recorded_judge=broken))
    taken = count_judgments(home, done)
    whole = replies(tmp_path / "whole.jsonl")
    after = rescore(done.run_ids[0], home=home, options=RunOptions(recorded_judge=whole))
    assert scores(after) == [0.7, 0.7, 0.7, 0.7]
    assert count_judgments(home, after) == taken + 2
    assert sum(one.judgments for one in after.summary.judging.totals) == 4


def test_a_recorded_reply_that_says_something_else_now_is_taken(home, tmp_path):
    done = run(
        SAID,
        provider=a_model(),
        home=home,
        options=RunOptions(recorded_judge=replies(tmp_path / "a.jsonl")),
    )
    other = replies(tmp_path / "b.jsonl", c3=json.dumps({"score": 2}))
    after = rescore(done.run_ids[0], home=home, options=RunOptions(recorded_judge=other))
    assert scores(after) == [0.7, 0.7, 0.7, 0.2]
    assert count_judgments(home, after) == 5


def judged_twice(home, tmp_path, **second):
    """A run judged by j, then by k, who gives 2 of 10 unless a case's reply is ``second``."""
    first = RunOptions(recorded_judge=replies(tmp_path / "first.jsonl"))
    done = run(SAID, provider=a_model(), home=home, options=first)
    said = {name: second.get(name, json.dumps({"score": 2})) for name in NAMES}
    told = replies(tmp_path / "second.jsonl", **said).read_text().replace('"j"', '"k"')
    (tmp_path / "second.jsonl").write_text(told)
    return rescore(
        done.run_ids[0], home=home, options=RunOptions(recorded_judge=tmp_path / "second.jsonl")
    )


def test_a_reply_that_decides_nothing_replaces_no_decided_score(home, tmp_path):
    after = judged_twice(home, tmp_path, c1="Well.", c2=None)
    assert scores(after) == [0.2, 0.7, 0.7, 0.2]
    with Store.open(home / "benchmaker.db") as store:
        failed = [
            it.case_id
            for it in store.judgments(after.run_ids[0])
            if it.judge == "k" and (it.completion is None or it.is_unusable)
        ]
    assert sorted(set(failed)) == ["c1", "c2"]


def test_a_mean_over_scores_of_two_judges_says_how_many_are_whose(home, tmp_path):
    judging = judged_twice(home, tmp_path, c1=None).summary.judging
    assert [(it.judges, it.answers) for it in judging.shares] == [(("k",), 3), (("j",), 1)]
    told = "The mean combines scores by different judges: k 3 answers, j 1 answer."
    assert mixed_judges_note(judging) == told


def judged_by_panel(home, tmp_path):
    """A run judged by j and k, of whom k has no judgment of c1 and j none of c2."""
    first = replies(tmp_path / "first.jsonl", c2="Well.").read_text()
    second = replies(tmp_path / "second.jsonl", c1=None).read_text().replace('"j"', '"k"')
    (tmp_path / "panel.jsonl").write_text(first + second)
    options = RunOptions(recorded_judge=tmp_path / "panel.jsonl")
    return run(SAID, provider=a_model(), home=home, options=options)


def test_a_panel_scores_each_answer_by_the_judges_that_decided_on_it(home, tmp_path):
    done = judged_by_panel(home, tmp_path)
    judging = done.summary.judging
    assert scores(done) == [0.7] * 4
    assert {(it.judges, it.answers) for it in judging.shares} == {
        (("j", "k"), 2),
        (("j",), 1),
        (("k",), 1),
    }
    told = "The mean combines scores by different judges: j 1 answer, j with k 2 answers, k 1"
    assert mixed_judges_note(judging).startswith(told)


def test_a_judge_that_decides_nothing_at_all_is_none_of_the_run(home, tmp_path):
    after = judged_twice(home, tmp_path, **dict.fromkeys(NAMES, "Well."))
    assert scores(after) == [0.7] * 4
    assert after.summary.judging.models == ("j",)
    assert mixed_judges_note(after.summary.judging) == ""
    notes = " ".join(judging_notes(after.summary.judging))
    assert "No judgment of k counts: 4 replies without a judgment" in notes


def test_failures_of_a_judge_that_decided_elsewhere_are_further_requests(home, tmp_path):
    """k decides nothing on c1, twice, whose score is by j and then by m."""
    run_id = judged_twice(home, tmp_path, c1="Well.").run_ids[0]
    told = replies(tmp_path / "third.jsonl").read_text().replace('"j"', '"m"')
    (tmp_path / "third.jsonl").write_text(told)
    for name in ("first", "third", "second"):
        options = RunOptions(recorded_judge=tmp_path / f"{name}.jsonl")
        judging = rescore(run_id, home=home, options=options).summary.judging
    assert judging.models == ("k", "m")
    notes = " ".join(judging_notes(judging))
    assert "No judgment of k counts" not in notes
    assert "Further requests to k: 1 reply without a judgment" in notes


def test_a_judge_with_failures_alone_is_none_of_the_run_where_scores_were_missing_before(
    home, tmp_path
):
    first = replies(tmp_path / "first.jsonl", c1="Well.")
    done = run(SAID, provider=a_model(), home=home, options=RunOptions(recorded_judge=first))
    told = replies(tmp_path / "k.jsonl", **dict.fromkeys(NAMES, "Well.")).read_text()
    (tmp_path / "k.jsonl").write_text(told.replace('"j"', '"k"'))
    second = RunOptions(recorded_judge=tmp_path / "k.jsonl")
    after = rescore(done.run_ids[0], home=home, options=second)
    assert scores(after) == [0.7, None, 0.7, 0.7]
    assert after.undecided == 3
    assert after.summary.judging.models == ("j",)


def test_a_judge_that_stops_names_the_answers_it_was_not_sent_too(home, tmp_path):
    first = RunOptions(recorded_judge=replies(tmp_path / "first.jsonl"))
    done = run(SAID, provider=a_model(), home=home, options=first)

    def reply(request):
        return AuthError("no such key") if "c2" in str(request.messages) else "Well."

    after = rescore(
        done.run_ids[0],
        home=home,
        judge_provider=Scripted(reply, models=("k",)),
        options=RunOptions(judge="k", judge_concurrency=1),
    )
    # The answers are sent in any order; the one that ends the judging was not judged.
    assert (scores(after), after.undecided + after.unsent) == ([0.7] * 4, 4)
    assert after.unsent >= 1
    assert "not sent to the judge" in after.rescoring_notes[-1]


def test_the_page_of_the_run_says_beside_the_means_whose_scores_they_combine(home, tmp_path):
    done = judged_twice(home, tmp_path, c1=None)
    with serving(home) as address:
        page = fetched_when_computed(f"{address}/runs/{done.run_ids[0]}")
    assert "The mean combines scores by different judges: k 3 answers, j 1 answer." in page
