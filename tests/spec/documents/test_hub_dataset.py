"""Cases from Hugging Face datasets, by the library or by a stand-in for it; nothing is downloaded.

With the library ``datasets`` on the path, the same tests run with it.
"""

import importlib
import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.suites.load import load_suite
from benchmaker.spec.suites.suite import Suite

COMMIT = "e53f048856ff4f594e959d75785d2c2d37b678ee"
HAS_LIBRARY = importlib.util.find_spec("datasets") is not None


class StandIn:
    """What is used of a builder, for a folder of Parquet files ``data/SPLIT-….parquet``."""

    def __init__(self, path, config=None, *, revision=None):
        if not Path(path).is_dir():
            msg = f"Couldn't reach {path!r} on the Hub\nOfflineModeIsEnabled"
            raise ConnectionError(msg)
        if config not in (None, "default"):
            msg = f"BuilderConfig {config!r} not found. Available: ['default']"
            raise ValueError(msg)
        self._files = {one.name.partition("-")[0]: one for one in Path(path).glob("data/*.parquet")}
        self.hash = revision or "bd8c93783a9dfa5d"
        self.info = SimpleNamespace(splits=dict.fromkeys(self._files))

    def download_and_prepare(self):
        """Nothing is downloaded."""

    def as_dataset(self, split):
        return Rows(self._files[split])


class Rows(list):
    """What is used of a dataset: its rows, and the types of its columns."""

    def __init__(self, path):
        super().__init__(pl.read_parquet(path).to_dicts())
        known = pl.read_parquet_metadata(path).get("huggingface")
        features = json.loads(known)["info"]["features"] if known else {}
        self.features = SimpleNamespace(to_dict=lambda: features)


@pytest.fixture(autouse=True)
def library(monkeypatch):
    """The stand-in, unless the library is installed."""
    if not HAS_LIBRARY:
        module = SimpleNamespace(load_dataset_builder=StandIn, __version__="5.2.0")
        monkeypatch.setitem(sys.modules, "datasets", module)


def path_of(folder, split):
    (folder / "sums" / "data").mkdir(parents=True, exist_ok=True)
    return folder / "sums" / "data" / f"{split}-00000-of-00001.parquet"


def write_split(folder, split="test", **columns):
    pl.DataFrame(columns).write_parquet(path_of(folder, split))


def write_typed_split(folder, features, **columns):
    """Write a split with the types of its columns, by the library if it is installed."""
    path = path_of(folder, "test")
    if HAS_LIBRARY:
        library = importlib.import_module("datasets")
        types = library.Features.from_dict(features)
        library.Dataset.from_dict(columns, features=types).to_parquet(str(path))
    else:
        known = json.dumps({"info": {"features": features}})
        pl.DataFrame(columns).write_parquet(path, metadata={"huggingface": known})


def write_suite(folder, source):
    path = folder / "s.yaml"
    path.write_text(f"name: s\nscorer: exact\ncases: {{{source}}}\n")
    return path


def faults_of(folder, source):
    with pytest.raises(SpecError) as error:
        load_suite(write_suite(folder, source))
    return [str(one).replace(f"{folder}/", "") for one in error.value.findings]


@pytest.fixture
def sums(tmp_path):
    write_split(tmp_path, question=["1 + 1?", "2 + 2?"], answer=["2", "4"])
    return tmp_path


MAPPED = 'hf: ./sums, fields: {id: "q{$line}", prompt: question, expected: answer}'


def test_a_split_becomes_cases_and_is_recorded_with_the_suite(sums):
    suite = load_suite(write_suite(sums, MAPPED))
    assert [(one.id, one.prompt, one.expected) for one in suite] == [
        ("q1", "1 + 1?", "2"),
        ("q2", "2 + 2?", "4"),
    ]
    record = suite.dataset
    assert (record.hf, record.split, record.revision) == ("./sums", "test", None)
    assert len(record.fingerprint) == 64
    stored = Suite.of_header(suite.header(), suite.cases)
    assert stored.content_hash == suite.content_hash


def test_the_hash_and_the_fingerprint_follow_the_content(sums):
    first, again = (load_suite(write_suite(sums, MAPPED)) for _ in range(2))
    assert (first.dataset, first.content_hash) == (again.dataset, again.content_hash)
    write_split(sums, question=["1 + 1?", "2 + 2?"], answer=["2", "5"])
    other = load_suite(write_suite(sums, MAPPED))
    assert other.dataset.fingerprint != first.dataset.fingerprint
    assert other.content_hash != first.content_hash


