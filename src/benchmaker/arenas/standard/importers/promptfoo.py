"""promptfoo: results as JSON, JSON lines, CSV, and the rows of its database."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedEvaluation,
    ImportedJudgment,
    ImportedRow,
    PrintedFigure,
    as_score,
    digest,
    plain_vars,
    prompt_label,
)
from benchmaker.arenas.standard.importers.reading import (
    Tally,
    a_dict,
    a_list,
    are_lines,
    as_text,
    json_lines,
    load_json,
    parse_json,
    refuse_gzip,
    start_of,
    without,
)
from benchmaker.errors import SpecError, StoreError
from benchmaker.record import Outcome, Usage
from benchmaker.store.database.foreign_databases import MAGIC, open_foreign_database

PASS: Final = "promptfoo/pass"  # noqa: S105  a verdict
SCORE: Final = "promptfoo/score"

_LONGEST_SCORE = 30
_INFRASTRUCTURE = 2
"""The failure reason of a row whose request failed."""

_JUDGED = re.compile(
    r"^(not-)?(llm-rubric|g-eval|factuality|model-graded-.*|answer-relevance|context-.*|"
    r"conversation-relevance|select-best|pi|agent-rubric)$"
)
_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_TRANSLATED = (
    "id", "cost", "latencyMs", "vars", "provider", "success", "score", "failureReason", "error",
    "tokenUsage", "evalId",
)  # fmt: skip
_COLUMNS: Final = {
    "id": "id", "prompt_idx": "promptIdx", "test_idx": "testIdx", "test_case": "testCase",
    "prompt": "prompt", "prompt_id": "promptId", "provider": "provider",
    "latency_ms": "latencyMs", "cost": "cost", "response": "response", "error": "error",
    "failure_reason": "failureReason", "success": "success", "score": "score",
    "grading_result": "gradingResult", "named_scores": "namedScores", "metadata": "metadata",
}  # fmt: skip
_JSON_COLUMNS = frozenset(
    {"test_case", "prompt", "provider", "response", "grading_result", "named_scores", "metadata"}
)
_OF_LINE = frozenset({"promptIdx", "vars"})
_TABLES = frozenset({"evals", "eval_results"})


class Promptfoo:
    """Results of promptfoo: the JSON of version 3, JSON lines, and the database."""

    tool = "promptfoo"

    def claims(self, path: Path, start: bytes) -> bool:
        """By the keys at the beginning, or the tables of a database."""
        if start.startswith(MAGIC):
            return b"eval_results" in start or _has_tables(path)
        if b'"promptIdx"' in start and b'"testIdx"' in start:
            return True
        return b'"evalId"' in start and b'"results"' in start and b'"prompts"' in start

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluation of a file, or each of a database."""
        start = start_of(path)
        if start.startswith(MAGIC):
            refuse_gzip(path)
            yield from _of_database(path, tally)
        elif are_lines(start, _OF_LINE) or _is_long_line(path, start):
            found = (row for _, row in json_lines(path, tally))
            yield _evaluation(path, tally, "", {}, found)
        else:
            yield _of_document(path, load_json(path, tally), tally)


def _is_long_line(path: Path, start: bytes) -> bool:
    """True for a file of JSON lines, by its name, whose first line is longer than its beginning."""
    return ".jsonl" in path.suffixes and b"\n" not in start


def _has_tables(path: Path) -> bool:
    with suppress(StoreError), open_foreign_database(path) as database:
        return database.names >= _TABLES
    return False


def _of_document(path: Path, document: Any, tally: Tally) -> ImportedEvaluation:  # noqa: ANN401  any JSON
    if isinstance(document, list):
        return _evaluation(path, tally, "", {}, document)
    outer = a_dict(document)
    results = a_dict(outer.get("results"))
    rows = a_list(results.get("results")) or a_list(outer.get("results"))
    if not rows:
        raise SpecError("the file has no results.", where=str(path))
    stats = a_dict(results.get("stats"))
    declared = sum(int(as_score(stats.get(it)) or 0) for it in ("successes", "failures", "errors"))
    if declared and declared != len(rows):
        tally.note(f"the file counts {declared:,} results, but has {len(rows):,}.")
    return _evaluation(path, tally, as_text(outer.get("evalId")), outer, rows)


