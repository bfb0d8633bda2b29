"""How an error is told: a sentence on stderr, JSON on stdout where that was asked for, a code."""

import sys
import traceback

import click

from benchmaker import errors
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output import say_json, tell
from benchmaker.errors import BenchmakerError, SpecError

_CODES: tuple[tuple[type[BenchmakerError], ExitCode], ...] = (
    (errors.PrerequisiteError, ExitCode.PREREQUISITE),
    (errors.AuthError, ExitCode.PREREQUISITE),
    (errors.PluginError, ExitCode.PREREQUISITE),
    (errors.SchemaTooNew, ExitCode.PREREQUISITE),
    (errors.Corrupt, ExitCode.PREREQUISITE),
    (errors.TrialError, ExitCode.PARTIAL),
    (errors.StoreError, ExitCode.PARTIAL),
)


def exit_code_of(error: BenchmakerError) -> ExitCode:
    """The exit code that an error leads to; whatever the user wrote or asked wrongly is 2.

    >>> exit_code_of(errors.Conflict("run 7 is held by process 4711 on alpha."))
    <ExitCode.PARTIAL: 4>
    """
    codes = (code for kind, code in _CODES if isinstance(error, kind))
    return next(codes, ExitCode.USAGE)


def tell_failure(error: Exception, *, use_json: bool, debug: bool) -> ExitCode:
    """Print what was found, where, and what to do; return the exit code."""
    if debug and not isinstance(error, click.ClickException):
        traceback.print_exception(error, file=sys.stderr)
    match error:
        case BenchmakerError():
            return _tell_ours(error, use_json=use_json)
        case click.ClickException():
            return _tell_usage(error, use_json=use_json)
        case OSError():
            return _tell_system(error, use_json=use_json)
        case _:
            return _tell_unexpected(error, use_json=use_json, debug=debug)


def _tell_ours(error: BenchmakerError, *, use_json: bool) -> ExitCode:
    findings = error.findings if isinstance(error, SpecError) else ()
    tell(str(error) if findings else f"Error: {error}")
    if use_json:
        say_json({"error": _as_data(error)})
    return exit_code_of(error)


def _tell_usage(error: click.ClickException, *, use_json: bool) -> ExitCode:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        tell(error.format_message())
        return ExitCode.USAGE
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "benchmaker"
    message = error.format_message()
    hint = f"See: {path} --help"
    tell(f"Error: {message} {hint}")
    if use_json:
        say_json({"error": _data("UsageError", message, hint=hint)})
    return ExitCode.USAGE


def _tell_system(error: OSError, *, use_json: bool) -> ExitCode:
    """Something the system would not do: a full disk, a device that is gone."""
    message = f"{error.strerror or error}."
    where = str(error.filename or "")
    tell(f"Error: {where}: {message}" if where else f"Error: {message}")
    if use_json:
        say_json({"error": _data(type(error).__name__, message, where=where)})
    return ExitCode.PARTIAL


def _tell_unexpected(error: Exception, *, use_json: bool, debug: bool) -> ExitCode:
    """A fault of ours: one line, the traceback only on request."""
    kind, message = type(error).__name__, " ".join(str(error).split())
    hint = "This is a fault in Benchmaker. Add --debug to see where it happened."
    told = f"Unexpected {kind}: {message or 'no message'}. "
    tell(told.rstrip() if debug else f"{told}{hint}")
    if use_json:
        say_json({"error": _data(kind, message, hint=hint)})
    return ExitCode.UNEXPECTED


def _as_data(error: BenchmakerError) -> dict[str, object]:
    findings = error.findings if isinstance(error, SpecError) else ()
    listed = [
        {
            "file": found.file,
            "line": found.line,
            "column": found.column,
            "message": found.message,
            "hint": found.hint,
        }
        for found in findings
    ]
    told = _data(type(error).__name__, error.message, where=error.where, hint=error.hint)
    return {**told, "findings": listed}


def _data(kind: str, message: str, *, where: str = "", hint: str = "") -> dict[str, object]:
    return {"type": kind, "message": message, "where": where, "hint": hint, "findings": []}
