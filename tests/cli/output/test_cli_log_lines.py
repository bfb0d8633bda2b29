import json
import logging

import pytest

from benchmaker.cli.output.log_lines import OURS, logs_written
from benchmaker.engine.trials.log_context import REQUEST, log_context
from benchmaker.redact import Redactor

KEY = "sk-proj-abcdefgh12345678ijkl"
LOG = logging.getLogger("benchmaker.web")


def written(capsys):
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_each_event_is_one_line_of_json_with_its_ids(capsys):
    token = REQUEST.set("r-1")
    with logs_written(Redactor(), form="json", level=None), log_context(job="j-1", run="run-1"):
        LOG.info("request", extra={"fields": {"route": "/runs/{run}", "status": 200}})
    REQUEST.reset(token)
    (line,) = written(capsys)

    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "logger": "benchmaker.web",
        "event": "request",
        "request_id": "r-1",
        "job_id": "j-1",
        "run_id": "run-1",
        "route": "/runs/{run}",
        "status": 200,
    }


def test_a_traceback_is_part_of_the_line(capsys):
    with logs_written(Redactor(), form="json", level=None):
        try:
            int("two\nlines")
        except ValueError:
            LOG.exception("failed\nhere")
    (line,) = written(capsys)

    assert line["event"] == "failed\nhere"
    assert line["trace"].startswith("Traceback")
    assert "\n" in line["trace"]


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize("secret", ['corre"ct horse\n', KEY])
def test_no_key_is_written_wherever_it_stands(capsys, form, secret):
    with logs_written(Redactor(['corre"ct horse\n']), form=form, level="debug"):
        try:
            int(secret)
        except ValueError:
            LOG.exception("lost %s", secret, extra={"fields": {"deep": [{"er": f"a {secret} b"}]}})
    said = capsys.readouterr().err

    assert "[redacted]" in said
    assert secret not in said
    assert json.dumps(secret)[1:-1] not in said
    assert [json.loads(line) for line in said.splitlines()] if form == "json" else True


@pytest.mark.parametrize(
    ("form", "level", "heard"),
    [
        ("text", None, ["warning"]),
        ("json", None, ["info", "warning"]),
        ("json", "debug", ["debug", "info", "warning"]),
        ("text", "error", []),
    ],
)
def test_the_level_is_that_of_the_form_or_the_one_asked_for(capsys, form, level, heard):
    with logs_written(Redactor(), form=form, level=level):
        for name in ("debug", "info", "warning"):
            LOG.log(getattr(logging, name.upper()), "said %s", name)
    said = capsys.readouterr().err

    assert [name for name in ("debug", "info", "warning") if f"said {name}" in said] == heard


def test_other_libraries_are_heard_from_warnings_on(capsys):
    with logs_written(Redactor(), form="json", level="debug"):
        logging.getLogger("some.library").info("here")
        logging.getLogger("some.library").warning("there")

    assert [line["event"] for line in written(capsys)] == ["there"]


def test_a_line_is_bounded(capsys):
    with logs_written(Redactor(), form="json", level=None):
        LOG.warning("x" * 1_000_000)

    assert len(capsys.readouterr().err) < 30_000


def test_a_record_that_can_not_be_put_into_words_ends_nothing(capsys, monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    with logs_written(Redactor(), form="json", level=None):
        LOG.warning("%d", "no number")
        LOG.warning("after")

    assert [line["event"] for line in written(capsys)] == ["after"]


def test_a_person_reads_words(capsys):
    with logs_written(Redactor(), form="text", level="info"), log_context(run="run-1"):
        LOG.info("job begun", extra={"fields": {"kind": "resume"}})

    assert capsys.readouterr().err == ("INFO benchmaker.web: job begun kind=resume run_id=run-1\n")


def test_afterwards_everything_is_as_it_was():
    levels = [logging.getLogger(name).level for name in OURS]
    handlers = list(logging.getLogger().handlers)
    with logs_written(Redactor(), form="json", level="debug"):
        pass

    assert [logging.getLogger(name).level for name in OURS] == levels
    assert logging.getLogger().handlers == handlers
