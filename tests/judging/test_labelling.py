import os
import shutil

import pytest

from benchmaker import Case, ScorerSpec, Suite, run
from benchmaker.cli.actions.labelling import label_from_lines, label_interactively
from benchmaker.errors import SpecError
from benchmaker.judging.label_queue import LabelPlan
from benchmaker.judging.labelling import LabellingQueue, raw_score
from benchmaker.providers.scripted import Scripted
from benchmaker.scoring.judge import Scale
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script
from tests.on_postgresql import VARIABLE

ALL = LabelPlan(n=12, share_random=1.0, traps=0)


def judged(home, *, spread=None, **scorer):
    """A run of six cases and two models; a judge that gives 6, or what ``spread`` says."""
    suite = Suite(
        "six",
        [Case(id=f"c{at}", prompt=f"Question {at}?", expected=f"Right {at}") for at in range(6)],
        scorer=ScorerSpec(id="llm_judge", models=["scripted/judge"], **scorer),
    )
    counts = {}

    def says(shown):
        answer = shown.get("answer") or shown["answer a"]
        counts[answer] = counts.get(answer, 0) + 1
        return {"score": (spread or {}).get(answer, [6, 6])[counts[answer] % 2]}

    answers = {(model, f"c{at}"): f"{model} {at}\x1b[2J" for model in "ab" for at in range(6)}
    result = run(
        suite,
        provider=Scripted(answers, models=("a", "b")),
        judge_provider=Scripted(judge_script(says)),
        home=home,
    )
    return result.place.address, result.run_ids


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A judged run, and its ids; for copies."""
    home = tmp_path_factory.mktemp("made")
    _, run_ids = judged(home)
    return home, run_ids


@pytest.fixture
def opened(request, home):
    if VARIABLE in os.environ:  # what is in a database is not in the folder
        _, run_ids = judged(home)
    else:
        first, run_ids = request.getfixturevalue("made")
        shutil.copytree(first, home)
    with Store.open(home / "benchmaker.db") as store:
        yield store, run_ids


def typed(*words):
    """Somebody who types these words, then leaves; and the prompts and texts that were shown."""
    left, seen = list(words), []

    def read(prompt):
        seen.append(prompt)
        return left.pop(0) if left else None

    return read, seen.append, seen


def test_what_is_shown_names_no_model_and_no_score(opened):
    store, run_ids = opened
    desk = LabellingQueue(store, run_ids, wish=ALL)
    shown = desk.blind_answer(desk.open_items[0])
    assert set(shown.to_dict()) == {"id", "question", "expected", "answer"}
    assert shown.question.startswith("Question")
    assert shown.expected.startswith("Right")


def test_control_characters_are_made_visible_in_the_terminal(opened):
    read, say, seen = typed()
    label_interactively(LabellingQueue(*opened, wish=ALL), read, say)
    assert "␛[2J" in seen[0]
    assert "\x1b" not in "".join(seen)


def test_labels_are_durable_one_by_one_and_not_asked_again(opened):
    store, run_ids = opened
    read, say, _ = typed("8\n", "pass\n", "2 poor\n")
    sat = label_interactively(LabellingQueue(store, run_ids, by="ann", wish=ALL), read, say)
    assert sat.labelled == 3
    labels = store.labels(run_ids)
    assert [(it.score, it.raw_score, it.note) for it in labels] == [
        (0.8, 8.0, ""),
        (1.0, 10.0, ""),
        (0.2, 2.0, "poor"),
    ]
    again = LabellingQueue(store, run_ids, by="ann", wish=ALL)
    assert len(again.open_items) == 9
    assert not {it.blind_id for it in labels} & {it.blind_id for it in again.open_items}


def test_what_was_skipped_waits_for_the_next_sitting(opened):
    store, run_ids = opened
    desk = LabellingQueue(store, run_ids, wish=ALL)
    read, say, _ = typed("s\n", "5\n")
    sat = label_interactively(desk, read, say)
    assert (sat.labelled, sat.skipped) == (1, 1)
    assert desk.open_items[0] == desk.items[0]


def test_undo_takes_the_last_label_back_and_keeps_what_was_said(opened):
    store, run_ids = opened
    read, say, seen = typed("u\n", "5\n", "u\n", "6\n", "q\n", "7\n")
    sat = label_interactively(LabellingQueue(store, run_ids, wish=ALL), read, say)
    assert sat.labelled == 1
    assert any("Nothing to undo" in text for text in seen)
    assert [it.score for it in store.labels(run_ids)] == [0.6]
    every = store.labels(run_ids, every_version=True)
    assert [(it.version, it.score) for it in every] == [(1, 0.5), (2, None), (3, 0.6)]


def test_what_is_no_score_is_asked_again_with_the_reason(opened):
    read, say, seen = typed("11\n", "\n", "eight\n", "8/10\n")
    sat = label_interactively(LabellingQueue(*opened, wish=ALL), read, say)
    assert sat.labelled == 1
    assert sum("must be a number" in text or "lies outside" in text for text in seen) == 2


def test_a_queue_that_is_done_asks_nothing(opened):
    read, say, seen = typed(*["5\n"] * 12)
    desk = LabellingQueue(*opened, wish=ALL)
    assert label_interactively(desk, read, say).labelled == 12
    before = len(seen)
    assert label_interactively(LabellingQueue(*opened, wish=ALL), read, say).labelled == 0
    assert len(seen) == before


def test_lines_are_kept_together_or_not_at_all(opened):
    store, run_ids = opened
    desk = LabellingQueue(store, run_ids, wish=ALL)
    one, two = desk.open_items[:2]
    with pytest.raises(SpecError, match="no answer 'x'"):
        label_from_lines(desk, [f"{one.blind_id},5\n", "x,5\n"])
    assert store.labels(run_ids) == ()
    assert label_from_lines(desk, [f"{one.blind_id},5\n", f'{two.blind_id},"pass"\n']).labelled == 2


def test_an_answer_outside_the_queue_is_a_targeted_one(opened):
    store, run_ids = opened
    small = LabellingQueue(store, run_ids, wish=LabelPlan(2, 1.0, 0))
    outside = {it.blind_id for it in small.candidates} - {it.blind_id for it in small.items}
    label_from_lines(small, [f"{min(outside)},5"])
    assert [it.source for it in store.labels(run_ids)] == ["targeted"]


def test_the_scale_is_that_of_the_judge(tmp_path):
    address, run_ids = judged(tmp_path, scale={"minimum": 1, "maximum": 7})
    with Store.open(address) as store:
        desk = LabellingQueue(store, run_ids, wish=ALL)
        assert (desk.scale.minimum, desk.scale.maximum) == (1, 7)
        desk.keep(desk.open_items[0], desk.read("4"))
        (label,) = store.labels(run_ids)
        assert (label.score, label.raw_score, label.scale) == (0.5, 4.0, (1.0, 7.0))


def test_answers_whose_repeats_disagree_are_the_targeted_ones(tmp_path):
    address, run_ids = judged(tmp_path, repeats=2, spread={"b 3\x1b[2J": [0, 9]})
    with Store.open(address) as store:
        (item,) = LabellingQueue(store, run_ids, wish=LabelPlan(1, 0.0, 0)).items
        assert (item.model, item.case_id, item.source) == ("b", "c3", "targeted")


def test_pairs_are_not_labelled_one_by_one(tmp_path):
    suite = Suite(
        "pairs",
        [Case(id="c", prompt="?", expected="42")],
        scorer=ScorerSpec(id="llm_judge", models=["scripted/judge"], mode="pairwise"),
    )
    result = run(
        suite,
        provider=Scripted({("a", "c"): "41"}, models=("a",)),
        judge_provider=Scripted(judge_script(lambda _: {"verdict": "A"})),
        home=tmp_path,
    )
    with Store.open(result.place.address) as store:
        with pytest.raises(SpecError, match="in pairs"):
            LabellingQueue(store, result.run_ids)
        assert LabellingQueue(store, result.run_ids, scale=Scale()).items


def test_a_run_without_scores_has_nothing_to_label(tmp_path):
    suite = Suite("s", [Case(id="c", prompt="?", expected="42")], scorer=ScorerSpec(id="exact"))
    failing = Scripted(lambda _: TimeoutError("late"), models=("a",))
    result = run(suite, provider=failing, home=tmp_path)
    with (
        Store.open(result.place.address) as store,
        pytest.raises(SpecError, match="no scored answers"),
    ):
        LabellingQueue(store, result.run_ids)


@pytest.mark.parametrize(
    ("text", "raw"), [("8", 8.0), ("8/10", 8.0), ("P", 10.0), ("fail", 0.0), ("7.5", 7.5)]
)
def test_scores_are_read_as_they_are_written(text, raw):
    assert raw_score(text, Scale()) == raw


@pytest.mark.parametrize("text", ["", "11", "-1", "B+", "nan", "85/100", "80 %"])
def test_what_is_not_on_the_scale_is_refused(text):
    with pytest.raises(SpecError, match=r"number|scale|lies outside"):
        raw_score(text, Scale())


def test_declared_grades_go_before_pass_and_fail():
    assert raw_score("F", Scale(grades={"A": 10.0, "F": 2.0})) == 2.0
