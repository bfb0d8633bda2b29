"""The agreement of a panel inside checks is that of the same panel as a scorer of its own."""

import hashlib

import pytest
from fastapi.testclient import TestClient

from benchmaker import Suite, run
from benchmaker.judging.label_queue import spread_of
from benchmaker.providers.scripted import Scripted
from benchmaker.report import summary_text
from benchmaker.report.sentences.judging import judging_notes
from benchmaker.stats.agreement import krippendorff_alpha
from benchmaker.testing.judges import judge_script
from benchmaker.web import Settings, create_app

JUDGES = ("j", "k")
TONE = {"type": "rubric", "value": "Is friendly.", "metric": "tone"}
FACTS = {"type": "rubric", "value": "Is right."}


def _points(model, criterion, answer):
    """Points from 0 to 10 by the answer and the criterion, with a little of the judge's own."""
    base = hashlib.sha256(f"{criterion} {answer}".encode()).digest()[0] % 9
    return base + hashlib.sha256(f"{model} {answer}".encode()).digest()[0] % 2


def _judge():
    def reply(request):
        criterion = "friendly" if "friendly" in str(request.messages) else "right"
        said = judge_script(
            lambda shown: {
                "score": _points(request.model, criterion, shown["answer"]),
                "rationale": "so",
            }
        )
        return said(request)

    return Scripted(reply, models=JUDGES)


def _run(home, **scoring):
    cases = [{"id": f"c{n}", "prompt": f"{n}?", "expected": "x"} for n in range(12)]
    suite = Suite("s", cases, judge={"models": JUDGES}, profile="robust", **scoring)
    said = Scripted(lambda asked: f"says {asked.case_id}", models=("m",))
    return run(suite, provider=said, judge_provider=_judge(), home=home)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs with two judged checks, with one, and with each as a scorer of its own."""
    home = tmp_path_factory.mktemp("agreement")
    alone = [{"id": one["type"], "value": one["value"]} for one in (TONE, FACTS)]
    return {
        "home": home / "two",
        "two": _run(home / "two", checks=[TONE, "exact", FACTS]),
        "one": _run(home / "one", checks=[TONE, "exact"]),
        "tone": _run(home / "tone", scorer=alone[0]),
        "facts": _run(home / "facts", scorer=alone[1]),
    }


def judging_of(result):
    return result.summary.to_dict()["judging"]


def test_one_judged_check_has_the_agreement_of_its_scorer_alone(runs):
    found, alone = judging_of(runs["one"]), judging_of(runs["tone"])
    assert alone["alpha"] is not None
    assert (found["alpha"], found["alpha_ci95"]) == (alone["alpha"], alone["alpha_ci95"])
    assert (
        judging_notes(runs["one"].summary.judging)[-1]
        == judging_notes(runs["tone"].summary.judging)[-1]
    )


def test_each_of_several_judged_checks_has_its_own(runs):
    found = judging_of(runs["two"])
    assert found["alpha"] is None
    assert found["alpha_reason"] == "2 checks are judged, each of which has its own"
    each = {one["check"]: one for one in found["agreement_by_check"]}
    for check, alone in (("tone", "tone"), ("rubric", "facts")):
        expected = judging_of(runs[alone])
        assert each[check]["alpha"] == expected["alpha"]
        assert each[check]["alpha_ci95"] == expected["alpha_ci95"]
        assert each[check]["answers"] == 12


def test_alpha_is_that_of_the_points_given(runs):
    texts = [f"says c{n}" for n in range(12)]
    for check, criterion in (("tone", "friendly"), ("rubric", "right")):
        rows = [[_points(judge, criterion, text) / 10 for judge in JUDGES] for text in texts]
        each = {it["check"]: it["alpha"] for it in judging_of(runs["two"])["agreement_by_check"]}
        assert each[check] == pytest.approx(krippendorff_alpha(rows, scale="interval").value)


def test_the_text_the_page_and_the_api_name_both(runs):
    said = summary_text(runs["two"].summary, width=200, detail="full")
    name = runs["two"].run_ids[0]
    app = create_app(Settings(home=runs["home"]))
    with TestClient(app, base_url="http://localhost") as client:
        page = client.get(f"/runs/{name}?tab=settings").text
        sent = client.get(f"/api/v1/runs/{name}/summary").json()
    for check in ("tone", "rubric"):
        line = f"Agreement between judges on {check}: Krippendorff's alpha"
        assert line in said
        assert line in page.replace("&#39;", "'")
    assert sent["judging"]["agreement_by_check"] == judging_of(runs["two"])["agreement_by_check"]


def test_the_spread_of_a_score_is_the_largest_of_its_checks(runs):
    scores = [it.score for it in runs["two"].trials()]
    for score in scores:
        own = [part["spread"] for _, part in score.judged_parts]
        assert len(own) == 2
        assert spread_of(score) == max(own)
