"""Report formats: the protocol, and the data they write."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TextIO, cast

from benchmaker import plugins
from benchmaker.errors import SpecError
from benchmaker.redact import Redactor

if TYPE_CHECKING:
    from benchmaker.analysis.summary.gate import Gate
    from benchmaker.arenas.standard import RunResult
    from benchmaker.record import ImportedHeader, ImportedRecord, Judgment, Score, Trial
    from benchmaker.spec import Suite
    from benchmaker.store import Store

_FACTS = ("suffixes", "media_type", "takes_threshold")


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """The content of a report: the results, their store, and the redactor.

    ``gate`` replaces the gate of the runs.
    """

    result: "RunResult"
    store: "Store"
    redactor: Redactor
    gate: "Gate | None" = None

    @property
    def suite(self) -> "Suite":
        """The suite of the runs, with its cases."""
        return self.store.suite(self.result.runs[0].suite_hash)

    def trials(self) -> "Iterator[Trial]":
        """Every trial, run by run."""
        for run_id in self.result.run_ids:
            yield from self.store.trials(run_id)

    def rows(self) -> "Iterator[dict[str, Any]]":
        """The row of every trial, run by run, with its setup and the variables of its case."""
        from benchmaker.engine.runs.rescore import with_cases  # noqa: PLC0415  loads scorers
        from benchmaker.report.tables.trial_rows import trial_row, with_tool_scores  # noqa: PLC0415  as above

        for run in self.result.runs:
            suite = self.store.suite(run.suite_hash)
            made = (
                trial_row(
                    trial,
                    run.number,
                    setup=run.setup(trial.model),
                    variables={**suite.vars, **case.vars},
                )
                for trial, case in with_cases(self.store.trials(run.id), suite.cases)
            )
            if run.tool is None:
                yield from made
            else:
                records = self.store.imported_rows.each_score([run.id])
                yield from with_tool_scores(made, records, run.tool)

    @property
    def has_tool_scores(self) -> bool:
        """True if a run was imported, so that its rows have the scores of another tool."""
        return any(run.tool is not None for run in self.result.runs)

    @property
    def run_numbers(self) -> dict[str, int]:
        """The number of each run in its series, by the run's id."""
        return {run.id: run.number for run in self.result.runs}

    def judgments(self) -> "Iterator[Judgment]":
        """Yield the judgments, run by run."""
        for run_id in self.result.run_ids:
            yield from self.store.each_judgment(run_id)

    def record(self, trial: "Trial") -> "ImportedRecord | None":
        """Another tool's record of a trial; None for trials of our own runs."""
        run = next(run for run in self.result.runs if run.id == trial.run_id)
        if run.tool is None:
            return None
        return self.store.imported_rows.find(trial.run_id, trial.model, trial.case_id)

    @property
    def headers(self) -> "dict[str, ImportedHeader]":
        """The statements of other tools on the imported runs, by the run's id."""
        rows = self.store.imported_rows
        return {run.id: rows.header(run.id) for run in self.result.runs if run.tool is not None}

    def versions(self, trial: "Trial") -> "list[Score]":
        """Every version of a trial's score."""
        return self.store.scores.versions(trial.run_id, trial.model, trial.case_id)


class ReportFormat(Protocol):
    """A text file format for a run or a series.

    The class is marked with :func:`benchmaker.report_format`. The first line of its docstring
    describes it in lists of formats. ``suffixes`` are those of its files, with the dot and in lower
    case, the usual one first; ``takes_threshold`` is true if it includes the decisions of a gate.
    A format that is no text sets ``is_binary``. One that has another suffix for some results has a
    method ``suffix_for``.
    """

    suffixes: ClassVar[tuple[str, ...]]
    media_type: ClassVar[str]
    takes_threshold: ClassVar[bool]

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write the subject into a stream that is open as UTF-8 and keeps line ends.

        Secrets are taken out by ``subject.redactor``.
        """


def load_format(name: str) -> ReportFormat:
    """Return the report format with that id, or at that dotted path ``package.module:Class``.

    Raises:
        SpecError: there is none, or the class at the path lacks a format's attributes.
        PluginError: it cannot be loaded.

    >>> load_format("junit").suffixes
    ('.xml',)
    """
    cls = plugins.load("format", name)
    if missing := [fact for fact in _FACTS if not hasattr(cls, fact)]:
        raise SpecError(f"format {name!r}: the class has no attribute {missing[0]!r}.")
    return cast("ReportFormat", cls())  # what plugins.load gives has a method write


def listed_formats() -> tuple[plugins.Plugin, ...]:
    """The report formats that are installed and load, ours first."""
    found = (one for one in plugins.list_plugins("format") if one.error is None)
    return tuple(sorted(found, key=lambda it: it.distribution != "benchmaker"))


def suffix_of(form: ReportFormat, result: "RunResult") -> str:
    """Return the suffix of a file of that format; a format may have another for some results.

    It then has a method ``suffix_for``, which takes the result.
    """
    chosen = getattr(form, "suffix_for", None)
    return form.suffixes[0] if chosen is None else str(chosen(result))


def refuse_other_suffix(form: ReportFormat, result: "RunResult", path: Path) -> None:
    """Raise SpecError if the file would have the suffix of other results than it holds."""
    suffix = suffix_of(form, result)
    if path.suffix.lower() in form.suffixes and suffix not in form.suffixes:
        n_setups = len(result.runs[0].models)
        raise SpecError(
            f"a {path.suffix} file has one setup, and the run has {n_setups}.",
            where=str(path),
            hint=f"Write one log for each into a zip: {path.with_suffix(suffix).name}",
        )


def format_of_suffix(suffix: str) -> ReportFormat | None:
    """Return the first format whose files have this suffix; None if there is none."""
    found = (load_format(one.id) for one in listed_formats())
    return next((one for one in found if suffix.lower() in one.suffixes), None)
