"""A statistic that two files declare stands in every table of means, on every surface."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import benchmaker

SOURCE = Path(benchmaker.__file__).parent
IMPORTED = "import bounded_mean_over_cases, interval_reason\n"
RIGHT = "            strict_accuracy=right.mean if right else None,\n"
FIELD = "    strict_accuracy: float | None\n"
FIGURES = "class ModelFigures:\n"
FUNCTION = """
def _interquartile_range(cases: CaseMeans) -> float | None:
    if len(cases.means) < 2:
        return None
    low, high = np.quantile(
        cases.means, [0.25, 0.75], weights=cases.weights, method="inverted_cdf"
    )
    return float(high - low)


"""
VALUE = "_interquartile_range(case_means(self.columns, scores, self.rows))"
SD_OVER = '        TableColumn(name="sd_over"),\n'
COLUMN = """
        TableColumn(
            name="iqr",
            title="IQR",
            unit="cases",
            text=lambda model, _: missing_figures.statistic_over_cases(model.iqr),
            help="IQR: the middle half of the cases differ by at most this.",
        ),
"""
DECLARED = {
    "analysis/summary/model_summary.py": [
        (
            IMPORTED,
            f"import CaseMeans, case_means\nfrom benchmaker.analysis.summary.aggregate {IMPORTED}",
        ),
        (FIELD, f"    iqr: float | None\n{FIELD}"),
        (RIGHT, f"            iqr={VALUE},\n{RIGHT}"),
        (FIGURES, f"{FUNCTION}{FIGURES}"),
    ],
    "report/result_tables/means.py": [(SD_OVER, f"{SD_OVER}{COLUMN}")],
}
"""What is written for a new statistic over cases: its computation, and its column."""
SHOWS = """
import io, json, sys
from pathlib import Path
from fastapi.testclient import TestClient
import benchmaker as bm
from benchmaker import report
from benchmaker.analysis import summarise_by
from benchmaker.report.runs.groups import groups_text
from benchmaker.web import Settings, create_app

home = Path(sys.argv[1])
scores = (1.0, 0.5, 0.0, 0.8, 0.8, 0.8)
cases = [
    bm.Case(id=f"c{at}", prompt=f"{at}?", expected="a b", category="x") for at in range(len(scores))
]
suite = bm.Suite("sums", cases, scorer=bm.ScorerSpec(id="exact", grades=True), profile="robust")
answers = ("a b", "A B", "so a b it is", "c", "", "a")
made = bm.run(suite, provider=lambda it: answers[int(it.case_id[1:])], models=["m", "n"], home=home)
one = bm.Suite("one", cases[:1], scorer=suite.scorer, profile="robust")
one_case = bm.run(one, provider=lambda it: answers[2], models=["m"], home=home)
summary, (run_id,) = made.summary, made.run_ids

def written(write):
    stream = io.StringIO(newline="")
    write(summary, stream)
    return stream.getvalue()

page = TestClient(
    create_app(Settings(home=home, hosts=("127.0.0.1:8000",))), base_url="http://127.0.0.1:8000"
)
found = {
    "terminal": report.summary_text(summary, detail="full", width=160),
    "brief": report.summary_text(summary, explained_by="results --explain", width=160),
    "json": summary.to_dict(),
    "csv": written(report.write_summary_csv),
    "markdown": written(report.write_markdown),
    "scores": [it.score.score for it in made.trials() if it.model == "m"],
    "one case": report.summary_text(one_case.summary, detail="full", width=160),
    "html": written(report.write_html),
    "groups": groups_text(summarise_by(made, suite.cases, "category"), "category", width=160),
    "page": page.get(f"/runs/{run_id}").text,
    "page csv": page.get(f"/runs/{run_id}.csv").text,
    "page json": page.get(f"/runs/{run_id}/tables/means.json").json(),
    "api": page.get(f"/api/v1/runs/{run_id}/summary").json(),
    "schema": page.get("/api/v1/openapi.json").text,
}
(home / "found.json").write_text(json.dumps(found))
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What every surface says, in a copy of the package with the statistic."""
    root = tmp_path_factory.mktemp("copy")
    copied = root / "benchmaker"
    shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    for name, edits in DECLARED.items():
        text = (copied / name).read_text()
        for line, lines in edits:
            assert text.count(line) == 1, name
            text = text.replace(line, lines)
        (copied / name).write_text(text)
    environ = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", SHOWS, root]
    done = subprocess.run(command, env=environ, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((root / "found.json").read_text())


@pytest.mark.parametrize("surface", ["terminal", "markdown", "html", "page", "groups"])
def test_people_read_it(shown, surface):
    assert "IQR" in shown[surface]
    explanations = shown[surface].count("IQR: the middle half of the cases differ by at most this.")
    assert explanations == 1


def test_its_unit_stands_below_it_and_behind_a_comma(shown):
    heads = [line.split() for line in shown["terminal"].splitlines()]
    first = next(at for at, words in enumerate(heads) if "IQR" in words)
    assert heads[first + 1].count("cases") == heads[first].count("CI") + 2
    assert "| IQR, cases |" in shown["markdown"]
    assert ">IQR, cases<" in shown["html"]


def test_it_is_the_one_over_cases_and_missing_for_one_case(shown):
    figures = {one["model"]: one["iqr"] for one in shown["json"]["models"]}
    _, low, *_, high, _ = sorted(shown["scores"])
    assert high > low
    assert figures["m"] == figures["n"] == pytest.approx(high - low)
    assert "too few cases" in shown["one case"]


def test_a_brief_table_names_the_command_that_explains_it(shown):
    assert "IQR" in shown["brief"]
    assert "middle half" not in shown["brief"]
    assert "results --explain" in shown["brief"]


def test_files_and_documents_have_it(shown):
    figures = {one["model"]: one["iqr"] for one in shown["json"]["models"]}
    assert figures.keys() == {"m", "n"}
    assert shown["csv"] == shown["page csv"]
    rows = list(csv.DictReader(io.StringIO(shown["csv"], newline="")))
    assert {row["model"]: float(row["iqr"]) for row in rows} == figures
    assert {row["model"]: row["iqr"] for row in shown["page json"]["means"]} == figures
    assert {one["model"]: one["iqr"] for one in shown["api"]["models"]} == figures
    assert '"iqr"' in shown["schema"]
