"""Inspect: ``.eval`` archives and ``.json`` logs, old and new."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedEvaluation,
    ImportedJudgment,
    ImportedRow,
    PrintedFigure,
    as_score,
    turn,
    within_scale,
)
from benchmaker.arenas.standard.importers.reading import (
    DOCUMENT_BYTES,
    FILES,
    Tally,
    a_dict,
    a_list,
    as_text,
    load_json,
    parse_json,
    refuse_gzip,
    start_of,
    texts_of,
    without,
)
from benchmaker.errors import SpecError
from benchmaker.record import FinishReason, Outcome, Usage
from benchmaker.spec.documents.archives import Archive, ArchiveError, open_archive

_ZIP: Final = b"PK\x03\x04"
_PARTS = (b"_journal/", b"_epoch_", b"header.json")
SUBMISSIONS: Final = "submissions"
"""The key of an evaluation's header that has the number of its samples that used tools."""

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_FINISHES = {
    "stop": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.CONTEXT_OVERFLOW,
    "content_filter": FinishReason.FILTER,
    "tool_calls": FinishReason.TOOL_CALLS,
}
_TRANSLATED = (
    "id", "epoch", "input", "choices", "target", "output", "scores", "score", "uuid", "error",
    "total_time",
)  # fmt: skip
_METRIC = re.compile(r"(?:.*/)?(?P<name>\w+)$")


