"""What libraries log, on stderr and without keys."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from benchmaker.cli.output.output import tell
from benchmaker.redact import Redactor


class WarningHandler(logging.Handler):
    """Tells each warning on stderr, tracebacks included, with the keys taken out."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__(logging.WARNING)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self._redactor = redactor

    def emit(self, record: logging.LogRecord) -> None:
        """Tell one record."""
        tell(self._redactor.text(self.format(record)))


@contextmanager
def warnings_on_stderr(redactor: Redactor) -> Iterator[None]:
    """Inside, what is logged is told; without this Python itself prints it, as it is."""
    handler = WarningHandler(redactor)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
