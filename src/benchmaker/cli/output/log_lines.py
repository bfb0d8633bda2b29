"""Logs of long-running commands: on stderr, one line per event, without keys."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import click

from benchmaker.cli.output.output import tell_as_is
from benchmaker.redact import Redactor

C = TypeVar("C", bound=Callable[..., Any])

LEVELS: Final = ("debug", "info", "warning", "error")
OURS: Final = ("benchmaker", "uvicorn")
"""The loggers that the level applies to; other libraries log from ``warning`` up."""

FIELDS: Final = "fields"
"""The name of a record's extra fields: ``extra={"fields": {…}}``."""

_MOST: Final = 20_000
"""Characters of a text in a line; what is beyond is cut off."""


def log_options(function: C) -> C:
    """``--log-format`` and ``--log-level``."""
    form = click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default="text",
        help="Format of events on stderr; json writes one object per line.",
    )
    level = click.option(
        "--log-level",
        type=click.Choice(LEVELS),
        help="Lowest level of events to write. Default: warning, or info with --log-format json.",
    )
    return form(level(function))


def level_of(form: str, level: str | None) -> str:
    """Return the requested level, or the default of the form."""
    return level or ("info" if form == "json" else "warning")


@contextmanager
def logs_written(redactor: Redactor, *, form: str, level: str | None) -> Iterator[None]:
    """Inside, events are written; afterwards everything is as it was."""
    handler = LogLineHandler(JsonLine(redactor) if form == "json" else TextLine(redactor))
    root, wanted = logging.getLogger(), level_of(form, level).upper()
    before = {name: logging.getLogger(name).level for name in OURS}
    root.addHandler(handler)
    for name in OURS:
        logging.getLogger(name).setLevel(wanted)
    handler.setLevel(wanted)
    try:
        yield
    finally:
        root.removeHandler(handler)
        for name, level_before in before.items():
            logging.getLogger(name).setLevel(level_before)


class LogLineHandler(logging.Handler):
    """Writes each record to stderr."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(formatter)

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; unformattable ones are skipped."""
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001  a log never ends what it tells of
            self.handleError(record)
        else:
            tell_as_is(line)


class JsonLine(logging.Formatter):
    """A record as one line of JSON: time, level, logger, event, ids, and attributes.

    Keys are removed from every text before encoding, so that the line stays valid JSON.
    """

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        import json

        from benchmaker.record.timestamps import iso_timestamp

        event: dict[str, Any] = {
            "time": iso_timestamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_ids(),
            **_event_fields(record),
        }
        if record.exc_info:
            event["trace"] = self.formatException(record.exc_info)
        clean = self._redactor.tree({name: _truncate(value) for name, value in event.items()})
        return json.dumps(clean, default=str)


class TextLine(logging.Formatter):
    """A record as readable text: level, logger, message, attributes, ids, and the traceback."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        """The line, or lines."""
        known = {**_event_fields(record), **_ids()}
        words = [f"{record.levelname} {record.name}: {_truncate(record.getMessage())}"]
        words += [f"{name}={_truncate(value)}" for name, value in known.items()]
        trace = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return self._redactor.text(" ".join(words) + trace)


def _ids() -> Mapping[str, str]:
    from benchmaker.engine.trials.log_context import context_ids

    return context_ids()


def _event_fields(record: logging.LogRecord) -> Mapping[str, Any]:
    carried = getattr(record, FIELDS, None)
    return carried if isinstance(carried, Mapping) else {}


def _truncate(value: Any) -> Any:  # noqa: ANN401  whatever an event carries
    is_long = isinstance(value, str) and len(value) > _MOST
    return f"{value[:_MOST]}…" if is_long else value