class InspectLogs:
    """Logs of Inspect: samples of questions and answers; those with tools are submissions."""

    tool = "inspect"

    def claims(self, path: Path, start: bytes) -> bool:  # noqa: ARG002  by content alone
        """By the names in an archive, or the keys of a JSON log."""
        if start.startswith(_ZIP):
            return any(name in start for name in _PARTS)
        head = start[:20_000]
        return b'"eval"' in head and b'"run_id"' in head and b'"task"' in head

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluation of a log."""
        if start_of(path).startswith(_ZIP):
            refuse_gzip(path)
            yield _of_archive(path, tally)
            return
        log = a_dict(load_json(path, tally))
        if not a_dict(log.get("eval")):
            raise SpecError("the log has no evaluation.", where=str(path))
        yield _evaluation(path, log, a_list(log.get("samples")), tally)


def tool_samples(path: Path) -> frozenset[int]:
    """Return the places, from 0, of the samples that used tools, in the order of the log.

    Those of an archive are in the order of their names.
    """
    if not start_of(path).startswith(_ZIP):
        samples = a_list(a_dict(load_json(path)).get("samples"))
        return frozenset(at for at, one in enumerate(samples) if used_tools(a_dict(one)))
    with open_archive(path, most_bytes=FILES.data_bytes, part_bytes=DOCUMENT_BYTES) as archive:
        names = _sample_names(archive)
        return frozenset(at for at, name in enumerate(names) if _calls_tools(archive, name))


def _calls_tools(archive: Archive, name: str) -> bool:
    with suppress(ArchiveError, SpecError):
        return used_tools(a_dict(parse_json(archive.read(name), name)))
    return False


def _sample_names(archive: Archive) -> list[str]:
    names = (it for it in archive.names if it.startswith("samples/") and it.endswith(".json"))
    return sorted(names)


def _of_archive(path: Path, tally: Tally) -> ImportedEvaluation:
    try:
        with open_archive(path, most_bytes=FILES.data_bytes, part_bytes=DOCUMENT_BYTES) as archive:
            names = set(archive.names)
            header = "header.json" if "header.json" in names else "_journal/start.json"
            log = a_dict(parse_json(archive.read(header), f"{path.name}: {header}"))
            if header != "header.json":
                tally.note("the log has no final part: the evaluation had not ended.")
    except ArchiveError as exc:
        raise SpecError(f"{exc}.", where=str(path)) from exc
    return _evaluation(path, log, _samples_in(path, tally), tally)


def _samples_in(path: Path, tally: Tally) -> Iterator[Any]:
    """Yield the samples of an archive, in the order of their names."""
    try:
        with open_archive(path, most_bytes=FILES.data_bytes, part_bytes=DOCUMENT_BYTES) as archive:
            for name in _sample_names(archive):
                try:
                    yield parse_json(archive.read(name), f"{path.name}: {name}", tally)
                except (ArchiveError, SpecError) as exc:
                    tally.refuse(f"{name}: {exc}")
    except ArchiveError as exc:
        raise SpecError(f"{exc}.", where=str(path)) from exc


def _evaluation(
    path: Path, log: dict[str, Any], samples: Iterable[Any], tally: Tally
) -> ImportedEvaluation:
    about, stats = a_dict(log.get("eval")), a_dict(log.get("stats"))
    mark = as_text(about.get("run_id")) + as_text(about.get("task_id"))
    packages = a_dict(about.get("packages"))
    _note_damage(log, tally)
    header: dict[str, Any] = {
        "status": log.get("status"),
        "eval": without(about, "run_id", "task", "model", "created"),
        "plan": log.get("plan"),
        "results": log.get("results"),
        "stats": stats,
        "error": log.get("error"),
    }
    header = without(header)
    return ImportedEvaluation(
        tool="inspect",
        task=as_text(about.get("task")).rpartition("/")[2] or "task",
        id=as_text(about.get("eval_id")) or mark,
        version=as_text(packages.get("inspect_ai")),
        created_at=as_text(about.get("created")),
        finished_at=as_text(stats.get("completed_at")),
        parameters=_parameters(a_dict(about.get("model_generate_config"))),
        figures=tuple(_figures(a_dict(log.get("results")), as_text(about.get("model")))),
        header=header,
        files=(path.name,),
        rows=_rows(samples, about, tally, header),
    )


def _note_damage(log: dict[str, Any], tally: Tally) -> None:
    status = as_text(log.get("status"))
    if status and status != "success":
        tally.note(f"the evaluation ended with the status {status}.")
    results = a_dict(log.get("results"))
    missing = (results.get("total_samples") or 0) - (results.get("completed_samples") or 0)
    if missing > 0:
        tally.note(f"{missing:,} samples were not completed.")


def _rows(
    samples: Iterable[Any], about: dict[str, Any], tally: Tally, header: dict[str, Any]
) -> Iterator[ImportedRow]:
    """Yield the rows, and count in the header the samples that belong to no run."""
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict) or sample.get("id") is None:
            tally.refuse(f"sample {number}: no id.")
        elif used_tools(sample):
            tally.submission()
            header[SUBMISSIONS] = header.get(SUBMISSIONS, 0) + 1
        else:
            yield from tally.count_all([_row(sample, about)])


def used_tools(sample: Mapping[str, Any]) -> bool:
    """True if a sample is the work of an agent: a message calls a tool or holds its result."""
    return any(
        one.get("tool_calls") or one.get("role") == "tool"
        for one in map(a_dict, a_list(sample.get("messages")))
    )


def _row(sample: dict[str, Any], about: dict[str, Any]) -> ImportedRow:
    attached = a_dict(sample.get("attachments"))
    output = a_dict(sample.get("output"))
    choice = a_dict(next(iter(a_list(output.get("choices"))), {}))
    text = _content(a_dict(choice.get("message")).get("content"), attached)
    found = _scores(a_dict(sample.get("scores")) or _old_score(sample))
    is_failure = sample.get("error") is not None and not found
    main = next(iter(found), "")
    return ImportedRow(
        case=_case(sample, attached),
        model=as_text(about.get("model")) or as_text(output.get("model")) or "unknown",
        epoch=_whole(sample.get("epoch")) or 1,
        id=_own_id(sample, about),
        output=None if is_failure or not choice else text,
        scores=found,
        score=within_scale(found.get(main)),
        scorer=main,
        notes=_notes(sample),
        outcome=Outcome.PROVIDER_ERROR if is_failure else Outcome.SCORED,
        error=_error(sample) if is_failure else None,
        finish=_FINISHES.get(as_text(choice.get("stop_reason")), FinishReason.UNKNOWN),
        usage=_usage(sample, output, about),
        latency_s=as_score(sample.get("total_time")) or as_score(output.get("time")),
        answered_by=as_text(output.get("model")) or None,
        started_at=as_text(sample.get("started_at")),
        judgments=tuple(_judgments(a_dict(sample.get("scores")))),
        rest=_rest_of(sample, is_failure=is_failure),
    )


def _own_id(sample: dict[str, Any], about: dict[str, Any]) -> str:
    """The sample's uuid; in logs that have none, its evaluation, id and epoch."""
    if uuid := as_text(sample.get("uuid")):
        return uuid
    names = ("run_id", "task_id", "created", "model")
    mark = ":".join(as_text(about.get(name)) for name in names)
    return f"{mark}:{as_text(sample.get('id'))}:{as_text(sample.get('epoch'))}"