@pytest.mark.skipif(HAS_LIBRARY, reason="the library has no commit for a folder")
def test_the_commit_of_the_hub_is_the_revision(sums):
    suite = load_suite(write_suite(sums, f"{MAPPED}, revision: {COMMIT}"))
    assert suite.dataset.revision == COMMIT


def test_class_labels_are_their_names(tmp_path):
    text = {"dtype": "string", "_type": "Value"}
    label = {"names": ["A", "B"], "_type": "ClassLabel"}
    features = {"question": text, "answer": label}
    write_typed_split(tmp_path, features, question=["x", "y"], answer=[1, 0])
    suite = load_suite(write_suite(tmp_path, MAPPED))
    assert [one.expected for one in suite] == ["B", "A"]


def test_one_of_several_splits_is_chosen(sums):
    write_split(sums, "train", question=["3 + 3?"], answer=["6"])
    (fault,) = faults_of(sums, MAPPED)
    assert fault.startswith("dataset ./sums: the dataset has 2 splits.")
    assert fault.endswith("Choose one with split: test, train.")
    (fault,) = faults_of(sums, f"{MAPPED}, split: tests")
    assert fault == "dataset ./sums (tests): no split 'tests'. Did you mean 'test'?"
    suite = load_suite(write_suite(sums, f"{MAPPED}, split: train"))
    assert [one.prompt for one in suite] == ["3 + 3?"]


def test_faults_are_at_the_row_of_the_dataset(sums):
    write_split(sums, id=["a", "a"], question=["x", "y"], answer=["1", "2"], weight=[1, -1])
    repeated, negative = faults_of(sums, "hf: ./sums")
    assert repeated.startswith("dataset ./sums (test):row 2, column 1: duplicate id 'a'")
    assert negative.startswith("dataset ./sums (test):row 2, column 4: ")


def test_a_dataset_that_cannot_be_loaded_is_refused_in_one_line(sums, monkeypatch):
    monkeypatch.chdir(sums)
    (fault,) = faults_of(sums, "hf: nobody/nothing, config: main, split: test")
    assert fault.startswith("dataset nobody/nothing (main, test): the dataset can't be loaded: ")
    (fault,) = faults_of(sums, f"{MAPPED}, config: other")
    assert "BuilderConfig 'other' not found" in fault


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("hf: ../sums", "this is no name of a dataset. Use OWNER/NAME, or ./FOLDER"),
        ("hf: /etc", "this is no name of a dataset."),
        ("hf: ./../sums", "'./../sums' is outside the folder of the suite."),
        ("hf: sums", "the current folder has sums, which would be read instead."),
        ("hf: ./sums, sheet: A", "sheet has no effect without file."),
        ("hf: ./sums, file: a.jsonl", "either in a file or in a dataset. Remove file or hf."),
        ("split: test", "file is missing. Add file or hf."),
    ],
)
def test_other_sources_are_refused(sums, monkeypatch, source, said):
    monkeypatch.chdir(sums)
    assert any(said in fault for fault in faults_of(sums, source))


def test_a_dataset_is_not_downloaded_where_the_limits_forbid_it(sums):
    with pytest.raises(SpecError, match="a dataset is not downloaded here"):
        load_suite(write_suite(sums, MAPPED), limits=Limits(takes_datasets=False))


def test_too_many_rows_are_refused(sums):
    with pytest.raises(SpecError, match="more than 1 rows"):
        load_suite(write_suite(sums, MAPPED), limits=Limits(lines=1))


def test_without_the_library_the_error_says_how_to_install_it(sums, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(PrerequisiteError, match="datasets is not installed") as error:
        load_suite(write_suite(sums, MAPPED))
    assert error.value.hint == "Install it with: pip install 'datasets>=4'"


def test_a_library_that_may_run_programs_of_a_dataset_is_refused(sums, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(__version__="3.6.0"))
    with pytest.raises(PrerequisiteError, match=r"datasets 3\.6\.0 is too old") as error:
        load_suite(write_suite(sums, MAPPED))
    assert error.value.hint == "Install a newer one with: pip install 'datasets>=4'"
