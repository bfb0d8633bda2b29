"""A run, a series or submissions as a file or a text, in each of the export formats."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from benchmaker.report.formats.atomic import open_atomic
from benchmaker.report.formats.export_writers import ExportOptions, writer_of
from benchmaker.store.home import Home

if TYPE_CHECKING:
    from benchmaker.arenas.standard import RunResult


@overload
def export(
    run: "RunResult | str | Sequence[str]",
    path: str | Path,
    *,
    form: str | None = None,
    answers: bool = False,
    threshold: float | None = None,
    gate: Literal["mean", "sure"] = "mean",
    gate_metric: str | None = None,
    home: str | Path | None = None,
    store: str | None = None,
) -> Path: ...


@overload
def export(
    run: "RunResult | str | Sequence[str]",
    path: None = None,
    *,
    form: str,
    answers: bool = False,
    threshold: float | None = None,
    gate: Literal["mean", "sure"] = "mean",
    gate_metric: str | None = None,
    home: str | Path | None = None,
    store: str | None = None,
) -> str: ...


def export(
    run: "RunResult | str | Sequence[str]",
    path: str | Path | None = None,
    *,
    form: str | None = None,
    answers: bool = False,
    threshold: float | None = None,
    gate: Literal["mean", "sure"] = "mean",
    gate_metric: str | None = None,
    home: str | Path | None = None,
    store: str | None = None,
) -> Path | str:
    """Write a run, a series or submissions as a file, or return the same as a text.

    The content is that of ``benchmaker export``. Texts that look like keys are removed.

    Args:
        run: the result of a run, or the id of a stored one, the beginning of an id, or ``latest``.
            For the formats of submissions the id of one, or several ids.
        path: the file, which is written atomically; None to return the text.
        form: the id of a report format, as ``benchmaker plugins`` lists them, or the dotted path of
            a class; ``baseline`` for ``gate``; ``text`` or ``summary`` for the table of
            ``benchmaker results`` or its JSON; ``atif``, ``otel`` or ``submission`` for
            submissions. By default by the file's suffix.
        answers: with ``baseline``, include the texts of the answers.
        threshold: with ``junit``, the least figure, from 0 to 1, that passes; by default the run's.
        gate: with a threshold, ``sure`` to decide by exact limits.
        gate_metric: with a threshold, the metric of checks that is held to it.
        home: the data folder of a stored run; a result has its own.
        store: the URL of the store, instead of the file in ``home``.

    Returns:
        The path of the file, or the text.

    Raises:
        SpecError: unknown run or format, an option without effect, a binary format without a path,
            or the file is not writable.

    >>> from tempfile import TemporaryDirectory
    >>> from benchmaker import Suite, run
    >>> sums = Suite("sums", [{"id": "a", "prompt": "40 + 2?", "expected": 42}], scorer="exact")
    >>> with TemporaryDirectory() as home:
    ...     result = run(sums, provider=lambda request: "42", models=["m"], home=home)
    ...     len(export(result, f"{home}/trials.csv").read_text().splitlines())
    ...     export(result, form="jsonl").count('"score":1.0')
    2
    1
    """
    wanted = ExportOptions(form, answers, threshold, gate, gate_metric)
    target = None if path is None else Path(path)
    write = writer_of(run, target, wanted, Home.of(home, store))
    if target is None:
        held = io.BytesIO()
        write(held)
        return held.getvalue().decode()
    with open_atomic(target) as stream:
        write(stream)
    return target
