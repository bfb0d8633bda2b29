import json

import click
import pytest

from benchmaker import errors
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.failure import exit_code_of, tell_failure
from benchmaker.errors import Finding, SpecError
from benchmaker.redact import MARK, Redactor

CODES = {
    errors.SpecError: 2,
    errors.TranscriptError: 2,
    errors.AnalysisError: 2,
    errors.NotComparable: 2,
    errors.PrerequisiteError: 3,
    errors.AuthError: 3,
    errors.PluginError: 3,
    errors.Corrupt: 3,
    errors.SchemaTooNew: 3,
    errors.Conflict: 4,
    errors.StoreError: 4,
    errors.ProviderError: 4,
    errors.ScorerError: 4,
}


@pytest.mark.parametrize("kind", CODES, ids=lambda kind: kind.__name__)
def test_each_error_has_its_exit_code(kind):
    made = kind("what", file="a") if kind is errors.TranscriptError else kind("what")
    assert exit_code_of(made) == CODES[kind]


def test_an_error_says_what_where_and_what_to_do(capsys):
    error = errors.PrerequisiteError("no driver.", where="store", hint="pip install it")
    assert tell_failure(error, use_json=False, debug=False) is ExitCode.PREREQUISITE
    said = capsys.readouterr()
    assert said.err == "Error: store: no driver. pip install it\n"
    assert said.out == ""


def test_findings_are_listed_as_they_stand_in_the_file(capsys):
    error = SpecError.of([Finding("s.yaml", 3, 5, "second."), Finding("s.yaml", 1, 2, "first.")])
    tell_failure(error, use_json=False, debug=False)
    assert capsys.readouterr().err == "s.yaml:1:2: first.\ns.yaml:3:5: second.\n"


def test_with_json_the_error_is_an_object_on_stdout(capsys):
    found = Finding("s.yaml", 1, 2, "wrong.", "Fix it.")
    tell_failure(SpecError.of([found]), use_json=True, debug=False)
    told = json.loads(capsys.readouterr().out)["error"]
    assert told["type"] == "SpecError"
    assert told["findings"] == [
        {"file": "s.yaml", "line": 1, "column": 2, "message": "wrong.", "hint": "Fix it."}
    ]


def test_a_wrong_command_line_points_to_help(capsys):
    error = click.UsageError("No such option: --runz")
    assert tell_failure(error, use_json=True, debug=False) is ExitCode.USAGE
    said = capsys.readouterr()
    assert said.err == "Error: No such option: --runz. See: benchmaker --help\n"
    assert json.loads(said.out)["error"]["type"] == "UsageError"


def test_an_unexpected_fault_is_one_line_without_a_traceback(capsys):
    assert tell_failure(ValueError("a\nb"), use_json=False, debug=False) is ExitCode.UNEXPECTED
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "ValueError: a b" in said
    assert "--debug" in said


def test_with_debug_the_traceback_comes_first(capsys):
    tell_failure(ValueError("inner"), use_json=False, debug=True)
    assert capsys.readouterr().err.startswith("ValueError: inner\n")


def test_hostile_text_in_an_error_does_not_reach_the_terminal(capsys):
    tell_failure(SpecError("model '\x1b[2J'"), use_json=False, debug=False)
    assert "\x1b" not in capsys.readouterr().err


def test_what_the_system_refuses_is_no_fault_of_ours(capsys):
    error = OSError(28, "No space left on device", "/data/x")
    assert tell_failure(error, use_json=False, debug=False) is ExitCode.PARTIAL
    assert capsys.readouterr().err == "Error: /data/x: No space left on device.\n"


@pytest.mark.parametrize("use_json", [True, False])
def test_known_keys_are_taken_out_of_message_json_and_traceback(capsys, use_json):
    hide = Redactor(["correct horse"])
    for error in (SpecError("no correct horse"), ValueError("correct horse"), OSError(2, "x")):
        error.__cause__ = KeyError("correct horse")
        tell_failure(error, use_json=use_json, debug=True, redactor=hide)
    said = capsys.readouterr()
    assert "correct horse" not in said.out + said.err
    assert "Traceback" not in said.out
    assert MARK in said.err


def test_a_hint_is_a_sentence_of_its_own():
    assert str(SpecError("The key is wrong", hint="Look at KEY.")) == (
        "The key is wrong. Look at KEY."
    )
    assert str(SpecError("Is it wrong?", hint="Look at KEY.")) == "Is it wrong? Look at KEY."
