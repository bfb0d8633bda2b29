"""``benchmaker.export`` writes the bytes that the commands write."""

import json
import time

import pytest

from benchmaker import RunOptions, SpecError, Suite, export, import_logs, run
from benchmaker.plugins import list_plugins
from tests.web.agentic_data import write_log

FORMS = sorted(one.id for one in list_plugins("format") if one.distribution == "benchmaker")
BINARY = ("inspect", "lm-eval", "parquet")


@pytest.fixture
def result(home):
    cases = [{"id": f"c{n}", "prompt": f"{n}?", "expected": n % 2} for n in range(6)]
    checks = [{"type": "word_count", "max": 1, "metric": "short", "weight": 0}]
    suite = Suite("s", cases, scorer="exact", checks=checks, efforts=["low", "high"])
    key = "sk-proj-" + "a1B2" * 12
    return run(
        suite,
        provider=lambda request: "1" if request.case_id != "c3" else f"=1 <b> {key}",
        models=["m", "n"],
        home=home,
        options=RunOptions(runs=2),
    )


@pytest.mark.parametrize("form", FORMS)
def test_every_report_format_is_that_of_the_command(cli, result, tmp_path, form):
    cli("export", result.series_id, "--format", form, "--output", tmp_path / "command")
    path = export(result, tmp_path / "python", form=form)
    written = (tmp_path / "command").read_bytes()
    assert path.read_bytes() == written
    if form not in BINARY:
        assert export(result, form=form).encode() == written


@pytest.mark.parametrize("answers", [False, True])
def test_a_baseline_is_that_of_the_command(cli, result, answers, tmp_path):
    options = ("--answers",) if answers else ()
    path = tmp_path / "command.json"
    cli("export", result.series_id, "--baseline", *options, "--output", path)
    assert export(result, form="baseline", answers=answers) == path.read_text("utf-8")


@pytest.mark.parametrize(("gate", "metric"), [("mean", None), ("sure", None), ("mean", "short")])
def test_a_threshold_is_that_of_the_command(cli, result, gate, metric, tmp_path):
    path = tmp_path / "command.xml"
    more = ("--gate-metric", metric) if metric else ("--gate", gate)
    cli(
        "export", result.series_id, "--format", "junit", "--threshold", 60, *more,
        "--output", path, code=None,
    )  # fmt: skip
    made = export(result, form="junit", threshold=0.6, gate=gate, gate_metric=metric)
    assert made == path.read_text("utf-8")


def test_the_table_and_its_json_are_those_of_results(cli, result):
    assert export(result, form="text") == cli("results", result.series_id).stdout
    said = cli("results", result.series_id, "--json").stdout
    assert export(result, form="summary") == said
    assert json.loads(said)["models"]


@pytest.mark.parametrize("form", ["atif", "otel", "submission"])
def test_submissions_are_those_of_the_command(cli, home, tmp_path, form):
    import_logs(write_log(tmp_path / "session.jsonl", "Look around"), home=home)
    said = cli("export", "latest", "--format", form).stdout
    assert export("latest", form=form, home=home) == said
    path = export(["latest"], tmp_path / "out", form=form, home=home)
    assert path.read_text("utf-8") == said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"form": "csv", "answers": True}, "answers has no effect on csv"),
        ({"form": "csv", "threshold": 0.5}, "threshold has no effect on csv.*junit"),
        ({"form": "junit", "gate": "sure"}, "need a threshold"),
        ({"form": "parquet"}, "parquet is a binary format"),
        ({}, "no format given.*csv.*baseline.*atif"),
        ({"form": "pdf"}, "unknown format 'pdf'"),
        ({"form": "otel"}, "otel is a format of submissions"),
    ],
)
def test_what_has_no_effect_is_refused(result, options, words):
    with pytest.raises(SpecError, match=f"(?s){words}"):
        export(result, **options)


@pytest.mark.parametrize("form", ["inspect", "lm-eval"])
def test_an_archive_has_equal_bytes_at_any_time(result, tmp_path, form, monkeypatch):
    first = export(result, tmp_path / "first", form=form).read_bytes()
    later = time.localtime(time.time() + 1_000_000)
    monkeypatch.setattr(time, "localtime", lambda *_: later)
    assert export(result, tmp_path / "second", form=form).read_bytes() == first
