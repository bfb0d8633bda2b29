import io
import re

import pytest

from benchmaker import Case, SpecError, Suite, export, run
from benchmaker.analysis import summarise_by
from benchmaker.redact import Redactor
from benchmaker.report.formats.report_format import ReportSubject, load_format


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    suite = Suite("s", [Case(id="a", prompt="x", expected="y")], scorer="exact")
    home = tmp_path_factory.mktemp("home")
    return run(suite, provider=lambda _: "y", models=["m", "n"], home=home)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("t.csv", "csv"),
        ("t.json", "json"),
        ("t.jsonl", "jsonl"),
        ("t.md", "markdown"),
        ("t.html", "html"),
        ("t.xml", "junit"),
    ],
)
def test_a_result_is_written_in_the_format_that_the_name_says(result, tmp_path, name, form):
    written = io.StringIO()
    with result.place.open_store() as store:
        load_format(form).write(ReportSubject(result, store, Redactor()), written)
    path = export(result, tmp_path / name)
    assert path == tmp_path / name
    assert path.read_bytes().decode() == written.getvalue()


def test_a_stored_run_is_written_by_its_name(result, tmp_path):
    export("latest", tmp_path / "out", form="csv", home=result.place.home)
    assert (tmp_path / "out").read_bytes() == export(result, tmp_path / "t.csv").read_bytes()


@pytest.mark.parametrize(
    ("name", "form", "words"),
    [("t", None, "no report format for this file name"), ("t.csv", "pdf", "unknown format 'pdf'")],
)
def test_an_unknown_format_is_refused_before_anything_is_written(
    result, tmp_path, name, form, words
):
    with pytest.raises(SpecError, match=words):
        export(result, tmp_path / name, form=form)
    assert not (tmp_path / name).exists()


def test_the_html_report_shows_each_category_as_results_do(tmp_path):
    cases = [
        Case(id=f"c{n}", prompt=f"{n}?", expected=str(n), category="odd" if n % 2 else None)
        for n in range(5)
    ]
    suite = Suite("sums", cases, scorer="exact")
    made = run(suite, provider=lambda said: said.case_id[1:].replace("4", "no"), home=tmp_path)
    page = export(made, tmp_path / "report.html").read_text()
    table = page.partition('id="h-categories"')[2].partition("</section>")[0]
    cells = [re.sub("<[^>]+>", " ", row).split() for row in table.split("<tr>")[2:]]
    for label, group in summarise_by(made, cases, "category").items():
        (model,) = group.models
        row = next(row for row in cells if row[0] == (label or "no"))
        assert f"{model.strict_accuracy:.1%}" in row
        assert str(model.n_cases) in row
    assert len(cells) == 2


class Counted:
    """The number of trials."""

    suffixes = (".count",)
    media_type = "text/plain"
    takes_threshold = False

    def write(self, subject, stream):
        stream.write(str(len(list(subject.trials()))))


class Undescribed:
    write = Counted.write


def test_a_class_at_a_path_is_a_format(result, tmp_path):
    path = export(result, tmp_path / "t", form=f"{__name__}:Counted")
    assert path.read_text() == "2"


def test_a_class_that_does_not_describe_its_files_is_no_format(result, tmp_path):
    with pytest.raises(SpecError, match="has no attribute 'suffixes'"):
        export(result, tmp_path / "t", form=f"{__name__}:Undescribed")
