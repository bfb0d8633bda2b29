"""lm-evaluation-harness: files of samples, with the results file beside them."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
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
from benchmaker.arenas.standard.importers.lm_eval_blocks import (
    IDENTITY,
    TRANSLATED,
    block_of,
    scorer_labels,
)
from benchmaker.arenas.standard.importers.lm_eval_groups import (
    GROUPS,
    group_notes,
    groups_of_task,
)
from benchmaker.arenas.standard.importers.reading import (
    Numbered,
    Tally,
    a_dict,
    a_list,
    as_text,
    json_line_groups,
    load_json,
    parse_json,
    texts_of,
    without,
)
from benchmaker.arenas.standard.importers.row_blocks import RowPart
from benchmaker.errors import SpecError
from benchmaker.record.timestamps import iso_timestamp

_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.\-]+)\.jsonl(?:\.gz)?$")
_RESULTS = re.compile(r"results_(?P<date>\d{4}-\d\d-\d\dT[\d.\-]+)\.json(?:\.gz)?$")
_STDERR = "_stderr"


class LmEvalSamples:
    """Samples of lm-eval: a line for each document and filter, one trial for each document."""

    tool = "lm_eval"

    def claims(self, path: Path, start: bytes) -> bool:  # noqa: ARG002  by content alone
        """By the keys of the first line."""
        return b'"doc_id"' in start and b'"resps"' in start and b'"arguments"' in start

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluation of a file of samples: one task with one model."""
        found = _SAMPLES.match(path.name)
        results = _results_beside(path, found["date"] if found else "")
        task = found["task"] if found else _only_task(results)
        model = _model_of(path, results)
        config = a_dict(a_dict(results.get("configs")).get(task))
        yield ImportedEvaluation(
            tool="lm_eval",
            task=task or "task",
            id=found["date"] if found else "",
            known={name: it for name, it in (("task", task), ("model", model)) if it},
            version=as_text(results.get("lm_eval_version")),
            created_at=_time(results.get("date")) or _time_of(found["date"] if found else ""),
            parameters=_parameters(a_dict(config.get("generation_kwargs"))),
            figures=tuple(_figures(results, task, model or "unknown")),
            header=without(
                {
                    "config": config,
                    "run": a_dict(results.get("config")),
                    "n-samples": a_dict(a_dict(results.get("n-samples")).get(task)),
                    GROUPS: groups_of_task(results, task),
                }
            ),
            files=(path.name,),
            rows=tally.count_parts(_parts(path, model or "unknown", tally)),
        )


