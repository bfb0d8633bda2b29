"""Log output of libraries, on stderr and without keys."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from benchmaker.cli.output.output import tell_warning
from benchmaker.redact import Redactor


class WarningHandler(logging.Handler):
    """Writes each warning to stderr, tracebacks included, with keys removed."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__(logging.WARNING)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self._redactor = redactor

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        tell_warning(self._redactor.text(self.format(record)))


@contextmanager
def warnings_on_stderr(redactor: Redactor) -> Iterator[None]:
    """Write logged warnings in the block; otherwise Python prints them unfiltered."""
    handler = WarningHandler(redactor)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
