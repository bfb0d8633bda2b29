import json

import pytest

from benchmaker.judging import bundled_samples, samples_of_kind
from benchmaker.judging.session import plan_questions


@pytest.fixture
def replies(tmp_path):
    """Recorded replies of a judge that is right, but for one sample that it did not judge."""
    samples = bundled_samples("quick")
    worth = {it.id: it.expected for it in samples.samples}
    path = tmp_path / "replies.jsonl"
    lines = []
    for asked in plan_questions(samples, repeats=1):
        given = worth.get(asked.item.id.removesuffix("-doubled"), 0.0)
        said = (
            "I'd rather not." if asked.item.id == "ice-good_explanation" else {"score": 10 * given}
        )
        line = {"model": "calibration", "id": asked.item.id, "judge": "gpt"}
        lines.append(
            json.dumps({**line, "output": said if isinstance(said, str) else json.dumps(said)})
        )
    path.write_text("\n".join(lines))
    return path


def quick(replies, *words):
    return ("calibrate", "--tier", "quick", "--recorded-judge", replies, "--repeats", 1, *words)


def test_both_ratings_are_printed_with_the_figures_and_what_failed(cli, replies):
    said = cli(*quick(replies, "--judge", "gpt")).stdout
    assert "gpt, tier quick: " in said
    assert "Rating: Good. Supported by the 95% intervals: Fair." in said
    assert "pass rate" in said
    assert "7 of 8" in said
    assert "ice-good_explanation" in said


def test_json_holds_the_published_fields_and_every_sample(cli, replies):
    data = cli(*quick(replies, "--json")).data
    assert data["scale"] == "0-1"
    assert data["judge_model_id"] == "gpt"
    assert set(data["summary"]) >= {
        "total_samples", "passed_samples", "pass_rate", "mean_absolute_error", "max_error",
        "bias", "correlation",
    }  # fmt: skip
    assert len(data["samples"]) == 8
    assert data["summary"]["failed"] == 1
    assert data["effects"]["null_battery"]["rewarded"] == 0


def test_a_second_calibration_tells_the_drift(cli, replies):
    cli(*quick(replies))
    assert "no significant drift" in cli(*quick(replies)).stdout


def test_a_judge_that_gave_no_judgment_ends_with_4(cli, tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_text('{"model": "calibration", "id": "eggs-right_number", "output": "no"}\n')
    said = cli(*quick(path), code=4)
    assert "Rating: Poor." in said.stdout
    assert "no calibration was stored" in said.stderr


def test_rated_answers_are_read_on_their_scale(cli, tmp_path):
    rated = tmp_path / "rated.csv"
    rated.write_text("id,answer,score\na,Yes,5\nb,No,1\nc,So,3\nd,Or,2\n")
    replies = tmp_path / "replies.csv"
    replies.write_text(
        "model,id,output\n"
        + "".join(
            f"calibration,{it},score: {score}\n"
            for it, score in zip("abcd", (10, 0, 5, 2), strict=True)
        )
    )
    data = cli(
        "calibrate", "--labels", rated, "--label-scale", 1, 5, "--recorded-judge", replies,
        "--repeats", 1, "--json",
    ).data  # fmt: skip
    assert data["tier"] == "human"
    assert data["summary"]["bias"] == pytest.approx(-0.0125)


def test_a_judge_must_be_named(cli):
    assert "no judge given. Choose one, such as " in cli("calibrate", code=2).stderr


def rated_on_five(tmp_path):
    """Answers that people and a judge scored from 1 to 5, in perfect agreement."""
    scores = dict(zip("abcdef", (1, 5, 3, 2, 4, 5), strict=True))
    rated, replies = tmp_path / "rated.csv", tmp_path / "replies.csv"
    rated.write_text(
        "id,answer,score\n" + "".join(f"{it},It is {it},{score}\n" for it, score in scores.items())
    )
    replies.write_text(
        "model,id,output\n"
        + "".join(f"calibration,{it},score: {score}\n" for it, score in scores.items())
    )
    return (
        "calibrate", "--labels", rated, "--label-scale", 1, 5, "--recorded-judge", replies,
        "--repeats", 1,
    )  # fmt: skip


def test_replies_that_look_like_those_of_another_scale_are_told_with_the_option(cli, tmp_path):
    said = " ".join(cli(*rated_on_five(tmp_path)).stdout.split())
    assert "Scales: replies of the judge from 0 to 10, scores by people from 1 to 5." in said
    assert "calibrate again with --judge-scale 1 5" in said


def test_the_scale_of_a_judge_is_an_option(cli, tmp_path):
    data = cli(*rated_on_five(tmp_path), "--judge-scale", 1, 5, "--json").data
    assert (data["judge_scale"], data["label_scale"]) == ([1, 5], [1, 5])
    assert data["summary"]["mean_absolute_error"] == 0
    assert not any("--judge-scale" in it for it in data["warnings"])


def test_a_suite_and_a_scale_beside_it_are_refused(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "name: s\nscorer: {id: llm_judge, scale: {minimum: 1, maximum: 5}}\n"
        "judge: {models: [openai/x]}\ncases: [{id: a, prompt: Why?}]\n"
    )
    words = (*rated_on_five(tmp_path), "--suite", suite)
    assert cli(*words, "--json").data["judge_scale"] == [1, 5]
    said = cli(*words, "--judge-scale", 1, 5, code=2).stderr
    assert "the suite already sets the scale" in said
    assert (
        "lower to a higher" in cli(*rated_on_five(tmp_path), "--judge-scale", 5, 1, code=2).stderr
    )


def test_a_kind_is_calibrated_on_its_own_answers(cli, tmp_path):
    path = tmp_path / "replies.jsonl"
    lines = [
        {"model": "calibration", "id": asked.item.id, "judge": "gpt", "output": "verdict: equal"}
        for asked in plan_questions(samples_of_kind("factuality"), repeats=1)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    words = ("calibrate", "--scorer", "factuality", "--recorded-judge", path, "--repeats", 1)
    said = cli(*words).stdout
    assert "Rating: Poor." in said
    assert "9 of 16" in said
    assert "Scales" not in said
    assert cli(*words, "--tier", "quick", code=2).stderr
