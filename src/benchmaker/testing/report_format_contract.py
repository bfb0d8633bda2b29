"""The contract of every report format, as a class of tests to inherit."""

import inspect
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import ClassVar

from benchmaker.analysis.summary.gate import Gate
from benchmaker.redact import Redactor
from benchmaker.report.formats.report_format import ReportFormat, ReportSubject
from benchmaker.testing.built_runs import KEY, PASSWORD, built_runs
from benchmaker.testing.demand import demand


class ReportFormatContract:
    """Inherit, name the class ``Test…``, and set one attribute; pytest does the rest.

    ``report_format`` creates the format when called without arguments: usually its class. It gets
    small real runs: with one model, with several, several runs, failed trials, a run without
    answers, and answers with markup, control characters and secrets.

    Example::

        class TestTsv(ReportFormatContract):
            report_format = Tsv
    """

    report_format: ClassVar[Callable[[], ReportFormat]]

    def test_it_has_an_id_and_a_version(self) -> None:
        """Has the attributes set by ``@report_format``."""
        for mark in ("id", "version"):
            value = getattr(type(self._make()), mark, None)
            fine = (
                isinstance(value, str) and value and getattr(self._make(), "kind", "") == "format"
            )
            demand(fine, f"no {mark}: mark the class with @report_format")

    def test_its_docstring_begins_with_a_sentence(self) -> None:
        """Lists and pages describe the format by this sentence."""
        text = inspect.cleandoc(type(self._make()).__doc__ or "")
        demand(text.partition("\n")[0].endswith("."), "the docstring's first line is no sentence")

    def test_it_describes_its_files(self) -> None:
        """Define suffixes, media type, and the use of a threshold."""
        made = self._make()
        demand(isinstance(made.suffixes, tuple) and made.suffixes, "no suffixes, as a tuple")
        for suffix in made.suffixes:
            fine = re.fullmatch(r"\.[a-z0-9]+", suffix)
            demand(fine, f"{suffix!r} is no suffix: a dot, then lower-case letters and digits")
        fine = re.fullmatch(r"[a-z]+/[a-z0-9.+-]+", made.media_type)
        demand(fine, f"{made.media_type!r} is no media type")
        demand(isinstance(made.takes_threshold, bool), "takes_threshold is not True or False")

    def test_it_writes_every_kind_of_run(self) -> None:
        """Write text that is not empty and can be encoded as UTF-8."""
        for name, text in self._all_texts():
            demand(text.strip(), f"nothing is written for {name}")
            try:
                text.encode("utf-8")
            except UnicodeEncodeError as exc:
                raise AssertionError(f"no UTF-8 for {name}: {exc}") from exc

    def test_the_same_run_gives_the_same_text(self) -> None:
        """Write equal files for equal runs."""
        first, second = dict(self._all_texts()), dict(self._all_texts())
        for name, text in first.items():
            demand(text == second[name], f"the second text for {name} differs")

    def test_secrets_are_taken_out(self) -> None:
        """Remove texts that look like keys, and the redactor's secrets, from answers and errors."""
        for name, text in self._all_texts():
            for secret in (KEY, PASSWORD):
                demand(secret not in text, f"{secret!r} is written for {name}")

    def test_a_threshold_shows_where_the_format_takes_one(self) -> None:
        """A threshold changes the text if and only if the format uses one."""
        made = self._make()
        with _subjects() as found:
            for name, subject in found:
                bare, held = (_text(made, replace(subject, gate=it)) for it in (None, Gate(0.5)))
                if made.takes_threshold:
                    demand(held != bare, f"the threshold doesn't show for {name}")
                else:
                    demand(held == bare, f"takes_threshold is False, and one shows for {name}")

    def test_the_stream_stays_open(self) -> None:
        """Leave the stream open; the caller closes it."""
        with _subjects() as found:
            for _, subject in found:
                stream = io.StringIO()
                self._make().write(subject, stream)
                demand(not stream.closed, "write closes the stream")

    def _make(self) -> ReportFormat:
        return type(self).report_format()

    def _all_texts(self) -> Iterator[tuple[str, str]]:
        with _subjects() as found:
            for name, subject in found:
                yield name, _text(self._make(), subject)


@contextmanager
def _subjects() -> Iterator[Iterator[tuple[str, ReportSubject]]]:
    """Yield each run with its description, all from one store."""
    runs = built_runs()
    with next(iter(runs.values())).place.open_store() as store:
        redactor = Redactor([PASSWORD])
        yield ((name, ReportSubject(run, store, redactor)) for name, run in runs.items())


def _text(made: ReportFormat, subject: ReportSubject) -> str:
    stream = io.StringIO(newline="")
    made.write(subject, stream)
    return stream.getvalue()
