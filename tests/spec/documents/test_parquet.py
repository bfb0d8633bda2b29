import datetime as dt
import json
import tracemalloc
from contextlib import suppress
from decimal import Decimal
from random import Random

import polars as pl
import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import read_rows


def read(path, **limits):
    found = []
    rows = list(read_rows(path, limits=Limits(**limits), report=found.extend))
    return rows, [str(one).replace(f"{path.parent}/", "") for one in found]


def test_typed_values_become_plain_data(tmp_path):
    pl.DataFrame(
        {
            "single": pl.Series([0.1, None], dtype=pl.Float32),
            "money": [Decimal("1.50"), None],
            "day": [dt.date(2026, 1, 31), None],
            "turns": [[{"role": "user", "name": None}], []],
            "nan": [float("nan"), 2.0],
        }
    ).write_parquet(tmp_path / "a.parquet")
    (first, second), faults = read(tmp_path / "a.parquet")
    assert first.values == {
        "single": 0.1,
        "money": "1.50",
        "day": "2026-01-31",
        "turns": [{"role": "user"}],
        "nan": None,
    }
    assert second.values == {"single": None, "money": None, "day": None, "turns": [], "nan": 2.0}
    assert (first.number, second.number, faults) == (1, 2, [])


def test_huge_numbers_keep_their_digits_and_times_are_text(tmp_path):
    pl.DataFrame(
        {
            "id": pl.Series([2**64 - 1], dtype=pl.UInt64),
            "n": pl.Series([-(2**63)], dtype=pl.Int64),
            "huge": pl.Series([2**100], dtype=pl.Int128),
            "at": [dt.datetime(2026, 1, 31, 1, 2, 3, tzinfo=dt.UTC)],
            "time": [dt.time(1, 2)],
            "infinite": [float("inf")],
        }
    ).write_parquet(tmp_path / "a.parquet")
    ((row,), _) = read(tmp_path / "a.parquet")
    assert row.values == {
        "id": 2**64 - 1,
        "n": -(2**63),
        "huge": 2**100,
        "at": "2026-01-31T01:02:03+00:00",
        "time": "01:02:00",
        "infinite": "inf",
    }


def test_floats_without_a_fraction_are_whole_numbers(tmp_path):
    columns = {"answer": [2.0, None, -0.0, 1e16, 2.5], "vars": [{"n": 3.0}] * 5}
    pl.DataFrame(columns).write_parquet(tmp_path / "a.parquet")
    rows, _ = read(tmp_path / "a.parquet")
    assert [repr(row.values["answer"]) for row in rows] == ["2", "None", "0", "1e+16", "2.5"]
    assert repr(rows[0].values["vars"]) == "{'n': 3}"


def test_nested_columns_become_lists_and_mappings(tmp_path):
    inner = {"role": "user", "parts": [{"text": "a"}, {"text": None}], "score": float("nan")}
    pl.DataFrame({"turns": [[inner]], "nothing": [None]}).write_parquet(tmp_path / "a.parquet")
    ((row,), _) = read(tmp_path / "a.parquet")
    assert row.values == {
        "turns": [{"role": "user", "parts": [{"text": "a"}, {}]}],
        "nothing": None,
    }


def test_bytes_that_are_not_text_are_reported(tmp_path):
    pl.DataFrame({"id": [b"a", b"\xff"]}).write_parquet(tmp_path / "a.parquet")
    rows, (fault,) = read(tmp_path / "a.parquet")
    assert [row.values for row in rows] == [{"id": "a"}]
    assert fault.startswith("a.parquet:row 2: the row holds bytes that are not text.")