def _evaluation(
    path: Path, tally: Tally, name: str, outer: dict[str, Any], rows: Iterable[Any]
) -> ImportedEvaluation:
    config = a_dict(outer.get("config"))
    results = a_dict(outer.get("results"))
    metadata = a_dict(outer.get("metadata"))
    task = as_text(config.get("description")) or "evaluation"
    header = {
        "config": {key: value for key, value in config.items() if key != "env"},
        "metadata": metadata,
        "stats": results.get("stats"),
    }
    return ImportedEvaluation(
        tool="promptfoo",
        task=task,
        id=name,
        version=as_text(metadata.get("promptfooVersion")),
        created_at=as_text(metadata.get("evaluationCreatedAt") or results.get("timestamp")),
        has_prompts=True,
        figures=tuple(_figures(results)),
        header=without(header),
        files=(path.name,),
        rows=tally.count_all(_rows(rows, tally)),
    )


def _rows(rows: Iterable[Any], tally: Tally) -> Iterator[ImportedRow]:
    labels = _Labels()
    for number, given in enumerate(rows, 1):
        if not isinstance(given, dict) or not isinstance(given.get("vars"), dict):
            tally.refuse(f"result {number}: no variables.")
            continue
        if odd := _odd_score(given):
            said = repr(odd["score"])[:_LONGEST_SCORE]
            tally.note(f"result {number}: the score {said} is no finite number; not translatable.")
        yield _row(given, labels)


@dataclass(slots=True)
class _Labels:
    """The labels of prompts; two prompts with one label are facts apart by a number."""

    prompts: dict[str, list[str]] = field(default_factory=dict)

    def of(self, row: dict[str, Any]) -> str:
        prompt = a_dict(row.get("prompt"))
        label = prompt_label(as_text(prompt.get("label") or prompt.get("raw") or "prompt"))
        known = self.prompts.setdefault(label, [])
        own = as_text(row.get("promptId"))
        if own not in known:
            known.append(own)
        at = known.index(own)
        return label if at == 0 else f"{label} ({at + 1})"


def _row(given: dict[str, Any], labels: _Labels) -> ImportedRow:
    test, response = a_dict(given.get("testCase")), a_dict(given.get("response"))
    is_failure = _is_infrastructure(given, response)
    prompt = a_dict(given.get("prompt"))
    output = response.get("output")
    passed = None if is_failure else float(bool(given.get("success")))
    rest = without(given, *_TRANSLATED, "response", "prompt") | _odd_score(given)
    return ImportedRow(
        case=_case(given["vars"], test, as_text(prompt.get("raw"))),
        model=model_name(given.get("provider")),
        prompt=labels.of(given),
        id=as_text(given.get("id")),
        output=None if is_failure and output is None else as_text(output),
        scores={} if is_failure else _scores(given, passed),
        score=passed,
        scorer=PASS,
        notes=as_text(a_dict(given.get("gradingResult")).get("reason"))[:2_000],
        outcome=Outcome.PROVIDER_ERROR if is_failure else Outcome.SCORED,
        error=as_text(given.get("error") or response.get("error")) if is_failure else None,
        usage=_usage(given.get("tokenUsage") or response.get("tokenUsage")),
        cost_usd=_cost(given, response, is_failure=is_failure),
        latency_s=_seconds(given.get("latencyMs")),
        judgments=tuple(_judgments(given, test)),
        identity=_identity(given),
        rest=rest
        | _field_of("response", without(response, "output"))
        | _field_of("prompt", prompt),
    )


def _identity(given: dict[str, Any]) -> list[Any]:
    """What tells a result without an id from others, in every form of an evaluation."""
    names = ("testIdx", "promptIdx", "provider", "vars", "response", "score")
    return [given.get(name) for name in names]