def _case(sample: dict[str, Any], attached: dict[str, Any]) -> ImportedCase:
    question = sample.get("input")
    messages = (
        [turn("user", _content(question, attached))]
        if isinstance(question, str)
        else [
            turn(as_text(one.get("role")), _content(one.get("content"), attached))
            for one in map(a_dict, a_list(question))
        ]
    )
    return ImportedCase(
        id=as_text(sample.get("id")),
        messages=tuple(messages),
        expected=tuple(text.strip() for text in texts_of(sample.get("target")) if text.strip()),
        choices=texts_of(sample.get("choices")),
        metadata=a_dict(sample.get("metadata")),
    )


def _content(value: Any, attached: dict[str, Any]) -> str:  # noqa: ANN401  any JSON
    """The text of a message; pictures and files are named, not shown."""
    if isinstance(value, str):
        for scheme in ("attachment://", "tc://"):
            if value.startswith(scheme):
                return as_text(attached.get(value.removeprefix(scheme), value))
        return value
    parts = []
    for one in map(a_dict, a_list(value)):
        if one.get("type") == "text":
            parts.append(_content(as_text(one.get("text")), attached))
        elif one.get("type") != "reasoning":
            parts.append(f"[{as_text(one.get('type')) or 'content'}]")
    return "\n".join(parts)


def _old_score(sample: dict[str, Any]) -> dict[str, Any]:
    """The one score of the first logs, which had no name."""
    return {"score": sample["score"]} if isinstance(sample.get("score"), dict) else {}


def _scores(scores: dict[str, Any]) -> dict[str, float | None]:
    """The scores by name, a dictionary or list as one for each key."""
    found: dict[str, float | None] = {}
    for name, score in scores.items():
        value = a_dict(score).get("value")
        if isinstance(value, dict):
            found |= {f"inspect/{name}/{key}": as_float(one) for key, one in value.items()}
        elif isinstance(value, list):
            found |= {f"inspect/{name}/{at}": as_float(one) for at, one in enumerate(value)}
        else:
            found[f"inspect/{name}"] = as_float(value)
    return found


def as_float(value: Any) -> float | None:  # noqa: ANN401  any JSON
    """Return a value as Inspect's metrics read it; None for an unscored one.

    Source: ``value_to_float`` of inspect_ai, where letters, words and numbers become 0 to 1.

    >>> as_float("C"), as_float("P"), as_float("no"), as_float(2), as_float(float("nan"))
    (1.0, 0.5, 0.0, 2.0, None)
    """
    if not isinstance(value, str):
        return as_score(value)
    if value in _LETTERS:
        return _LETTERS[value]
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    try:
        return as_score(float(value))
    except ValueError:
        return 0.0


