"""The files of a suite that ``run --watch`` watches."""

import pytest

from benchmaker.spec.documents.suite_files import SuiteFiles


@pytest.fixture
def watched(tmp_path):
    """Return the names of the watched files of a suite with this source of cases."""

    def names(cases):
        suite = tmp_path / "s.yaml"
        suite.write_text(f"name: s\nscorer: exact\ncases: {cases}\n")
        found = SuiteFiles.of(suite).signatures()
        return sorted(str(path.relative_to(tmp_path)) for path in found)

    return names


def add(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def test_the_files_of_a_local_dataset_are_watched(tmp_path, watched):
    add(tmp_path, "sums/data/test.parquet", "sums/README.md", "sums/.git/index", "other/a.parquet")
    assert watched("{hf: ./sums}") == ["s.yaml", "sums/README.md", "sums/data/test.parquet"]
    add(tmp_path, "sums/data/train.parquet")
    assert "sums/data/train.parquet" in watched("{hf: ./sums/}")


def test_a_changed_file_of_a_dataset_has_another_signature(tmp_path, watched):
    add(tmp_path, "sums/data/test.parquet")
    watched("{hf: ./sums}")
    files = SuiteFiles.of(tmp_path / "s.yaml")
    before = files.signatures()
    (tmp_path / "sums/data/test.parquet").write_text("longer")
    assert files.signatures() != before


@pytest.mark.parametrize("name", ["owner/name", "./missing", "./../outside", "/etc"])
def test_no_folder_outside_and_no_dataset_of_the_hub_is_watched(tmp_path, watched, name):
    add(tmp_path, "owner/name/a.parquet")
    assert watched(f"{{hf: {name}}}") == ["s.yaml"]


def test_data_files_are_watched(watched):
    assert watched("{file: data/cases.parquet}") == ["data/cases.parquet", "s.yaml"]
    assert watched("{file: book.xlsx, sheet: A}") == ["book.xlsx", "s.yaml"]


def test_the_file_of_a_tool_is_watched(watched):
    assert watched("[]\ntools: [{name: add, python: 'own/tools.py:add'}]") == [
        "own/tools.py",
        "s.yaml",
    ]
