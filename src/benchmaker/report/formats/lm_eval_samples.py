"""Results and samples of lm-evaluation-harness, as its option ``--log_samples`` writes them.

Source: the files that lm-evaluation-harness 0.4.13 writes: a results file, and a JSON Lines file of
samples for each task, in a folder named after the model.
"""

import hashlib
import io
import json
import re
import zipfile
from datetime import UTC, datetime
from math import sqrt
from typing import Any, ClassVar, TextIO

from benchmaker.plugins import report_format
from benchmaker.report.formats.exported_trials import ExportedTrial, exported_trials
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.formats.zip_members import undated_member
from benchmaker.version import __version__

_METRIC, _FILTER = "benchmaker", "none"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_FEWEST = 2


@report_format(id="lm-eval")
class LmEvalSamples:
    """Results and samples of lm-evaluation-harness, in a zip with a folder for each setup.

    Each run of a series is a task of its own. An answer without a score has no line, as in the
    harness, which has none for it. The file is binary, so that the stream needs a ``buffer``, as
    files opened as text have.
    """

    suffixes: ClassVar = (".zip",)
    media_type: ClassVar = "application/zip"
    takes_threshold: ClassVar = False
    is_binary: ClassVar = True

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write a folder for each setup: the samples of each run, then the results."""
        stream.flush()
        date = _date(subject)
        with zipfile.ZipFile(stream.buffer, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in subject.result.runs[0].models:
                values = {
                    task: _write_samples(
                        packed,
                        f"{_folder(name)}/samples_{task}_{date}.jsonl",
                        subject,
                        name,
                        number,
                    )
                    for number, task in _tasks(subject).items()
                }
                results = subject.redactor.tree(_results(subject, name, values))
                path = f"{_folder(name)}/results_{date}.json"
                packed.writestr(undated_member(packed, path), json.dumps(results))


def _tasks(subject: ReportSubject) -> dict[int, str]:
    """The name of the task of each run, by the run's number."""
    base = _UNSAFE.sub("_", subject.suite.name or "suite")[:80]
    runs = subject.result.runs
    return {it.number: base if len(runs) == 1 else f"{base}_run_{it.number}" for it in runs}


def _folder(setup: str) -> str:
    """The name of a model as the harness writes it in a path."""
    return _UNSAFE.sub("__", setup)[:100]


def _date(subject: ReportSubject) -> str:
    return _UNSAFE.sub("-", subject.result.runs[0].started_at.rstrip("Z"))


def _write_samples(
    packed: zipfile.ZipFile, path: str, subject: ReportSubject, setup: str, number: int
) -> list[float]:
    """Write the samples of a setup in one run; returns their values."""
    values: list[float] = []
    with (
        packed.open(undated_member(packed, path), "w") as raw,
        io.TextIOWrapper(raw, encoding="utf-8") as lines,
    ):
        for one in exported_trials(subject):
            if one.setup.name != setup or one.run.number != number or one.score is None:
                continue
            values.append(float(one.score.score or 0.0))
            lines.write(f"{json.dumps(subject.redactor.tree(_sample(one)))}\n")
    return values


def _sample(one: ExportedTrial) -> dict[str, Any]:
    target = one.case.expected or ""
    document = {"id": one.case.id, "prompt": one.prompt, "expected": list(one.case.expectations)}
    score = one.score
    return {
        "doc_id": one.trial.position,
        "doc": document,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": one.prompt, "arg_1": one.setup.parameters}},
        "resps": [[one.text]],
        "filtered_resps": [one.text],
        "filter": _FILTER,
        "metrics": [_METRIC],
        "doc_hash": _digest(json.dumps(document)),
        "prompt_hash": _digest(one.prompt),
        "target_hash": _digest(target),
        _METRIC: score.score if score else None,
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _results(subject: ReportSubject, setup: str, values: dict[str, list[float]]) -> dict[str, Any]:
    run = subject.result.runs[0]
    chosen = run.setup(setup)
    cases = sum(1 for _ in subject.suite.cases)
    return {
        "results": {task: _figures(task, found) for task, found in values.items()},
        "configs": {task: {"task": task, "metric_list": [{"metric": _METRIC}]} for task in values},
        "versions": dict.fromkeys(values, 0),
        "n-shot": dict.fromkeys(values, 0),
        "higher_is_better": {task: {_METRIC: True} for task in values},
        "n-samples": {
            task: {"original": cases, "effective": len(found)} for task, found in values.items()
        },
        "config": {"model": chosen.model, "model_args": {}, "gen_kwargs": chosen.parameters},
        "date": _timestamp(run.started_at),
        "model_source": "benchmaker",
        "model_name": setup,
        "model_name_sanitized": _folder(setup),
        "benchmaker_version": __version__,
    }


def _figures(task: str, values: list[float]) -> dict[str, Any]:
    if not values:
        return {"alias": task}
    mean = sum(values) / len(values)
    made: dict[str, Any] = {"alias": task, f"{_METRIC},{_FILTER}": mean}
    if len(values) >= _FEWEST:
        spread = sum((it - mean) ** 2 for it in values) / (len(values) - 1)
        made[f"{_METRIC}_stderr,{_FILTER}"] = sqrt(spread / len(values))
    return made


def _timestamp(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).timestamp()
    except ValueError:
        return None