def _odd_score(given: dict[str, Any]) -> dict[str, Any]:
    """The score as it is in the file, if it is no finite number."""
    score = given.get("score")
    return {} if score is None or as_score(score) is not None else {"score": score}


def _field_of(name: str, value: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    return {name: value} if value else {}


def _is_infrastructure(given: dict[str, Any], response: dict[str, Any]) -> bool:
    """True if the request failed; ``error`` alone may be a failed check."""
    reason = given.get("failureReason")
    if reason is not None:
        return bool(reason == _INFRASTRUCTURE)
    return bool(given.get("error")) and response.get("output") is None


def _scores(given: dict[str, Any], passed: float | None) -> dict[str, float | None]:
    named = a_dict(given.get("namedScores"))
    own = {f"promptfoo/{name}": as_score(value) for name, value in named.items()}
    return {PASS: passed, SCORE: as_score(given.get("score")), **own}


def _case(variables: dict[str, Any], test: dict[str, Any], text: str) -> ImportedCase:
    plain = plain_vars(variables)
    return ImportedCase(
        id=_case_id(variables, test),
        messages=(("user", text),) if text else (),
        expected=_right_answer(test, variables),
        vars=plain,
        category=as_text(a_dict(test.get("metadata")).get("category")) or None,
        metadata={"description": test["description"]} if test.get("description") else {},
    )


def _case_id(variables: dict[str, Any], test: dict[str, Any]) -> str:
    """Return the values of the variables with a mark of the test: the same for its repeats."""
    said = ", ".join(as_text(value) for value in variables.values()) or as_text(
        test.get("description")
    )
    facts = {name: test.get(name) for name in ("description", "assert", "threshold")}
    mark = digest((variables, facts)).hex()[:6]
    return f"{prompt_label(said)[:80]} {mark}".strip()


def _right_answer(test: dict[str, Any], variables: dict[str, Any]) -> tuple[str, ...]:
    """The text that the answer must equal, if an assertion says so."""
    for one in a_list(test.get("assert")):
        if a_dict(one).get("type") == "equals" and isinstance(one.get("value"), (str, int, float)):
            return (_fill(as_text(one["value"]), variables),)
    return ()


def _fill(text: str, variables: dict[str, Any]) -> str:
    return _VARIABLE.sub(
        lambda found: as_text(variables[found[1]]) if found[1] in variables else found[0], text
    )


def model_name(provider: Any) -> str:  # noqa: ANN401  any JSON
    """Return the label of a provider, else its id.

    >>> model_name({"id": "openai:gpt-4o", "label": "big"}), model_name("echo")
    ('big', 'echo')
    """
    given = a_dict(provider)
    return as_text(given.get("label") or given.get("id") or provider) or "unknown"


def _usage(given: Any) -> Usage | None:  # noqa: ANN401  any JSON
    counts = a_dict(given)
    tokens = {name: _count(counts.get(name)) for name in ("prompt", "completion", "cached")}
    if not any(tokens.values()):
        return None
    details = a_dict(counts.get("completionDetails"))
    return Usage(
        input_tokens=tokens["prompt"],
        cache_read_tokens=tokens["cached"] or None,
        output_tokens=tokens["completion"],
        reasoning_tokens=_count(details.get("reasoning")) or None,
    )


def _count(value: Any) -> int | None:  # noqa: ANN401  any JSON
    number = as_score(value)
    return int(number) if number is not None and 0 <= number < 2**53 else None


def _cost(given: dict[str, Any], response: dict[str, Any], *, is_failure: bool) -> float | None:
    """The dollars of the answer; a 0 that no provider reports is unknown."""
    own = as_score(response.get("cost"))
    if own is not None:
        return own
    cost = as_score(given.get("cost"))
    return None if is_failure or not cost else cost


def _seconds(milliseconds: Any) -> float | None:  # noqa: ANN401  any JSON
    value = as_score(milliseconds)
    return value / 1000 if value else None


def _judgments(given: dict[str, Any], test: dict[str, Any]) -> Iterator[ImportedJudgment]:
    """Yield the replies of judges, each once: the parts of a set stand in the list again."""
    options = a_dict(test.get("options"))
    for one in a_list(a_dict(given.get("gradingResult")).get("componentResults")):
        check = a_dict(a_dict(one).get("assertion"))
        if _JUDGED.match(as_text(check.get("type"))) and one.get("reason"):
            judge = check.get("provider") or options.get("provider")
            yield ImportedJudgment(
                scorer=f"promptfoo/{check.get('metric') or check['type']}",
                judge=model_name(judge) if judge else "judge of promptfoo",
                text=as_text(one["reason"]),
            )


def _figures(results: dict[str, Any]) -> Iterator[PrintedFigure]:
    """Yield what promptfoo prints for each prompt and provider."""
    counts = {"passed": "testPassCount", "failed": "testFailCount", "errors": "testErrorCount"}
    for prompt in map(a_dict, a_list(results.get("prompts"))):
        metrics = a_dict(prompt.get("metrics"))
        where: dict[str, Any] = {
            "model": model_name(prompt.get("provider")),
            "prompt": prompt_label(as_text(prompt.get("label") or prompt.get("raw"))),
        }
        for metric, name in counts.items():
            value = as_score(metrics.get(name))
            yield PrintedFigure(scorer=PASS, metric=metric, value=value, **where)
        score = as_score(metrics.get("score"))
        yield PrintedFigure(scorer=SCORE, metric="sum", value=score, **where)
        for name, named in a_dict(metrics.get("namedScores")).items():
            value = as_score(named)
            yield PrintedFigure(scorer=f"promptfoo/{name}", metric="sum", value=value, **where)


def _of_database(path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
    """Yield each evaluation of a database, the oldest first."""
    try:
        with open_foreign_database(path) as database:
            there = database.columns("evals")
            wanted = [name for name in ("id", "created_at", "description", "config", "prompts",
                                        "results") if name in there]  # fmt: skip
            found = [
                dict(zip(wanted, row, strict=True))
                for row in database.rows("evals", wanted, order=("created_at", "id"))
            ]
            columns = [name for name in _COLUMNS if name in database.columns("eval_results")]
            for one in found:
                rows = (
                    _result_of(dict(zip(columns, row, strict=True)))
                    for row in database.rows(
                        "eval_results", columns, where={"eval_id": one["id"]},
                        order=("test_idx", "prompt_idx"),
                    )
                )  # fmt: skip
                yield _evaluation(path, tally, as_text(one["id"]), _outer(one), rows)
    except StoreError as exc:
        raise SpecError(exc.message, where=str(path)) from exc


def _outer(row: dict[str, Any]) -> dict[str, Any]:
    """The evaluation of a row as it stands in a results file."""
    config = a_dict(_parse(row.get("config")))
    if row.get("description"):
        config = {**config, "description": row["description"]}
    return {
        "config": config,
        "results": {**a_dict(_parse(row.get("results"))), "prompts": _parse(row.get("prompts"))},
    }


def _result_of(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the database as a result of a file."""
    made = {
        _COLUMNS[name]: _parse(value) if name in _JSON_COLUMNS else value
        for name, value in row.items()
    }
    made["vars"] = a_dict(made.get("testCase")).get("vars") or {}
    return {name: value for name, value in made.items() if value is not None}


def _parse(value: Any) -> Any:  # noqa: ANN401  any JSON
    if not isinstance(value, (str, bytes)):
        return value
    with suppress(SpecError):
        return parse_json(value.encode() if isinstance(value, str) else value, "")
    return value


def row_of_result(given: dict[str, Any]) -> ImportedRow:
    """Return one result of promptfoo in the neutral form.

    >>> row = row_of_result({"vars": {"q": "1 + 1?"}, "provider": "echo", "success": True,
    ...     "score": 1, "response": {"output": "2"}})
    >>> row.model, row.output, row.scores
    ('echo', '2', {'promptfoo/pass': 1.0, 'promptfoo/score': 1.0})
    """
    return _row(given, _Labels())
