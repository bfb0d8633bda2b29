"""A judge is asked again for what is missing or can't be read, and for nothing else."""

import json
from dataclasses import replace

import pytest

from benchmaker import Case, RunOptions, ScorerSpec, Suite, rescore, run
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.store import Store
from tests.arenas.agentic.judge_server import JudgeServer

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
