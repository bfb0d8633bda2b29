import json

import pytest

from benchmaker import Case, RunOptions, ScorerSpec, Suite, run
from benchmaker.errors import SpecError
from benchmaker.judging.label_files import read_label_file
from benchmaker.providers.scripted import Scripted
from benchmaker.record.label import blind_id
from benchmaker.store import Store

SUITE = Suite("sums", [Case(id="=1+1", prompt="1+1?", expected="2")], scorer=ScorerSpec(id="exact"))


@pytest.fixture
def ran(tmp_path):
    """A store, open, and the ids of two runs of one model."""
    answers = Scripted({("m", "=1+1"): "2"}, models=("m",))
    result = run(SUITE, provider=answers, home=tmp_path / "home", options=RunOptions(runs=2))
    with Store.open(result.place.address) as store:
        yield store, result.run_ids


def a_file(tmp_path, text, name="labels.jsonl"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_the_only_model_and_run_need_no_name(ran, tmp_path):
    store, (first, _) = ran
    path = a_file(tmp_path, '{"case": "=1+1", "score": 4, "note": "hm"}')
    (label,) = read_label_file(path, store, [first], by="ann", scale=(1, 5), source="random")
    assert (label.run_id, label.model, label.actor, label.source) == (first, "m", "ann", "random")
    assert (label.score, label.raw_score, label.scale, label.note) == (0.75, 4.0, (1, 5), "hm")
    assert label.blind_id == blind_id(first, "m", "=1+1", "2")


def test_of_several_runs_a_line_has_to_name_one(ran, tmp_path):
    store, run_ids = ran
    with pytest.raises(SpecError, match="missing run"):
        read_label_file(a_file(tmp_path, '{"case": "=1+1", "score": 1}'), store, run_ids)
    lines = [{"case": "=1+1", "score": 1, "run": name} for name in run_ids]
    found = read_label_file(a_file(tmp_path, json.dumps(lines), "x.json"), store, run_ids)
    assert tuple(it.run_id for it in found) == run_ids


def test_texts_of_a_guarded_table_are_restored(ran, tmp_path):
    store, (first, _) = ran
    path = a_file(tmp_path, "case,score\n'=1+1,1\n", "x.csv")
    (label,) = read_label_file(path, store, [first], restore=lambda it: it.lstrip("'"))
    assert label.case_id == "=1+1"


def test_two_labels_of_one_person_for_one_answer_are_refused(ran, tmp_path):
    store, (first, _) = ran
    text = '{"case": "=1+1", "score": 1}\n{"case": "=1+1", "score": 0}\n'
    with pytest.raises(SpecError, match="duplicate label"):
        read_label_file(a_file(tmp_path, text), store, [first])
    both = text.replace("0}", '0, "by": "bob"}')
    assert len(read_label_file(a_file(tmp_path, both), store, [first])) == 2


def test_the_scale_of_a_line_goes_before_that_of_the_file(ran, tmp_path):
    store, (first, _) = ran
    line = {"case": "=1+1", "score": 0.5, "raw_score": 3, "scale_min": 1, "scale_max": 5}
    (label,) = read_label_file(a_file(tmp_path, json.dumps(line)), store, [first], scale=(0, 100))
    assert (label.score, label.raw_score) == (0.5, 3.0)
