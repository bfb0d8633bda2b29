"""Every notebook of the documentation runs without key and network, and shows what it gives."""

import pytest

from tests.docs.notebook import masked, read, run_cells, with_outputs
from tests.docs.page import ROOT

NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.name)
def path(request):
    return request.param


def test_there_is_a_notebook():
    assert NOTEBOOKS


def test_the_outputs_in_the_file_are_those_of_a_run(path, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    notebook = read(path)
    outputs = run_cells(notebook)
    if request.config.getoption("--rewrite"):
        path.write_text(with_outputs(notebook, outputs), encoding="utf-8")
        notebook = read(path)
    cells = [it for it in notebook["cells"] if it["cell_type"] == "code"]
    for cell, made in zip(cells, outputs, strict=True):
        assert masked(cell["outputs"]) == masked(made), "".join(cell["source"])


def test_the_file_is_in_the_format_of_notebooks(path):
    notebook = read(path)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    counts = [it["execution_count"] for it in notebook["cells"] if it["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))


def test_it_has_one_title_and_its_links_lead_somewhere(path):
    from tests.docs.page import LINK  # noqa: PLC0415  one test alone

    prose = [
        "".join(cell["source"]) for cell in read(path)["cells"] if cell["cell_type"] == "markdown"
    ]
    assert sum(line.startswith("# ") for text in prose for line in text.splitlines()) == 1
    links = [it["target"] for text in prose for it in LINK.finditer(text)]
    files = [link.partition("#")[0] for link in links if not link.startswith("https://")]
    assert [file for file in files if not (path.parent / file).exists()] == []
