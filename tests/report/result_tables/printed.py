"""What every surface prints of the tables about judges, labels, corrected means and usage.

``python -m tests.report.result_tables.printed`` writes the golden files beside this module.
"""

import io
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from fastapi.testclient import TestClient

from benchmaker.analysis import columns_of, summarise
from benchmaker.analysis.judges.calibration import calibration_result
from benchmaker.analysis.judges.correction import corrected_differences, means_of
from benchmaker.analysis.judges.label_status import label_status
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.arenas.agentic.sessions.stored_usage import UsageQuery
from benchmaker.cli.actions.usage_report import UsageReport
from benchmaker.cli.context import Context
from benchmaker.report.judges.calibration import calibration_text
from benchmaker.report.judges.labels import status_text, write_labels
from benchmaker.report.result_tables.calibration_figures import CALIBRATION_EFFECTS, CalibrationView
from benchmaker.report.runs.correction import corrected_markdown, corrected_text
from benchmaker.report.runs.html import write_html
from benchmaker.report.tables.declaration import Surface
from benchmaker.web import Settings, create_app
from tests.analysis.calibrations import a_calibration, an_item
from tests.analysis.labels import a_judged_run, a_label, labels_of
from tests.arenas.agentic.spans import answer_row, at, write_rows
from tests.web.stored import put

GOLDEN = Path(__file__).with_name("golden")
_NOW = at("2026-03-02T12:30")
_SESSIONS = ("0b1c2d3e-0000-4000-8000-000000000001", "1b1c2d3e-0000-4000-8000-000000000002")
_TABLE = re.compile(r"<table.*?</table>", re.DOTALL)


def printed(home: Path) -> dict[str, str]:
    """The texts by the names of their golden files; ``home`` is an empty folder."""
    with _environment(TZ="UTC", COLUMNS="80"):
        return {**_calibrations(), **_labels(), **_corrections(), **_usage(home), **_judges(home)}


def _calibrations() -> dict[str, str]:
    items = [
        an_item(f"s{n:02}", n / 20, (n % 7) / 7, author="judge" if n % 2 else "m")
        for n in range(20)
    ]
    lost = [an_item(f"lost {n}", None, failures=("refused",)) for n in range(5)]
    others = (
        *(an_item(f"p{n}", 1.0, n / 5, role="pair") for n in range(5)),
        *(an_item(f"n{n}", n / 9, role="null") for n in range(3)),
        *(an_item(f"t{n}", 0.9, role="doubled", of=f"s{n:02}") for n in range(4)),
        *(an_item(f"i{n}", 1.0, role="injected", of=f"s{n:02}") for n in range(4)),
    )
    whole = calibration_result(
        (made := a_calibration(*items, *lost, *others, repeats=2, cost_usd=0.0123)), before=made
    )
    bare = calibration_result(a_calibration(*lost))
    return {
        "calibration-80.txt": calibration_text(whole),
        "calibration-40.txt": calibration_text(whole, width=40),
        "calibration-unknown.txt": calibration_text(bare),
        "calibration-effects-page.md": CALIBRATION_EFFECTS.table(
            CalibrationView(whole, in_points=True), Surface.PAGE
        ).markdown(),
    }


def _labels() -> dict[str, str]:
    trials, truth = a_judged_run()
    labels = [
        *labels_of(truth, range(20)),
        *labels_of(truth, range(10, 25), actor="bob"),
        a_label("a", 40, 0.2, source="targeted", note="=1+1"),
        a_label("", 0, 0.2, source="trap", known=1.0),
        a_label("", 1, None, source="trap", known=1.0, actor="=cem"),
    ]
    status = label_status(columns_of(trials), labels)
    files = {form: io.StringIO(newline="") for form in ("csv", "jsonl")}
    for form, stream in files.items():
        write_labels(labels, stream, form=form)
    return {
        "labels.csv": files["csv"].getvalue(),
        "labels.jsonl": files["jsonl"].getvalue(),
        "labels-80.txt": status_text(status),
        "labels-40.txt": status_text(status, width=40),
    }


def _corrections() -> dict[str, str]:
    trials, truth = a_judged_run(models=("aurora", "basalt", "cobalt"))
    labels = [
        *labels_of(truth, range(25), ("aurora", "basalt")),
        *labels_of(truth, range(4), ("cobalt",)),
    ]
    means = means_of(columns_of(trials), labels)
    differences = corrected_differences(trials, labels)
    page = io.StringIO()
    write_html(replace(summarise(trials), corrected=means), page)
    return {
        "corrected-means-80.txt": corrected_text(means),
        "corrected-means-60.txt": corrected_text(means, width=60),
        "corrected-means.md": corrected_markdown(means),
        "corrected-means.html": _TABLE.findall(page.getvalue())[-1],
        "corrected-differences-80.txt": corrected_text(differences),
        "corrected-differences.md": corrected_markdown(differences),
    }


def _usage(home: Path) -> dict[str, str]:
    for session, model, times in (
        (_SESSIONS[0], "claude-sonnet-4-5", ("03-01T10:00", "03-02T10:00", "03-02T12:10")),
        (_SESSIONS[1], "no-such-model", ("03-01T11:00", "03-01T11:20")),
    ):
        log = home / f"{session}.jsonl"
        rows = [
            answer_row(session, n, at(f"2026-{when}"), model=model, cwd=f"/home/ada/{model}")
            for n, when in enumerate(times)
        ]
        import_logs(write_rows(log, rows), home=home)
    texts = {f"usage-{width}.txt": _usage_text(home, width) for width in (60, 80, 200)}
    for by in ("session", "model", "tool"):
        texts[f"usage-{by}.txt"] = _usage_text(home, 200, by=by, breakdown=True)
    texts["usage-blocks.txt"] = _usage_text(home, 200, has_blocks=True)
    texts["usage-blocks-60.txt"] = _usage_text(home, 60, has_blocks=True)
    texts["usage.csv"] = _usage_text(home, 80, as_csv=True, breakdown=True)
    texts["usage-blocks.csv"] = _usage_text(home, 80, as_csv=True, has_blocks=True)
    page = _client(home)
    texts["usage-page.html"] = "\n".join(_TABLE.findall(page.get("/agentic/usage").text))
    texts["usage-page.csv"] = page.get("/agentic/usage.csv").text
    return texts


def _usage_text(home: Path, width: int, *, by: str = "day", **form: bool) -> str:
    os.environ["COLUMNS"] = str(width)
    query = UsageQuery(by=by, zone=UTC)
    report = UsageReport(Context(home=home), query, collects=False, **form)
    text, notes = report.render()
    return "\n".join([text, "", *notes, ""])


def _judges(home: Path) -> dict[str, str]:
    put(home, judges=("openai/gpt-4o", "=judge"))
    page = _client(home)
    return {
        "judges.csv": page.get("/judges.csv").text,
        "judges.json": page.get("/judges.json").text,
        "judges.html": "\n".join(_TABLE.findall(page.get("/judges").text)),
        "judge.html": "\n".join(_TABLE.findall(page.get("/judges/2").text)),
    }


def _client(home: Path) -> TestClient:
    settings = Settings(home=home, hosts=("127.0.0.1:8000",), clock=lambda: _NOW)
    return TestClient(create_app(settings), base_url="http://127.0.0.1:8000")


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    """Variables of the environment; days of pages are those of the time zone."""
    before = dict(os.environ)
    os.environ.update(variables)
    time.tzset()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()


def main() -> None:
    """Write the golden files."""
    GOLDEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        for name, text in printed(Path(home)).items():
            GOLDEN.joinpath(name).write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