class LmEvalResults:
    """The results file of lm-eval, which has no rows: its samples are read from their own files."""

    tool = "lm_eval"

    def claims(self, path: Path, start: bytes) -> bool:  # noqa: ARG002  by content alone
        """By its first keys; those of lighteval differ."""
        if b'"config_general"' in start:
            return False
        return b'"results"' in start and (b'"configs"' in start or b'"group_subtasks"' in start)

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield nothing; notes explain the figures of groups.

        Raises:
            SpecError: the file has no results, or no samples beside it.
        """
        results = a_dict(load_json(path, tally))
        if not results.get("results"):
            raise SpecError("the file has no results.", where=str(path))
        for said in group_notes(results):
            tally.note(said)
        found = _RESULTS.match(path.name)
        mark = found["date"] if found else ""
        samples = [one for one in path.parent.glob("samples_*") if mark in one.name]
        if not samples:
            raise SpecError(
                "there are no samples beside this file.",
                where=str(path),
                hint="Run lm-eval with --log_samples.",
            )
        yield from ()


def _results_beside(path: Path, date: str) -> dict[str, Any]:
    """The results of the run that wrote the samples; empty if the file is not there."""
    beside = sorted([*path.parent.glob("results*.json"), *path.parent.glob("results*.json.gz")])
    same = [one for one in beside if date and date in one.name]
    for one in same or (beside if len(beside) == 1 and not date else []):
        with suppress(SpecError):
            return a_dict(load_json(one))
    return {}


def _only_task(results: dict[str, Any]) -> str:
    tasks = list(a_dict(results.get("configs")))
    return tasks[0] if len(tasks) == 1 else ""


def _model_of(path: Path, results: dict[str, Any]) -> str:
    """The model by the results file, else by the folder, which lm-eval names after it."""
    name = as_text(results.get("model_name") or results.get("model_name_sanitized"))
    if name:
        return name
    is_own_folder = bool(_SAMPLES.match(path.name)) and "__" in path.parent.name
    return path.parent.name.replace("__", "/") if is_own_folder else ""


def _parts(path: Path, model: str, tally: Tally) -> Iterator[RowPart]:
    for group in json_line_groups(path, tally):
        block = block_of([given for _, given in group], model)
        yield block if block is not None else list(_rows(group, model, tally))


def _rows(group: Iterable[Numbered], model: str, tally: Tally) -> Iterator[ImportedRow]:
    for number, given in group:
        if given.get("doc_id") is None:
            tally.refuse(f"line {number}: no doc_id.")
            continue
        yield lm_eval_row(given, model)


def lm_eval_row(given: dict[str, Any], model: str) -> ImportedRow:
    """Return the row of a line, of any kind."""
    applied = as_text(given.get("filter")) or "none"
    names = [as_text(name) for name in a_list(given.get("metrics"))] or _metrics_of(given)
    labels = scorer_labels(tuple(names), applied)
    scores = {label: as_score(given.get(name)) for label, name in zip(labels, names, strict=True)}
    main = next((label for label, value in scores.items() if value is not None), "")
    requests = _requests(given.get("arguments"))
    has_choices = _is_choice(given, requests)
    return ImportedRow(
        case=_choice_case(given, requests) if has_choices else _case(given, requests),
        model=model,
        output=_likeliest(given) if has_choices else _first_reply(given),
        scores=scores,
        score=within_scale(scores.get(main)),
        scorer=main,
        identity=[given.get(name) for name in IDENTITY],
        rest=_rest_of(given, names, applied),
    )


def _metrics_of(given: dict[str, Any]) -> list[str]:
    """The metrics of a line of an older version, which does not list them."""
    return [
        name
        for name, value in given.items()
        if name not in TRANSLATED and as_score(value) is not None and not name.endswith("_hash")
    ]


def _requests(arguments: Any) -> list[list[Any]]:  # noqa: ANN401  any JSON
    """The arguments of each request: its context and, for a likelihood, the continuation."""
    if isinstance(arguments, dict):
        return [list(a_dict(request).values()) for request in arguments.values()]
    return [a_list(request) for request in a_list(arguments)]


def _is_choice(given: dict[str, Any], requests: list[list[Any]]) -> bool:
    """True for several continuations of one question, each with its likelihood."""
    replies = a_list(given.get("resps"))
    is_each = len(requests) > 1 and len(replies) == len(requests)
    return is_each and _likelihood(replies[0]) is not None


def _likelihood(reply: Any) -> float | None:  # noqa: ANN401  any JSON
    """The log likelihood of a continuation, which is written as a pair of texts."""
    pair = reply
    while isinstance(pair, list) and len(pair) == 1:
        pair = pair[0]
    if not (isinstance(pair, list) and len(pair) == 2):  # noqa: PLR2004  a pair
        return None
    with suppress(ValueError, TypeError):
        return float(pair[0])
    return None


def _case(given: dict[str, Any], requests: list[list[Any]]) -> ImportedCase:
    question = requests[0][0] if requests and requests[0] else given.get("doc")
    return ImportedCase(
        id=as_text(given["doc_id"]),
        messages=_messages(as_text(question)),
        expected=tuple(filter(None, texts_of(given.get("target")))),
        metadata=_document(given),
    )


def _choice_case(given: dict[str, Any], requests: list[list[Any]]) -> ImportedCase:
    choices = tuple(as_text(request[1]).strip() if len(request) > 1 else "" for request in requests)
    return ImportedCase(
        id=as_text(given["doc_id"]),
        messages=_messages(as_text(requests[0][0])),
        expected=_right_letters(given.get("target"), choices),
        choices=choices,
        metadata=_document(given),
    )


def _document(given: dict[str, Any]) -> dict[str, Any]:
    return {"doc": given["doc"]} if given.get("doc") else {}


def _messages(question: str) -> tuple[tuple[str, str], ...]:
    """The messages of a chat template, else one of the user."""
    if question.lstrip().startswith("[{"):
        with suppress(SpecError):
            turns = [a_dict(one) for one in a_list(parse_json(question.encode(), ""))]
            if turns and all("role" in one for one in turns):
                return tuple(turn(as_text(it["role"]), as_text(it.get("content"))) for it in turns)
    return (turn("user", question),) if question else ()


def _right_letters(target: Any, choices: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ANN401  any JSON
    found = []
    for one in texts_of(target):
        if one.isdigit() and int(one) < len(choices):
            found.append(letter(int(one)))
        elif one.strip() in choices:
            found.append(letter(choices.index(one.strip())))
    return tuple(found)


def letter(place: int) -> str:
    """Return the letter of an option by its place from 0; a number beyond Z.

    >>> letter(0), letter(26)
    ('A', '27')
    """
    return chr(ord("A") + place) if place < 26 else str(place + 1)  # noqa: PLR2004  letters


def _likeliest(given: dict[str, Any]) -> str | None:
    """The letter of the likeliest continuation, as the metric acc takes it."""
    values = [_likelihood(one) for one in a_list(given.get("resps"))]
    known = [one for one in values if one is not None]
    return letter(values.index(max(known))) if known and len(known) == len(values) else None


def _first_reply(given: dict[str, Any]) -> str | None:
    """The first reply of a generation; None for likelihoods."""
    reply = next(iter(a_list(given.get("resps"))), None)
    if isinstance(reply, list) and len(reply) == 1 and isinstance(reply[0], str):
        return reply[0]
    while isinstance(reply, list) and reply and _likelihood(reply) is None:
        reply = reply[0]
    return reply if isinstance(reply, str) else None


def _rest_of(given: dict[str, Any], names: list[str], applied: str) -> dict[str, Any]:
    rest = without(given, *TRANSLATED, *names)
    if odd := {name: given.get(name) for name in names if as_score(given.get(name)) is None}:
        rest[f"metrics,{applied}"] = odd
    rest["resps"] = given.get("resps")
    rest["target"] = given.get("target")
    rest[f"filtered_resps,{applied}"] = given.get("filtered_resps")
    return rest


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
    names = {"temperature": "temperature", "top_p": "top_p", "max_gen_toks": "max_tokens"}
    return {ours: given[name] for name, ours in names.items() if given.get(name) is not None}


def _figures(results: dict[str, Any], task: str, model: str) -> Iterator[PrintedFigure]:
    """Yield the task's metrics with their standard errors, as ``name,filter``."""
    declared = {
        as_text(a_dict(one).get("metric")): as_text(a_dict(one).get("aggregation"))
        for one in a_list(a_dict(a_dict(results.get("configs")).get(task)).get("metric_list"))
    }
    for key, value in a_dict(a_dict(results.get("results")).get(task)).items():
        name, comma, applied = key.partition(",")
        if not comma:
            continue
        metric = "stderr" if name.endswith(_STDERR) else "value"
        plain = name.removesuffix(_STDERR)
        aggregation = declared.get(plain) or "mean"
        yield PrintedFigure(
            scorer=f"lm_eval/{plain},{applied}",
            metric=metric,
            value=as_score(value),
            model=model,
            task=task,
            method={} if aggregation == "mean" else {"aggregation": aggregation},
        )


def _time(seconds: Any) -> str:  # noqa: ANN401  any JSON
    value = as_score(seconds)
    if value is None or not 0 < value < 2**40:
        return ""
    return iso_timestamp(datetime.fromtimestamp(value, UTC))


def _time_of(name: str) -> str:
    """The time in the name of a file, where hyphens stand for colons."""
    found = re.match(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)", name)
    return f"{found[1]}T{found[2]}:{found[3]}:{found[4]}.000Z" if found else ""