def _notes(sample: dict[str, Any]) -> str:
    for score in map(a_dict, a_dict(sample.get("scores")).values()):
        if score.get("explanation"):
            return as_text(score["explanation"])[:2_000]
    return ""


def _error(sample: dict[str, Any]) -> str:
    error = sample.get("error")
    return as_text(a_dict(error).get("message") or error)


def _judgments(scores: dict[str, Any]) -> Iterator[ImportedJudgment]:
    """Yield the replies of graders that are models: their scores keep the conversation."""
    for name, score in scores.items():
        known = a_dict(a_dict(score).get("metadata"))
        grading = a_list(known.get("grading"))
        if not grading:
            continue
        reply = a_dict(grading[-1])
        yield ImportedJudgment(
            scorer=f"inspect/{name}",
            judge=as_text(reply.get("model")) or "grader of Inspect",
            text=_content(reply.get("content"), {}),
        )


def _usage(sample: dict[str, Any], output: dict[str, Any], about: dict[str, Any]) -> Usage | None:
    used = a_dict(a_dict(sample.get("model_usage")).get(as_text(about.get("model"))))
    used = used or a_dict(output.get("usage"))
    if not used:
        return None
    return Usage(
        input_tokens=_whole(used.get("input_tokens")),
        cache_read_tokens=_whole(used.get("input_tokens_cache_read")),
        cache_write_5m_tokens=_whole(used.get("input_tokens_cache_write")),
        output_tokens=_whole(used.get("output_tokens")),
        reasoning_tokens=_whole(used.get("reasoning_tokens")),
    )


def _whole(value: Any) -> int | None:  # noqa: ANN401  any JSON
    number = as_score(value)
    return int(number) if number is not None and 0 <= number < 2**53 else None


def _rest_of(sample: dict[str, Any], *, is_failure: bool) -> dict[str, Any]:
    """Every field that is not translated, but for the events, which repeat the conversation."""
    dropped = ("events", "attachments", "transcript")
    kept = without(sample, *_TRANSLATED, *dropped)
    if scores := sample.get("scores"):
        kept["scores"] = scores
    if sample.get("error") is not None and not is_failure:
        kept["error"] = sample["error"]
    return kept


def _parameters(config: dict[str, Any]) -> dict[str, Any]:
    names = ("temperature", "top_p", "max_tokens", "seed")
    return {name: config[name] for name in names if config.get(name) is not None}


def _figures(results: dict[str, Any], model: str) -> Iterator[PrintedFigure]:
    """Yield the metrics of the log's results; of several reducers each has its own."""
    listed = [a_dict(one) for one in a_list(results.get("scores"))]
    if not listed and a_dict(results.get("scorer")):  # the first logs had a single scorer
        name = as_text(a_dict(results["scorer"]).get("name")) or "score"
        listed = [{"name": name, "metrics": results.get("metrics")}]
    names = [(as_text(one.get("name")), as_text(one.get("scorer"))) for one in listed]
    for one in listed:
        name, scorer = as_text(one.get("name")), as_text(one.get("scorer"))
        several = names.count((name, scorer)) > 1
        reducer = as_text(one.get("reducer"))
        for key, metric in a_dict(one.get("metrics")).items():
            given = a_dict(metric)
            found = _METRIC.match(as_text(given.get("name") or key))
            yield PrintedFigure(
                scorer=_scorer_name(name, scorer),
                metric=f"{key}/{reducer}" if several and reducer else key,
                value=as_score(given.get("value")),
                model=model,
                method=without(
                    {
                        "metric": found["name"] if found else key,
                        "reducer": reducer,
                        "options": a_dict(given.get("params")) or a_dict(given.get("options")),
                    }
                ),
            )


def _scorer_name(name: str, scorer: str) -> str:
    """The name of a scorer in scores: a key of a dictionary stands behind its scorer."""
    return f"inspect/{name}" if name == scorer or not scorer else f"inspect/{scorer}/{name}"
