import json

import msgspec
import pytest
from jsonschema import Draft202012Validator

from benchmaker.errors import SpecError
from benchmaker.record.baselines.baseline_file import encode_baseline, read_baseline
from benchmaker.record.baselines.run_baseline import baseline_schema, without_texts
from tests.analysis.gates.conftest import make_answer, make_side


@pytest.fixture
def baseline():
    rows = [[make_answer(1.0, "yes", metrics={"short": 0.5})], [make_answer(None, "?")]]
    return make_side({"m": rows}, groups=["g", None])


@pytest.fixture
def written(tmp_path, baseline):
    path = tmp_path / "main.baseline.json"
    path.write_bytes(b"".join(encode_baseline(baseline)))
    return path


def test_a_file_reads_back_equal(written, baseline):
    assert read_baseline(written) == baseline


def test_a_case_is_a_line(written, baseline):
    lines = written.read_text().splitlines()
    assert [json.loads(line.rstrip(","))["id"] for line in lines if '"id":' in line] == ["c0", "c1"]
    assert "yes" not in b"".join(encode_baseline(without_texts(baseline))).decode()


def test_the_schema_accepts_files_and_refuses_others(written):
    validator = Draft202012Validator(baseline_schema())
    data = json.loads(written.read_text())
    validator.validate(data)
    data["cases"][0]["setups"]["m"]["answers"][0]["score"] = 2
    assert not validator.is_valid(data)
    assert not validator.is_valid({})


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('"weight":1.0,"group":null', '"weight":"x","group":null', 13, "cases.1.weight"),
        ('"weight":1.0,"group":null', '"weight":-1.0,"group":null', 13, "at least 0"),
        ('"id":"c1"', '"id":"c0"', 13, "case 'c0' is there twice"),
        ('"score":1.0,"runs"', '"score":0.5,"runs"', 12, "not the mean of the answers"),
        ('"text":"yes"', '"text":"no"', 12, "does not match its sha256"),
        ('"cases": [', '"cases": [,', 11, "invalid JSON"),
        ('"profile": "robust/2",\n', "", 1, "missing required field profile"),
    ],
)
def test_a_broken_file_is_refused_with_line_and_field(written, old, new, line, said):
    text = written.read_text()
    assert text.count(old) >= 1
    written.write_text(new.join(text.rsplit(old, 1)))
    with pytest.raises(SpecError) as caught:
        read_baseline(written)
    assert said in str(caught.value)
    assert f"{written}:{line}:" in str(caught.value)


def test_a_cut_file_and_another_version_are_refused(written):
    text = written.read_text()
    written.write_text(text[:-20])
    with pytest.raises(SpecError, match="unexpected end of file"):
        read_baseline(written)
    written.write_text(text.replace("baseline/1", "baseline/9"))
    with pytest.raises(SpecError, match=r"has the format 'benchmaker\.baseline/9'"):
        read_baseline(written)


def test_scores_keep_their_digits(baseline):
    encoded = b"".join(encode_baseline(baseline))
    assert msgspec.json.decode(encoded)["cases"][0]["setups"]["m"]["metrics"] == {"short": 0.5}
