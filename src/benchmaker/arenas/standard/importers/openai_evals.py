"""OpenAI evals: the log of events of a run."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedEvaluation,
    ImportedRow,
    PrintedFigure,
    as_score,
    turn,
    within_scale,
)
from benchmaker.arenas.standard.importers.reading import (
    Tally,
    a_dict,
    a_list,
    as_text,
    json_lines,
    texts_of,
    without,
)
from benchmaker.errors import SpecError
from benchmaker.record import Outcome

_SAMPLE = re.compile(r"\.(?P<number>\d+)$")
_REPORT, _SPEC = "final_report", "spec"


class OpenAIEvals:
    """Logs of OpenAI evals: the events of a sample are one row."""

    tool = "openai_evals"

    def claims(self, path: Path, start: bytes) -> bool:  # noqa: ARG002  by content alone
        """By the first line, which describes the run."""
        head = start[:4096].lstrip()
        has_events = b'"sample_id"' in start and b'"event_id"' in start
        return head.startswith(b'{"spec"') or has_events

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluation of a log, once all its events are read."""
        log = _Log()
        for number, line in json_lines(path, tally):
            log.add(line, number, tally)
        if not log.samples and not log.spec:
            raise SpecError("the log has no events.", where=str(path))
        if log.report is None:
            tally.note("the log has no final report: the evaluation had not ended.")
        yield ImportedEvaluation(
            tool="openai_evals",
            task=as_text(log.spec.get("base_eval") or log.spec.get("eval_name")) or "eval",
            id=as_text(log.spec.get("run_id")) or log.run_id,
            created_at=as_text(log.spec.get("created_at")),
            figures=tuple(_figures(log.report or {}, log.model)),
            header=without({"spec": log.spec, "final_report": log.report}),
            files=(path.name,),
            rows=tally.count_all(_row(name, events, log) for name, events in log.samples.items()),
        )


class _Log:
    """The events of a run by sample."""

    def __init__(self) -> None:
        self.spec: dict[str, Any] = {}
        self.report: dict[str, Any] | None = None
        self.samples: dict[str, list[dict[str, Any]]] = {}
        self.run_id = ""

    def add(self, line: dict[str, Any], number: int, tally: Tally) -> None:
        """Add a line: the description, the report, or an event."""
        if _SPEC in line:
            self.spec = a_dict(line[_SPEC])
        elif _REPORT in line:
            self.report = a_dict(line[_REPORT])
        elif line.get("sample_id") is not None:
            self.run_id = self.run_id or as_text(line.get("run_id"))
            self.samples.setdefault(as_text(line["sample_id"]), []).append(line)
        else:
            tally.note(f"line {number}: an event without a sample is left out.")

    @property
    def model(self) -> str:
        """The completion function, which names the model."""
        given = self.spec.get("completion_fns") or a_dict(self.spec.get("run_config")).get(
            "completion_fns"
        )
        return ", ".join(texts_of(given)) or "model"


def _row(name: str, events: list[dict[str, Any]], log: _Log) -> ImportedRow:
    data = {as_text(one.get("type")): a_dict(one.get("data")) for one in events}
    sampling, match = data.get("sampling", {}), data.get("match", {})
    error = data.get("error")
    scores = {} if error is not None else _scores(data)
    main = next(iter(scores), "")
    given = match.get("sampled", sampling.get("sampled"))
    output = next(iter(texts_of(given)), None)
    found = _SAMPLE.search(name)
    return ImportedRow(
        case=ImportedCase(
            id=found["number"] if found else name,
            messages=tuple(_messages(match.get("prompt") or sampling.get("prompt"))),
            expected=texts_of(match.get("expected")),
        ),
        model=log.model,
        id=f"{log.run_id}:{name}",
        output=output,
        scores=scores,
        score=within_scale(scores.get(main)),
        scorer=main,
        outcome=Outcome.SCORED if error is None else Outcome.PROVIDER_ERROR,
        error=None if error is None else as_text(error.get("message") or error),
        rest={"events": events},
    )


def _messages(prompt: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401  any JSON
    if isinstance(prompt, str):
        yield turn("user", prompt)
    for one in map(a_dict, a_list(prompt)):
        yield turn(as_text(one.get("role")), as_text(one.get("content")))


def _scores(data: dict[str, dict[str, Any]]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    if "match" in data:
        found["openai_evals/match"] = as_score(data["match"].get("correct"))
    for name, value in data.get("metrics", {}).items():
        if as_score(value) is not None:
            found[f"openai_evals/{name}"] = as_score(value)
    return found


def _figures(report: dict[str, Any], model: str) -> Iterator[PrintedFigure]:
    for name, value in report.items():
        scorer, metric = ("match", "accuracy") if name == "accuracy" else (name, "mean")
        yield PrintedFigure(
            scorer=f"openai_evals/{scorer}", metric=metric, value=as_score(value), model=model
        )
