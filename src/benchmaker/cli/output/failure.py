"""Output of errors: a sentence on stderr, JSON on stdout if requested, an exit code."""

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import click

from benchmaker import errors
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import say_json, tell, tell_as_is
from benchmaker.errors import BenchmakerError, SpecError
from benchmaker.redact import Redactor

_CODES: tuple[tuple[type[BenchmakerError], ExitCode], ...] = (
    (errors.PrerequisiteError, ExitCode.PREREQUISITE),
    (errors.AuthError, ExitCode.PREREQUISITE),
    (errors.PluginError, ExitCode.PREREQUISITE),
    (errors.SchemaTooNew, ExitCode.PREREQUISITE),
    (errors.SchemaTooOld, ExitCode.PREREQUISITE),
    (errors.Corrupt, ExitCode.PREREQUISITE),
    (errors.TrialError, ExitCode.PARTIAL),
    (errors.StoreError, ExitCode.PARTIAL),
)


def exit_code_of(error: BenchmakerError) -> ExitCode:
    """Return the exit code for an error; all user errors are 2.

    >>> exit_code_of(errors.Conflict("run 7 is held by process 4711 on alpha."))
    <ExitCode.PARTIAL: 4>
    """
    codes = (code for kind, code in _CODES if isinstance(error, kind))
    return next(codes, ExitCode.USAGE)


def tell_failure(
    error: Exception,
    *,
    use_json: bool,
    debug: bool,
    redactor: Redactor | None = None,
    complete: Callable[[str], str] = str,
) -> ExitCode:
    """Print fault, place and remedy; return the exit code.

    ``redactor`` removes the keys; texts that look like one are never printed. ``complete`` adds to
    a command at the end what it lacks, such as the data folder.
    """
    hide = redactor or Redactor()
    if debug and not isinstance(error, click.ClickException):
        tell_as_is(hide.text("".join(traceback.format_exception(error)).rstrip()))
    told = _describe(error, debug=debug)
    text = hide.text(complete(told.text))
    if use_json and told.data:
        tell(text)
        say_json(hide.tree({"error": told.data}))
    elif use_json:
        tell_as_is(text)
    else:
        tell(text)
    return told.code


@dataclass(frozen=True, slots=True)
class _FailureReport:
    """An error in words, as data (none where there is nothing to say), and its exit code."""

    text: str
    data: dict[str, object]
    code: ExitCode


def _describe(error: Exception, *, debug: bool) -> _FailureReport:
    match error:
        case BenchmakerError():
            return _own_error(error)
        case click.ClickException():
            return _usage_error(error)
        case OSError():
            return _system_error(error)
        case _:
            return _unexpected_error(error, debug=debug)


def _own_error(error: BenchmakerError) -> _FailureReport:
    findings = error.findings if isinstance(error, SpecError) else ()
    has_lines = any(one.line for one in findings)
    text = str(error) if has_lines or len(findings) > 1 else f"Error: {error}"
    return _FailureReport(text, _as_data(error), exit_code_of(error))


def _usage_error(error: click.ClickException) -> _FailureReport:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return _FailureReport(error.format_message(), {}, ExitCode.USAGE)
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "benchmaker"
    message = " ".join(f"{error.format_message()} {_nearest_choice(error)}".split())
    if not message.endswith((".", "?", ")")):
        message += "."
    hint = f"See: {path} --help"
    return _FailureReport(
        f"Error: {message} {hint}", _data("UsageError", message, hint=hint), ExitCode.USAGE
    )


def _nearest_choice(error: click.ClickException) -> str:
    """The suggestion for a mistyped choice; empty for other errors."""
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param else None
    found = _NO_CHOICE.match(error.message)
    if not isinstance(kind, click.Choice) or not found:
        return ""
    from benchmaker.spec.documents.suggestions import did_you_mean

    return did_you_mean(found[1], map(str, kind.choices))


_NO_CHOICE = re.compile(r"'(.*?)' is not one of ")


def _system_error(error: OSError) -> _FailureReport:
    """Something the system would not do: a full disk, a device that is gone."""
    message = f"{error.strerror or error}."
    where = str(error.filename or "")
    text = f"Error: {where}: {message}" if where else f"Error: {message}"
    return _FailureReport(text, _data(type(error).__name__, message, where=where), ExitCode.PARTIAL)


def _unexpected_error(error: Exception, *, debug: bool) -> _FailureReport:
    """A fault of ours: one line, the traceback only on request."""
    kind, message = type(error).__name__, " ".join(str(error).split())
    hint = "This is a bug in Benchmaker. Add --debug to see the traceback."
    told = f"Unexpected {kind}: {message or 'no message'}. "
    text = told.rstrip() if debug else f"{told}{hint}"
    return _FailureReport(text, _data(kind, message, hint=hint), ExitCode.UNEXPECTED)


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
