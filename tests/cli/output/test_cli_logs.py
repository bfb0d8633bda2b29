import logging

from benchmaker.cli.output.logs import warnings_on_stderr
from benchmaker.redact import Redactor


def test_a_warning_is_told_without_keys_tracebacks_included(capsys):
    with warnings_on_stderr(Redactor(["correct horse"])):
        try:
            int("correct horse")
        except ValueError:
            logging.getLogger("some.library").exception("lost: %s", "correct horse")
    told = capsys.readouterr().err
    assert told.startswith("ERROR some.library: lost: [redacted]\nTraceback")
    assert "correct horse" not in told


def test_what_is_no_warning_is_not_told(capsys):
    with warnings_on_stderr(Redactor()):
        logging.getLogger("some.library").info("here")
    assert capsys.readouterr().err == ""


def test_afterwards_nothing_is_left_behind():
    before = list(logging.getLogger().handlers)
    with warnings_on_stderr(Redactor()):
        pass
    assert logging.getLogger().handlers == before
