"""A refusal check scores refused, filtered and empty answers, which no policy scores then."""

import html
import io

import pytest
from click.testing import CliRunner

from benchmaker import Suite, rescore, run
from benchmaker.cli import main
from benchmaker.errors import Refused
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, FinishReason, Outcome
from benchmaker.report.formats.junit import write_junit
from benchmaker.report.tables.trial_rows import trial_row
from benchmaker.scoring.score import explain

REPLIES = {
    "reported": Completion(text="It would be harmful.", finish=FinishReason.REFUSAL),
    "filtered": Completion(text="", finish=FinishReason.FILTER),
    "empty": Completion(text=" \n"),
    "failed": Refused("the content policy does not allow it", status=400),
    "said": Completion(text="I can't help with that."),
    "helped": Completion(text="It is 42."),
}
REFUSED = {"reported", "filtered", "empty", "failed", "said"}
OUTCOMES = {
    "reported": Outcome.REFUSED,
    "filtered": Outcome.FILTERED,
    "empty": Outcome.EMPTY,
    "failed": Outcome.REFUSED,
    "said": Outcome.SCORED,
    "helped": Outcome.SCORED,
}
CHECK = {"type": "refusal", "metric": "safe"}
HARM = {"type": "contains", "value": "harmful", "weight": 0}
WITHIN = {"type": "set", "checks": [{"type": "set", "checks": [CHECK]}]}


def _run(home, **settings):
    cases = [{"id": name, "prompt": name} for name in REPLIES]
    answers = Scripted(lambda asked: REPLIES[asked.case_id], models=("m",))
    return run(Suite("s", cases, **settings), provider=answers, home=home)


def _found(result):
    return {it.case_id: it.score.score for it in result.trials()}


@pytest.mark.parametrize(
    "settings",
    [
        {"checks": [CHECK, HARM]},
        {"checks": [WITHIN]},
        {"scorer": "refusal"},
        {"checks": [CHECK], "policies": {"refused": "leave_out", "filtered": "leave_out"}},
    ],
)
def test_each_kind_of_refusal_passes_the_check(tmp_path, settings):
    made = _run(tmp_path, **settings)
    assert _found(made) == {name: float(name in REFUSED) for name in REPLIES}
    assert {it.case_id: it.outcome for it in made.trials()} == OUTCOMES
    assert made.summary.models[0].n_scored == len(REPLIES)


def test_each_kind_of_refusal_fails_the_negated_check(tmp_path):
    made = _run(tmp_path, checks=[{**CHECK, "not": True}])
    assert _found(made) == {name: float(name not in REFUSED) for name in REPLIES}
    (model,) = made.summary.models
    assert not model.treatments.zero
    assert model.outcomes["refused"] == 2


def test_the_other_checks_read_the_reported_text(tmp_path):
    made = _run(tmp_path, checks=[CHECK, HARM])
    read = {it.case_id: it.score.checks[1]["passed"] for it in made.trials()}
    assert read == {name: name == "reported" for name in REPLIES}


def test_rows_explanation_and_junit_say_the_same(tmp_path):
    made = _run(tmp_path, checks=[{**CHECK, "not": True}, HARM])
    trial = next(it for it in made.trials() if it.case_id == "reported")
    reason = "the endpoint reports refusal"
    row = trial_row(trial)
    first = row["checks"][0]
    assert (first["type"], first["passed"], first["reason"]) == ("refusal", False, reason)
    assert any(reason in line for line in explain(trial.score))
    page = io.StringIO()
    write_junit(made.trials(), page, name="s")
    assert page.getvalue().count(reason) >= 1


def test_without_the_check_the_policy_decides(tmp_path):
    other = {"type": "contains", "value": "I", "not": True}
    made = _run(tmp_path, checks=[other], policies={"refused": "leave_out"})
    assert [_found(made)[it] for it in ("reported", "filtered", "empty", "failed")] == [
        None,
        0.0,
        0.0,
        None,
    ]


def test_rescoring_with_the_check_scores_stored_refusals(tmp_path):
    made = _run(tmp_path, checks=[{"type": "contains", "value": "42", "not": True}])
    assert _found(made)["reported"] == 0.0
    again = rescore(made.run_ids[0], scorer="refusal", home=tmp_path)
    assert _found(again) == {name: float(name in REFUSED) for name in REPLIES}


MIXED = {
    "checked": ("reported", [CHECK]),
    "plain": ("reported", [HARM | {"weight": 1, "not": True}]),
    "cut": ("cut", [HARM | {"weight": 1, "not": True}]),
    "whole": ("helped", [{"type": "contains", "value": "42"}]),
}
CUT = Completion(text="It is 4", finish=FinishReason.LENGTH)


def _run_mixed(home, names, policies):
    """Some cases have a refusal check, the others only the suite's policy."""
    cases = [{"id": name, "prompt": name, "checks": MIXED[name][1]} for name in names]
    replies = REPLIES | {"cut": CUT}
    answers = Scripted(lambda asked: replies[MIXED[asked.case_id][0]], models=("m",))
    return run(Suite("s", cases, policies=policies), provider=answers, home=home)


@pytest.mark.parametrize(
    ("names", "policies", "words"),
    [
        (
            ("checked", "cut", "whole"),
            {"truncated": "zero"},
            "Scored 0 by the suite's policy: m (1 truncated). Scored as received: m (1 refused).",
        ),
        (
            ("checked", "plain", "cut", "whole"),
            {},
            (
                "Scored 0 by the suite's policy: m (1 refused). "
                "Scored as received: m (1 truncated, 1 refused)."
            ),
        ),
        (
            ("checked", "plain", "cut", "whole"),
            {"refused": "leave_out"},
            (
                "Excluded from the mean by the suite's policy: m (1 refused). "
                "Scored as received: m (1 truncated, 1 refused)."
            ),
        ),
    ],
    ids=["truncated zero", "refused zero", "refused excluded"],
)
def test_every_surface_says_which_answers_the_policy_scored(tmp_path, names, policies, words):
    made = _run_mixed(tmp_path, names, policies)
    (model,) = made.summary.models
    scores = _found(made)

    assert model.n_scored == sum(score is not None for score in scores.values())
    assert model.mean == pytest.approx(sum(filter(None, scores.values())) / model.n_scored)
    results = CliRunner().invoke(main, ["results", "--home", str(tmp_path)])
    assert words in " ".join(results.output.split())
    page = tmp_path / "report.html"
    command = [
        "export",
        "latest",
        "--format",
        "html",
        "--output",
        str(page),
        "--home",
        str(tmp_path),
    ]
    assert CliRunner().invoke(main, command).exit_code == 0
    assert words in html.unescape(" ".join(page.read_text().split()))
