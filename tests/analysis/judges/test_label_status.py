import json

import pytest

from benchmaker.analysis import columns_of
from benchmaker.analysis.judges.label_status import label_status
from benchmaker.stats.agreement import krippendorff_alpha
from tests.analysis.labels import a_judged_run, a_label, labels_of


def status(labels, **more):
    trials, _ = a_judged_run(**more)
    return label_status(columns_of(trials), labels)


def test_nobody_has_labelled_anything():
    made = status([])
    assert (made.people, made.answers, made.judge) == ((), 0, None)
    assert json.dumps(made.to_dict())


def test_labels_are_counted_by_person_and_kind():
    labels = [
        a_label("a", 0, 0.5),
        a_label("a", 1, 0.5, source="targeted"),
        a_label("a", 0, 0.5, actor="bob"),
        a_label("", 0, 0.2, source="trap", known=0.0),
        a_label("", 1, 0.3, source="trap", known=1.0),
        a_label("", 1, None, source="trap", known=1.0, actor="cem"),
    ]
    made = status(labels)
    assert [(it.name, it.random, it.targeted, it.traps, it.traps_failed) for it in made.people] == [
        ("ann", 1, 1, 2, 1),
        ("bob", 1, 0, 0, 0),
    ]
    assert made.answers == 2


def test_agreement_among_people_is_alpha_over_the_random_part():
    _, truth = a_judged_run()
    ann, bob = labels_of(truth, range(20)), labels_of(truth, range(10, 30), actor="bob")
    bob = [a_label(it.model, int(it.case_id[1:]), it.score**2, actor="bob") for it in bob]
    odd = [a_label("a", 40, 0.0, source="targeted"), a_label("a", 40, 1.0, source="targeted",
                                                             actor="bob")]  # fmt: skip
    made = status([*ann, *bob, *odd])
    rows = [(truth[model, at], truth[model, at] ** 2) for at in range(10, 20) for model in "ab"]
    plain = krippendorff_alpha(rows, scale="interval", clusters=[at // 2 for at in range(20)])
    assert made.people_alpha.value == pytest.approx(plain.value)
    assert made.people_alpha.interval == pytest.approx(plain.interval)
    assert made.people_alpha.n == 20


def test_one_person_alone_has_no_agreement_and_it_says_why():
    _, truth = a_judged_run()
    made = status(labels_of(truth, range(20)))
    assert made.people_alpha is None
    assert "two people" in made.people_reason


def test_the_judge_stands_beside_people_with_intervals():
    _, truth = a_judged_run()
    made = status(labels_of(truth, range(30)))
    judge = made.judge
    assert judge.n == 60
    assert judge.bias.low < 0.1 < judge.bias.high
    assert judge.error.mean >= judge.bias.mean
    assert judge.correlation.low < judge.correlation.value <= 1
    assert judge.alpha.value < 1
    told = made.to_dict()
    assert told["judge"]["bias"]["ci95"] == list(judge.bias.interval)
    assert json.loads(json.dumps(told)) == told
