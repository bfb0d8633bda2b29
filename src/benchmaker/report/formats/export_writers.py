"""The writers of runs, series and submissions in each export format."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, TypeAlias

import msgspec

from benchmaker.errors import SpecError
from benchmaker.redact import Redactor
from benchmaker.report.formats.report_format import (
    ReportFormat,
    ReportSubject,
    format_of_suffix,
    listed_formats,
    load_format,
    refuse_other_suffix,
)
from benchmaker.store.home import Home

if TYPE_CHECKING:
    from benchmaker.analysis.summary.gate import Gate
    from benchmaker.arenas.standard import RunResult

OF_SUBMISSIONS: Final = ("atif", "otel", "submission")
"""The formats of submissions to the Agentic Arena."""

_OF_RESULTS: Final = ("baseline", "summary", "text")
"""The formats of runs that are not report formats."""

Exported: TypeAlias = "RunResult | str | Sequence[str]"
Writer: TypeAlias = Callable[[BinaryIO], None]


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The format of an export, and the options of single formats."""

    form: str | None
    answers: bool
    threshold: float | None
    gate: Literal["mean", "sure"]
    gate_metric: str | None

    def refuse_idle(self, form: str, *, takes_threshold: bool) -> None:
        """Raise SpecError for an option that the format does not heed."""
        if self.answers and form != "baseline":
            raise SpecError(f"answers has no effect on {form}.", hint="Use it with baseline.")
        if self.threshold is not None and not takes_threshold:
            known = [one.id for one in listed_formats() if load_format(one.id).takes_threshold]
            hint = f"Use it with {' or '.join(known)}."
            raise SpecError(f"threshold has no effect on {form}.", hint=hint)
        if self.threshold is None and (self.gate != "mean" or self.gate_metric):
            raise SpecError("gate and gate_metric need a threshold.", hint="Add threshold=0.8.")

    @property
    def held_to(self) -> "Gate | None":
        """The gate of the threshold; None for that of the run."""
        from benchmaker.analysis.summary.gate import Gate  # noqa: PLC0415  loads numpy

        if self.threshold is None:
            return None
        return Gate(self.threshold, is_sure=self.gate == "sure", metric=self.gate_metric or "")


def writer_of(run: Exported, path: Path | None, options: ExportOptions, place: Home) -> Writer:
    """Return the function that writes the export into a binary stream.

    Args:
        run: the result, or the name of a stored run; or the names of submissions.
        path: the file, whose suffix names the format if the options do not.
        options: the format and its options.
        place: the store of what is named.

    Raises:
        SpecError: unknown run or format, or an option without effect.
    """
    if options.form in OF_SUBMISSIONS:
        options.refuse_idle(options.form, takes_threshold=False)
        return _submissions(run, options.form, place)
    if options.form in _OF_RESULTS:
        options.refuse_idle(options.form, takes_threshold=False)
        return _of_result(_result(run, place), options)
    chosen = load_format(options.form) if options.form else _format_by_name(path)
    options.refuse_idle(options.form or f"{path}", takes_threshold=chosen.takes_threshold)
    if path is None and getattr(chosen, "is_binary", False):
        raise SpecError(f"{options.form} is a binary format.", hint="Give the path of a file.")
    result = _result(run, place)
    if path is not None:
        refuse_other_suffix(chosen, result, path)
    return _report(result, chosen, options.held_to)


def _result(run: Exported, place: Home) -> "RunResult":
    from benchmaker.arenas.standard import RunResult  # noqa: PLC0415  loads the store
    from benchmaker.arenas.standard.result import run_result  # noqa: PLC0415  as above

    if isinstance(run, RunResult):
        return run
    if not isinstance(run, str):
        raise SpecError("the format is of one run or series.", hint="Export them one by one.")
    with place.open_store() as store:
        return run_result(store, store.resolve(run).run_ids, place)


def _format_by_name(path: Path | None) -> ReportFormat:
    found = format_of_suffix(path.suffix) if path else None
    if found is None:
        known = ", ".join((*(one.id for one in listed_formats()), *_OF_RESULTS, *OF_SUBMISSIONS))
        message = "no report format for this file name." if path else "no format given."
        raise SpecError(message, where=str(path or ""), hint=f"Set form to one of {known}.")
    return found


def _report(result: "RunResult", chosen: ReportFormat, gate: "Gate | None") -> Writer:
    def write(raw: BinaryIO) -> None:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        with result.place.open_store() as store:
            chosen.write(ReportSubject(result, store, Redactor(), gate), text)
        text.flush()
        text.detach()

    return write


def _of_result(result: "RunResult", options: ExportOptions) -> Writer:
    match options.form:
        case "baseline":
            return lambda raw: raw.writelines(_baseline(result, has_answers=options.answers))
        case "summary":
            return lambda raw: raw.writelines([_summary(result)])
        case _:
            return lambda raw: raw.writelines([_text(result).encode()])


def _baseline(result: "RunResult", *, has_answers: bool) -> list[bytes]:
    from benchmaker.engine.runs.run_baselines import baseline_of_runs  # noqa: PLC0415  as above
    from benchmaker.record.baselines.baseline_file import encode_baseline  # noqa: PLC0415
    from benchmaker.record.baselines.run_baseline import without_texts  # noqa: PLC0415

    with result.place.open_store() as store:
        made = baseline_of_runs(store, result.run_ids, clean=Redactor().text)
    return list(encode_baseline(made if has_answers else without_texts(made)))


def _summary(result: "RunResult") -> bytes:
    """The JSON of ``benchmaker results --json``."""
    from benchmaker.report.runs.verdict import effects_of  # noqa: PLC0415  loads numpy

    effects = effects_of(result)
    document = result.summary.to_dict() | (effects.to_dict() if effects else {})
    plain = msgspec.json.encode(Redactor().tree(document))
    return msgspec.json.format(plain, indent=2) + b"\n"


def _text(result: "RunResult") -> str:
    """The text of ``benchmaker results`` at 80 columns."""
    from benchmaker.report.runs.text import summary_text  # noqa: PLC0415  loads numpy
    from benchmaker.report.runs.verdict import (  # noqa: PLC0415  as above
        compare_models,
        effects_of,
        result_sentences,
    )

    effects = effects_of(result)
    said = result_sentences(result.summary, compare_models(result), effects)
    text = summary_text(result.summary, effects=effects, result=said, stopped=result.stopped)
    return Redactor().text(text)


def _submissions(names: Exported, form: str, place: Home) -> Writer:
    from benchmaker.arenas.agentic.exporters.writing import write_submissions  # noqa: PLC0415

    if not isinstance(names, str | list | tuple):
        raise SpecError(f"{form} is a format of submissions.", hint="Pass the id of a submission.")
    listed = [names] if isinstance(names, str) else list(names)

    def write(raw: BinaryIO) -> None:
        with place.open_store() as store:
            ids = list(dict.fromkeys(store.find_submission(name) for name in listed))
            write_submissions(store, ids, form, raw, redactor=Redactor())

    return write
