"""Labels out of a file, each of an answer that is in the store."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast, get_args

from benchmaker.errors import BenchmakerError, Finding, SpecError
from benchmaker.record import Run
from benchmaker.record.label import Label, LabelSource, blind_id
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import DataRow, read_rows
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.store import Store

Ends = tuple[float, float]

_FORM = "Give each line case, model and score; run, by, source and note are optional."
_CASES = ("case", "case_id")
_PEOPLE = ("by", "actor", "rater")


def read_label_file(
    path: str | Path,
    store: Store,
    run_ids: Sequence[str],
    *,
    by: str = "local",
    source: LabelSource = "targeted",
    scale: Ends = (0.0, 1.0),
    restore: Callable[[str], str] = str,
    limits: Limits | None = None,
) -> tuple[Label, ...]:
    """Read the labels of a file, each for a stored answer; nothing is stored yet.

    A line holds ``case`` and ``score``, ``model`` if there are several, and ``run`` if there are
    several runs; ``by``, ``source``, ``note`` and ``id`` (the blind one, which changes with the
    answer) are optional. The output of ``benchmaker label --export`` is read back unchanged.

    Args:
        path: JSON lines, a JSON array or CSV, plain or gzipped.
        store: the store of the runs.
        run_ids: the labelled runs.
        by: the default author of labels.
        source: the default selection of answers: ``random`` only if they were drawn at random from
            the whole run.
        scale: the default lowest and highest score.
        restore: function applied to texts, if the file's writer escaped formulas.
        limits: limits of the file's size.

    Raises:
        SpecError: all faults together: an unknown answer, a score outside its
            scale, two labels of one person for one answer.
    """
    limits = limits or Limits()
    findings = Findings(limits.findings)
    reader = _Reader(store, [store.run(run_id) for run_id in run_ids], by, source, scale)
    found: dict[tuple[str, str, str], Label] = {}
    for row in read_rows(Path(path), limits=limits, report=findings.take):
        try:
            label = reader.label(_restore(row.values, restore))
            key = (label.run_id, label.blind_id, label.actor)
            if key in found:
                raise SpecError(f"duplicate label by {label.actor}.", hint="Remove one line.")
            found[key] = label
        except BenchmakerError as exc:
            findings.put(_finding(path, row, exc))
    findings.raise_if_any()
    return tuple(found.values())


def _restore(values: Mapping[str, Any], restore: Callable[[str], str]) -> dict[str, Any]:
    return {at: restore(it) if isinstance(it, str) else it for at, it in values.items()}


def _finding(path: str | Path, row: DataRow, exc: BenchmakerError) -> Finding:
    return Finding(str(path), row.number, row.column, exc.message, exc.hint)


class _Reader:
    """Turns the values of a line into a label."""

    def __init__(
        self, store: Store, runs: Sequence[Run], by: str, source: LabelSource, scale: Ends
    ) -> None:
        self.store = store
        self.runs = {run.id: run for run in runs}
        self.by, self.source, self.scale = by, source, scale

    def label(self, values: Mapping[str, Any]) -> Label:
        """Return the label; SpecError or StoreError for a faulty line."""
        run = self._find_run(_text(values, ("run", "run_id")))
        source = self._source(_text(values, ("source",)))
        case_id = _text(values, _CASES)
        if not case_id:
            raise SpecError("missing case.", hint=_FORM)
        model = self._model(run, _text(values, ("model",)), source)
        raw, score, scale = self._score(values)
        known = _number(values, "known")
        return Label(
            run_id=run.id,
            case_id=case_id,
            model=model,
            blind_id=self._check_blind_id(run, model, case_id, _text(values, ("id", "blind_id"))),
            source=source,
            score=score,
            raw_score=raw,
            scale=scale,
            known=known,
            actor=_text(values, _PEOPLE) or self.by,
            created_at=_text(values, ("created_at",)),
            note=_text(values, ("note",)),
        )

    def _find_run(self, name: str) -> Run:
        if not name and len(self.runs) == 1:
            return next(iter(self.runs.values()))
        if name in self.runs:
            return self.runs[name]
        names = ", ".join(self.runs)
        what = f"unknown run {name!r}." if name else "missing run."
        raise SpecError(what, hint=f"Use one of {names}.")

    def _source(self, name: str) -> LabelSource:
        if not name:
            return self.source
        if name not in get_args(LabelSource):
            raise SpecError(
                f"unknown source {name!r}.", hint=f"Use one of {', '.join(get_args(LabelSource))}."
            )
        return cast("LabelSource", name)

    def _model(self, run: Run, name: str, source: LabelSource) -> str:
        if source == "trap":
            return ""
        if not name and len(run.models) == 1:
            return run.models[0]
        if name in run.models:
            return name
        hint = did_you_mean(name, run.models) or f"Models of the run: {', '.join(run.models)}."
        raise SpecError(f"run {run.id} has no model {name!r}.", hint=hint)

    def _check_blind_id(self, run: Run, model: str, case_id: str, given: str) -> str:
        """The present answer's; SpecError where the line was written of another one."""
        if not model:
            return given or blind_id(run.id, "", case_id, "")
        text = self.store.trial(run.id, model, case_id).text
        now = blind_id(run.id, model, case_id, text)
        if given and given != now:
            raise SpecError(
                f"the answer to {case_id!r} has changed since labelling ({given}, now {now}).",
                hint="Label the present answer, or remove the line.",
            )
        return now

    def _score(self, values: Mapping[str, Any]) -> tuple[float, float, Ends]:
        """As it was given, from 0 to 1, and the scale."""
        raw, ends = self._raw_score(values)
        if raw is None:
            raise SpecError("missing score.", hint=_FORM)
        low, high = ends
        if not (low < high and low <= raw <= high):
            raise SpecError(
                f"the score {raw:g} is not a number from {low:g} to {high:g}.",
                hint="Set the scale of the scores with: --scale LOW HIGH",
            )
        return raw, (raw - low) / (high - low), ends

    def _raw_score(self, values: Mapping[str, Any]) -> tuple[float | None, Ends]:
        """The line's own scale counts with its raw score; else ``score`` on the scale named."""
        low, high = _number(values, "scale_min"), _number(values, "scale_max")
        raw = _number(values, "raw_score")
        if raw is None or low is None or high is None:
            return _number(values, "score"), self.scale
        return raw, (low, high)


def _text(values: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first that is there; empty without one."""
    found: Iterator[Any] = (values[name] for name in names if values.get(name) not in (None, ""))
    return str(next(found, ""))


def _number(values: Mapping[str, Any], name: str) -> float | None:
    value = values.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    try:
        number = float(str(value)) if not isinstance(value, bool) else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SpecError(f"{name} is {value!r}, not a number.", hint=_FORM)
    return number
