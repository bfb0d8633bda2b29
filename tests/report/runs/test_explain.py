import json
import sys
from dataclasses import dataclass
from types import ModuleType

import pytest
from msgspec.structs import replace

from benchmaker import plugins
from benchmaker.record import Extraction, Outcome, Score, Setup
from benchmaker.report import explain
from benchmaker.report.runs.explain import Explanation
from benchmaker.spec import Case, Message


@pytest.fixture
def scorer_module(monkeypatch):
    """A scorer of somebody else, reachable by its dotted path."""

    @plugins.scorer(id="their_scorers:Halves", version="2")
    @dataclass(frozen=True)
    class Halves:
        parts: int = 2

        def score(self, case, trial):
            raise NotImplementedError

        def explain(self, score):
            if score.detail["hits"] < 0:
                raise RuntimeError
            return [f"{score.detail['hits']} of {self.parts} parts", "hits / parts"]

    module = ModuleType("their_scorers")
    module.Halves = Halves
    monkeypatch.setitem(sys.modules, "their_scorers", module)


def a_scored(a_trial, **more):
    score = {
        "score": 0.5,
        "scorer": "their_scorers:Halves",
        "scorer_version": "2",
        "profile": "robust/1",
        "parameters": {"parts": 4},
        "detail": {"hits": 2},
        "expected": "Paris",
        "extraction": Extraction(rule="answer_is", text="Paris?"),
    }
    trial = a_trial(text="The answer is Paris?")
    return replace(trial, score=Score(**score | more), weight=2.0)


def test_the_whole_arithmetic_in_words(a_trial, scorer_module):  # noqa: ARG001  it registers
    trial = a_scored(a_trial, notes="half right", confidence=1.0)
    case = Case(id="c0", prompt="Capital of France?", expected="Paris")
    assert explain(trial, case=case, recomputed=trial.score).text() == (
        "Case       c0\n"
        "Model      aurora\n"
        "Run        r1\n"
        "Question   Capital of France?\n"
        "Expected   Paris\n"
        "Answer     The answer is Paris?\n"
        "Outcome    scored\n"
        "Extracted  'Paris?' (rule answer_is)\n"
        "Scorer     their_scorers:Halves version 2\n"
        "Parameters parts=4\n"
        "Profile    robust/1\n"
        "Step       2 of 4 parts\n"
        "           hits / parts\n"
        "Score      50.0 of 100 (0.5), confidence 1\n"
        "Notes      half right\n"
        "Weight     2\n"
        "Recomputed now: the same score\n"
    )


@pytest.mark.parametrize(
    "more", [{"scorer": "gone"}, {"scorer_version": "1"}, {"detail": {"hits": -1}}]
)
def test_stored_figures_stand_in_for_a_scorer_that_cannot_be_asked(a_trial, scorer_module, more):  # noqa: ARG001  it registers
    trial = a_scored(a_trial, **more)
    assert explain(trial).steps == (f"hits = {trial.score.detail['hits']}",)


def test_the_steps_of_our_own_scorers_are_theirs(a_trial):
    trial = a_scored(a_trial, scorer="exact", scorer_version="1", parameters={}, detail={})
    assert any("Paris?" in step for step in explain(trial).steps)


def test_other_digits_are_told_with_what_to_do(a_trial):
    trial = a_trial(0, 0.5)
    found = explain(trial, recomputed=Score.of(0.7 * 0.75))
    assert found.same_digits is False
    again = f"benchmaker rescore {trial.run_id}"
    assert f"now: 0.525, which differs from the stored score. Rescore with: {again}" in found.text()


def test_nobody_recomputed_it(a_trial):
    found = explain(a_trial())
    assert found.same_digits is None
    assert "Recomputed" not in found.text()


def test_an_unscored_answer_has_its_reason(a_trial):
    text = explain(a_trial(0, None)).text()
    assert "Score      none: no verdict\n" in text


def test_a_trial_without_an_answer_has_its_reason(a_trial):
    text = explain(a_trial(lost=True), case=Case(id="c0", prompt="?", expected="x")).text()
    assert (
        "Answer     none\nOutcome    timeout: no answer in 60 s\nError      no answer in 60 s\n"
        in text
    )
    assert "Expected   x\n" in text
    assert text.endswith("Score      none: the answer is unscored\n")


def test_an_empty_answer_is_told(a_trial):
    trial = a_trial(0, 0.0, text="", outcome=Outcome.EMPTY)
    assert "Answer     (empty)\n" in explain(trial).text()


def test_a_conversation_is_shown_turn_by_turn(a_trial):
    turns = (Message(role="system", content="Be brief."), Message(role="user", content="Hi"))
    text = explain(a_trial(), case=Case(id="c0", messages=turns)).text()
    assert "Question   system: Be brief.\n           user: Hi\n" in text


def test_long_and_hostile_answers_are_clamped_and_shown(a_trial):
    text = explain(a_trial(text="\x1b[2J\u202e" + "x" * 5000)).text()
    assert "Answer     ␛[2J[U+202E]xxx" in text
    assert "more characters)" in text


def test_the_json_holds_the_same_with_the_whole_answer(a_trial):
    trial = a_trial(0, 0.5, text="y" * 5000)
    data = json.loads(json.dumps(explain(trial, recomputed=trial.score).to_dict()))
    assert data["answer"] == "y" * 5000
    assert (data["score"], data["recomputed"], data["same_digits"]) == (0.5, 0.5, True)
    assert (data["scale"], data["profile"], data["weight"]) == ("0-1", "robust/1", 1.0)


def test_secrets_are_taken_out(a_trial):
    key = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT"
    found = explain(a_trial(text=f"my {key}"))
    assert key not in found.text()
    assert found.to_dict()["answer"] == "my [redacted]"


def test_a_parameter_that_was_not_sent_is_not_among_those_sent(a_trial):
    parameters = {"temperature": 0.5, "reasoning_effort": "low", "max_tokens": 9}
    setup = Setup(name="aurora · low", model="aurora", effort="low", parameters=parameters)
    trial = a_trial()
    done = replace(trial.completion, flags=("unsent_reasoning_effort",))
    told = Explanation(replace(trial, completion=done), None, None, (), (), setup=setup)
    assert ("Sent", "temperature=0.5, max_tokens=9") in told.setup_facts()


def test_fields_and_headers_of_a_setup_are_among_those_sent(a_trial):
    parameters = {"temperature": 0.5, "max_tokens": 9, "extra_body": {"tier": "flex"},
                  "extra_headers": {"X-Title": "sums"}}  # fmt: skip
    setup = Setup(name="hot", model="aurora", label="hot", parameters=parameters)
    sent = dict(Explanation(a_trial(), None, None, (), (), setup=setup).setup_facts())["Sent"]
    extras = 'extra_body={"tier":"flex"}, extra_headers={"X-Title":"sums"}'
    assert sent == f"temperature=0.5, max_tokens=9, {extras}"


def test_the_exact_score_is_printed_without_binary_rounding_errors(a_trial):
    uneven = Score(score=0.5249999999999999)
    even = explain(a_scored(a_trial, score=uneven.score), recomputed=Score(score=0.525))
    assert "Score      52.5 of 100 (0.525)" in even.text()
    assert even.same_digits is False
    assert even.to_dict()["score"] == uneven.score
    assert "of 100 (0.333333333333333)" in explain(a_scored(a_trial, score=1 / 3)).text()
