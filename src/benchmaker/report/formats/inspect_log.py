"""A log of Inspect, which its own viewer and ``read_eval_log`` open.

Source: inspect_ai/log/_log.py and inspect_ai/log/_recorders/eval.py of Inspect 0.3.285. The file is
a zip of JSON: a header, a summary of each sample, and the samples.
"""

import json
import re
import zipfile
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, ClassVar, TextIO
from urllib.parse import quote

from benchmaker.plugins import report_format
from benchmaker.record import Usage
from benchmaker.record.outcome import Outcome
from benchmaker.report.formats.exported_trials import ExportedTrial, exported_trials
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.formats.zip_members import undated_member
from benchmaker.version import __version__

if TYPE_CHECKING:
    from benchmaker.arenas.standard import RunResult

_VERSION = 2
_SCORER = "benchmaker"
_STOPS = {Outcome.TRUNCATED: "max_tokens", Outcome.FILTERED: "content_filter"}


@report_format(id="inspect")
class InspectLog:
    """A log of Inspect, for its viewer and its Python functions.

    Runs of a series are its epochs. A log has one model: several setups are a zip with a log for
    each. The file is binary, so that the stream needs a ``buffer``, as files opened as text have.
    """

    suffixes: ClassVar = (".eval",)
    media_type: ClassVar = "application/zip"
    takes_threshold: ClassVar = False
    is_binary: ClassVar = True

    def suffix_for(self, result: "RunResult") -> str:
        """The suffix of a log, or of a zip with several."""
        return ".eval" if len(result.runs[0].models) == 1 else ".zip"

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write a log: a sample for each trial, then the header with the mean score."""
        stream.flush()
        setups = list(subject.result.runs[0].models)
        if len(setups) == 1:
            _write_log(subject, setups[0], stream.buffer)
            return
        with zipfile.ZipFile(stream.buffer, "w") as packed:
            for number, setup in enumerate(setups, 1):
                name = subject.redactor.text(_UNSAFE.sub("_", setup))[:_LONGEST_NAME]
                with packed.open(
                    undated_member(packed, f"{number}_{name}.eval"), "w", force_zip64=True
                ) as member:
                    _write_log(subject, setup, member)


def _write_log(subject: ReportSubject, setup: str, stream: IO[bytes]) -> None:
    values: list[float] = []
    summaries: list[dict[str, Any]] = []
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for sample in _samples(subject, setup):
            name = quote(str(sample["id"]), safe=" ")
            _add(packed, f"samples/{name}_epoch_{sample['epoch']}.json", sample)
            summaries.append(_summary(sample))
            values += [it["value"] for it in sample["scores"].values()]
        header = subject.redactor.tree(_header(subject, setup, summaries, values))
        _add(packed, "_journal/start.json", {key: header[key] for key in _START})
        _add(packed, "summaries.json", summaries)
        _add(packed, "header.json", header)


_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 80
_START = ("version", "eval", "plan")


def _add(packed: zipfile.ZipFile, name: str, data: Any) -> None:  # noqa: ANN401  any JSON
    packed.writestr(undated_member(packed, name), json.dumps(data, ensure_ascii=True))


def _samples(subject: ReportSubject, setup: str) -> Iterator[dict[str, Any]]:
    for one in exported_trials(subject, setup=setup):
        yield subject.redactor.tree(_sample(one))


def _sample(one: ExportedTrial) -> dict[str, Any]:
    turns = [{"role": it.role, "content": it.content} for it in one.messages]
    answer = {"role": "assistant", "content": one.text, "source": "generate"}
    usage = _usage(one.trial.completion.usage if one.trial.completion else None)
    made: dict[str, Any] = {
        "id": one.case.id,
        "epoch": one.run.number,
        "input": turns,
        "target": list(one.case.expectations) or "",
        "messages": [*turns, answer] if one.trial.completion else turns,
        "output": _output(one, answer, usage),
        "scores": _scores(one),
        "metadata": {"case_id": one.case.id, "outcome": one.trial.outcome.value, **_labels(one)},
        "store": {},
        "events": [],
        "model_usage": {one.setup.model: usage} if usage else {},
        "attachments": {},
    }
    if one.case.choices:
        made["choices"] = list(one.case.choices)
    if one.is_failure:
        reason = one.trial.error or one.trial.outcome.value
        made["error"] = {"message": reason, "traceback": "", "traceback_ansi": ""}
    if one.trial.latency_s is not None:
        made["total_time"] = one.trial.latency_s
    return made


def _labels(one: ExportedTrial) -> dict[str, Any]:
    known = {"prompt_id": one.setup.prompt_id, "effort": one.setup.effort,
             "category": one.case.category, "setup": one.setup.name}  # fmt: skip
    return {name: it for name, it in known.items() if it is not None}


def _output(
    one: ExportedTrial, answer: dict[str, Any], usage: dict[str, Any] | None
) -> dict[str, Any]:
    if one.trial.completion is None:
        return {"model": one.setup.model, "choices": [], "error": one.trial.error}
    reason = _STOPS.get(one.trial.outcome, "stop")
    made = {"model": one.setup.model, "choices": [{"message": answer, "stop_reason": reason}]}
    return made | ({"usage": usage} if usage else {})


def _usage(usage: Usage | None) -> dict[str, Any] | None:
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    made = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens,
            "total_tokens": usage.input_tokens + usage.output_tokens}  # fmt: skip
    if usage.cache_read_tokens is not None:
        made["input_tokens_cache_read"] = usage.cache_read_tokens
    if usage.reasoning_tokens is not None:
        made["reasoning_tokens"] = usage.reasoning_tokens
    return made


def _scores(one: ExportedTrial) -> dict[str, Any]:
    score = one.score
    if score is None:
        return {}
    return {_SCORER: {"value": score.score, "answer": one.text, "explanation": score.notes}}


def _summary(sample: dict[str, Any]) -> dict[str, Any]:
    kept = ("id", "epoch", "input", "target", "scores", "metadata", "model_usage")
    made = {name: sample[name] for name in kept}
    error = sample.get("error")
    return made | {"completed": error is None} | ({"error": error["message"]} if error else {})


def _header(
    subject: ReportSubject,
    setup: str,
    summaries: list[dict[str, Any]],
    values: list[float],
) -> dict[str, Any]:
    runs = subject.result.runs
    completed = sum(it["completed"] for it in summaries)
    chosen = runs[0].setup(setup)
    own = {"setup": setup, "prompt_id": chosen.prompt_id, "effort": chosen.effort}
    sent = {name: it for name, it in own.items() if it is not None}
    return {
        "version": _VERSION,
        "status": "success" if subject.result.is_finished else "cancelled",
        "eval": {
            "eval_id": f"{runs[0].id}:{setup}",
            "run_id": runs[0].id,
            "created": runs[0].started_at,
            "task": subject.suite.name or "suite",
            "task_id": subject.suite.content_hash[:22],
            "task_version": 0,
            "task_attribs": {},
            "task_args": {},
            "dataset": {"name": subject.suite.name, "samples": len(summaries) // len(runs),
                        "shuffled": False},
            "model": chosen.model,
            "model_args": {},
            "config": {"epochs": len(runs)},
            "packages": {"benchmaker": __version__},
            "metadata": {"run_ids": list(subject.result.run_ids), "profile": subject.suite.profile,
                         **sent},
            "scorers": [{"name": _SCORER}],
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {
            "total_samples": len(summaries),
            "completed_samples": completed,
            "scores": _result(values, len(summaries)),
        },
        "stats": {"started_at": runs[0].started_at, "completed_at": runs[-1].finished_at or "",
                  "model_usage": {}},
    }  # fmt: skip


def _result(values: list[float], samples: int) -> list[dict[str, Any]]:
    if not values:
        return []
    mean = sum(values) / len(values)
    return [
        {
            "name": _SCORER,
            "scorer": _SCORER,
            "scored_samples": len(values),
            "unscored_samples": samples - len(values),
            "params": {},
            "metrics": {"mean": {"name": "mean", "value": mean, "params": {}}},
        }
    ]