def test_rows_and_files_of_too_much_text_are_refused(tmp_path):
    pl.DataFrame({"id": ["x" * 1000] * 50}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(SpecError, match="row 1: the row is larger than 100 bytes as JSON"):
        read(tmp_path / "a.parquet", line_bytes=100)
    with pytest.raises(SpecError, match=r"row 10: the file is larger than 9\.766 KiB as JSON"):
        read(tmp_path / "a.parquet", data_bytes=10_000)
    with pytest.raises(SpecError, match="more than 20 rows"):
        read(tmp_path / "a.parquet", lines=20)


def test_a_file_cut_off_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"id": ["a", "b"]}).write_parquet(path)
    data = path.read_bytes()
    for size in (0, 4, 12, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(SpecError, match="the Parquet file can't be read"):
            read(path)


def test_a_damaged_file_is_read_or_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"id": [f"case {n}" for n in range(500)]}).write_parquet(path)
    data = path.read_bytes()
    for seed in range(40):
        damaged, random = bytearray(data), Random(seed)  # noqa: S311  damage to repeat
        for _ in range(3):
            damaged[random.randrange(len(data))] ^= 1 << random.randrange(8)
        path.write_bytes(damaged)
        with suppress(SpecError):
            read(path)


def test_memory_does_not_grow_with_the_rows(tmp_path):
    peaks = []
    for number in (10_000, 40_000):
        path = tmp_path / f"{number}.parquet"
        texts = [f"{i} {'x' * 200}" for i in range(number)]
        pl.DataFrame({"prompt": texts}).write_parquet(path, row_group_size=5_000)
        tracemalloc.start()
        assert sum(1 for _ in read_rows(path, limits=Limits(), report=print)) == number
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def label_of(*names):
    return {"names": list(names), "_type": "ClassLabel"}


def write_labelled(path, features, **columns):
    """Write a file as the library datasets does, with the types of its columns."""
    known = json.dumps({"info": {"features": features}})
    pl.DataFrame(columns).write_parquet(path, metadata={"huggingface": known})
    return path


def test_class_labels_are_their_names(tmp_path):
    features = {"text": {"dtype": "string", "_type": "Value"}, "label": label_of("neg", "pos")}
    path = write_labelled(
        tmp_path / "a.parquet", features, text=["a", "b", "c", "d"], label=[1, 0, None, -1]
    )
    rows, faults = read(path)
    assert [row.values["label"] for row in rows] == ["pos", "neg", None, None]
    assert faults == []


@pytest.mark.parametrize("kind", ["List", "Sequence", "LargeList"])
def test_class_labels_inside_lists_and_structs_are_their_names(tmp_path, kind):
    tags = {"feature": label_of("O", "B"), "_type": kind}
    both = {"feature": {"tag": label_of("x", "y")}, "_type": kind}
    features = {"tags": tags, "in": {"_type": label_of("u", "v")}, "old": [label_of("a", "b")]}
    path = write_labelled(
        tmp_path / "a.parquet",
        {**features, "both": both},
        tags=[[0, 1, 1]],
        old=[[1]],
        both=[{"tag": [1, 0]}],
        **{"in": [{"_type": 1}]},
    )
    ((row,), _) = read(path)
    assert row.values == {
        "tags": ["O", "B", "B"],
        "old": ["b"],
        "both": {"tag": ["y", "x"]},
        "in": {"_type": "v"},
    }


def test_a_class_label_without_a_name_is_refused_with_its_row(tmp_path):
    path = write_labelled(tmp_path / "a.parquet", {"label": label_of("no", "yes")}, label=[0, 2])
    with pytest.raises(SpecError, match="row 2") as error:
        read(path)
    assert "column 'label' has the class label 2, but only 0 to 1 have names." in str(error.value)


@pytest.mark.parametrize(
    "known",
    ["{", "[" * 10_000, "[]", '{"info": 1}', '{"info": {"features": {"label": {"names": 3}}}}'],
)
def test_damaged_metadata_of_columns_are_ignored(tmp_path, known):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"label": [1]}).write_parquet(path, metadata={"huggingface": known})
    ((row,), _) = read(path)
    assert row.values == {"label": 1}
