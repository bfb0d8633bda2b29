"""DeepEval: test runs, as the tool keeps them and with a wrapper around."""

from collections.abc import Iterator
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
    prompt_label,
    turn,
)
from benchmaker.arenas.standard.importers.reading import (
    Tally,
    a_dict,
    a_list,
    as_text,
    load_json,
    texts_of,
    without,
)
from benchmaker.errors import SpecError
from benchmaker.record import Outcome, Usage

SUCCESS: Final = "deepeval/success"

_CASES, _CONVERSATIONS = "testCases", "conversationalTestCases"
_TRANSLATED = ("input", "actualOutput", "expectedOutput", "success", "turns", "tokenCost",
               "completionTime", "inputTokenCount", "outputTokenCount")  # fmt: skip
_MODELS = ("model", "Model", "model_name", "llm")


class DeepEval:
    """Test runs of DeepEval; each metric keeps its judge, its reason and its cost."""

    tool = "deepeval"

    def claims(self, path: Path, start: bytes) -> bool:  # noqa: ARG002  by content alone
        """By the list of test cases."""
        marks = (b'"testCases"', b'"conversationalTestCases"', b'"testRunData"')
        return any(mark in start for mark in marks)

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluation of a file; the run may stand in ``testRunData``."""
        document = a_dict(load_json(path, tally))
        run = a_dict(document.get("testRunData")) or document
        cases, talks = a_list(run.get(_CASES)), a_list(run.get(_CONVERSATIONS))
        if not cases and not talks:
            raise SpecError("the run has no test cases.", where=str(path))
        parameters = a_dict(run.get("hyperparameters"))
        model = next((as_text(parameters[it]) for it in _MODELS if parameters.get(it)), "model")
        yield ImportedEvaluation(
            tool="deepeval",
            task=as_text(run.get("datasetAlias") or run.get("identifier") or run.get("testFile"))
            or "test run",
            figures=tuple(_figures(run, model)),
            header=without(run, _CASES, _CONVERSATIONS)
            | without(document, "testRunData", *run.keys()),
            files=(path.name,),
            rows=tally.count_all(_rows([*cases, *talks], model, tally)),
        )


def _rows(cases: list[Any], model: str, tally: Tally) -> Iterator[ImportedRow]:
    for number, one in enumerate(cases, 1):
        if not isinstance(one, dict) or not (one.get("input") is not None or one.get("turns")):
            tally.refuse(f"test case {number}: no input.")
            continue
        yield _row(one, model)


def _row(given: dict[str, Any], model: str) -> ImportedRow:
    metrics = [a_dict(one) for one in a_list(given.get("metricsData"))]
    success = as_score(given.get("success"))
    scores = {f"deepeval/{_name(one)}": as_score(one.get("score")) for one in metrics}
    return ImportedRow(
        case=_case(given),
        model=model,
        output=_output(given),
        scores={SUCCESS: success, **scores},
        score=success,
        scorer=SUCCESS,
        outcome=Outcome.SCORED,
        usage=_usage(given),
        cost_usd=as_score(given.get("tokenCost")),
        latency_s=as_score(given.get("completionTime")),
        judgments=tuple(_judgments(metrics)),
        rest=without(given, *_TRANSLATED),
    )


def _name(metric: dict[str, Any]) -> str:
    return as_text(metric.get("name")) or "metric"


def _case(given: dict[str, Any]) -> ImportedCase:
    name = prompt_label(as_text(given.get("name")) or "case")
    messages = tuple(_question(given))
    expected = texts_of(given.get("expectedOutput") or given.get("expectedOutcome"))
    return ImportedCase(
        id=f"{name} {digest((messages, expected)).hex()[:6]}",
        messages=messages,
        expected=expected,
        metadata={key: given[key] for key in ("context", "retrievalContext") if given.get(key)},
    )


def _question(given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the messages before the last answer."""
    turns = [a_dict(one) for one in a_list(given.get("turns"))]
    if not turns:
        yield turn("user", as_text(given.get("input")))
        return
    for one in turns[:-1] if turns[-1].get("role") == "assistant" else turns:
        yield turn(as_text(one.get("role")), as_text(one.get("content")))


def _output(given: dict[str, Any]) -> str | None:
    turns = [a_dict(one) for one in a_list(given.get("turns"))]
    if turns and turns[-1].get("role") == "assistant":
        return as_text(turns[-1].get("content"))
    output = given.get("actualOutput")
    return None if output is None else as_text(output)


def _usage(given: dict[str, Any]) -> Usage | None:
    sent, received = as_score(given.get("inputTokenCount")), as_score(given.get("outputTokenCount"))
    if not sent and not received:
        return None
    return Usage(
        input_tokens=int(sent) if sent else None,
        output_tokens=int(received) if received else None,
    )


def _judgments(metrics: list[dict[str, Any]]) -> Iterator[ImportedJudgment]:
    for one in metrics:
        if judge := as_text(one.get("evaluationModel")):
            yield ImportedJudgment(
                scorer=f"deepeval/{_name(one)}",
                judge=judge,
                text=as_text(one.get("reason")),
                cost_usd=as_score(one.get("evaluationCost")),
                error=as_text(one.get("error")) or None,
            )


def _figures(run: dict[str, Any], model: str) -> Iterator[PrintedFigure]:
    for metric, name in (("passed", "testPassed"), ("failed", "testFailed")):
        value = as_score(run.get(name))
        yield PrintedFigure(scorer=SUCCESS, metric=metric, value=value, model=model)
