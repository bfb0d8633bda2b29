"""A trial as one flat row, and plain data as one line of JSON."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from benchmaker.record import Outcome, Score, Setup, TokenLogprob, Transcript, Trial
from benchmaker.record.imports.imported import PROMPT_TEXTS

if TYPE_CHECKING:
    from benchmaker.store.imports.imported_rows import ImportedScores

_CHECK = ("type", "not", "metric", "weight", "passed", "score", "reason")
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def trial_row(
    trial: Trial,
    number: int | None = None,
    *,
    setup: Setup | None = None,
    variables: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the columns of a table of trials; None for missing values.

    ``setup`` is the trial's name of its setup, ``model`` the model of the given setup, ``vars`` are
    the given variables of the case.
    ``run`` is the given number of the run within its series, ``group`` that of the case.
    ``cost_usd``, ``input_tokens`` (without cached ones) and ``output_tokens`` are of all requests
    of the trial, as in every total. ``reasoning_tokens``, which lie inside the output, are of the
    reply that counts; so is the latency, or of a recorded failure. ``logprobs`` is there only if
    the answer has log probabilities, in the form of OpenAI's replies; ``passed`` and ``checks`` are
    there only if the answer was scored by checks; ``transcript``, ``steps``, ``stopped_by`` and
    ``finish`` only if the case has tools, or a recorded answer has calls or a transcript.
    """
    done, score = trial.completion, trial.score
    tokens_in, tokens_out = trial.tokens
    return {
        "run_id": trial.run_id,
        "run": number,
        "model": setup.model if setup else trial.model,
        "prompt_id": setup.prompt_id if setup else None,
        "effort": setup.effort if setup else None,
        "setup": trial.model,
        "case_id": trial.case_id,
        "category": trial.category,
        "difficulty": trial.difficulty,
        "tags": list(trial.tags),
        "group": trial.group,
        "weight": trial.weight,
        "vars": dict(variables),
        "outcome": trial.outcome.value,
        "score": score.score if score else None,
        "confidence": score.confidence if score else None,
        "scorer": score.scorer if score else None,
        "profile": score.profile if score else None,
        "score_version": trial.score_version or None,
        "flags": flags(trial),
        "expected": score.expected if score else None,
        "also_expected": list(score.also_expected) if score else [],
        "output": done.text if done else None,
        "extraction": msgspec.to_builtins(score.extraction) if score else None,
        "notes": score.notes if score else None,
        "error_type": trial.error_type,
        "error": trial.error,
        "latency_s": trial.latency_s,
        "cost_usd": trial.cost_usd,
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "reasoning_tokens": trial.reasoning_tokens,
        **_checks(score),
        **({"logprobs": _reply_logprobs(done.logprobs)} if done and done.logprobs else {}),
        **_conversation(trial),
    }


def with_tool_scores(
    rows: Iterable[dict[str, Any]], records: Iterable["ImportedScores"], tool: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of an imported run with the tool's own scores; both are in the same order.

    ``scores`` are in the tool's unit, by scorer. ``prompt`` is the label of the prompt, ``passed``
    tells if the answer has the full score. Texts of prompts are left out of the variables.
    """
    following = iter(records)
    record = next(following, None)
    for row in rows:
        is_own = record is not None and (record.case_id, record.model) == (
            row["case_id"],
            row["setup"],
        )
        scores = dict(record.scores) if record is not None and is_own else {}
        score = row["score"]
        variables = {name: value for name, value in row["vars"].items() if name != PROMPT_TEXTS}
        passed = None if score is None else score >= 1.0
        yield {
            **row,
            "vars": variables,
            "prompt": row["prompt_id"],
            "passed": row.get("passed", passed),
            "tool": tool,
            "scores": scores,
        }
        record = next(following, None) if is_own else record


def transcript_fields(transcript: Transcript) -> dict[str, Any]:
    """Return a transcript as the fields of a row: messages, steps, and the reason of a stop."""
    return {
        "transcript": transcript.plain_messages,
        "steps": transcript.steps,
        "stopped_by": transcript.stopped_by,
    }


def _conversation(trial: Trial) -> dict[str, Any]:
    """The transcript and the reason of its end, by which cut-off calls are known; often empty."""
    if trial.transcript is None:
        return {}
    finish = trial.completion.finish.value if trial.completion else None
    return {**transcript_fields(trial.transcript), "finish": finish}


def _reply_logprobs(tokens: Sequence[TokenLogprob]) -> dict[str, Any]:
    content = [
        {
            "token": one.token,
            "logprob": one.logprob,
            "top_logprobs": [{"token": it, "logprob": value} for it, value in one.alternatives],
        }
        for one in tokens
    ]
    return {"content": content}


def _checks(score: Score | None) -> dict[str, Any]:
    """The verdict and the checks of a score; empty for other scorers than ``checks``."""
    if score is None or not score.checks:
        return {}
    rows = [{name: one[name] for name in _CHECK} for one in score.checks]
    return {"passed": score.verdict, "checks": rows}


def flags(trial: Trial) -> list[str]:
    """The flags on the trial, its answer, its usage and its score, each once, in that order."""
    done = trial.completion
    usage = done.usage if done else None
    carriers = (trial, done, usage, trial.score)
    return list(dict.fromkeys(flag for it in carriers if it for flag in it.flags))


ROW_NAMES = tuple(
    trial_row(Trial(run_id="", case_id="", model="", position=0, outcome=Outcome.UNSCORED))
)
"""The names in every trial's row."""

CHECK_NAMES = ("passed", "checks")
"""The names in a row of an answer that was scored by checks."""


TOOL_SCORE_NAMES = ("prompt", "tool", "scores")
"""The names in a row of a run that was imported from another tool, besides ``passed``."""


TRANSCRIPT_NAMES = ("transcript", "steps", "stopped_by", "finish")
"""The names in a row of an answer with a transcript."""


def as_line(plain: Any) -> str:  # noqa: ANN401  plain data of any shape
    """Return one line of JSON without its line feed.

    Lone surrogates are replaced, and characters that some readers treat as line ends are escaped.
    """
    try:
        line = msgspec.json.encode(plain)
    except UnicodeEncodeError:
        line = msgspec.json.encode(_replace_surrogates(plain))
    return line.decode().translate(_LINE_ENDS)


def _replace_surrogates(value: Any) -> Any:  # noqa: ANN401  plain data of any shape
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {
                _replace_surrogates(key): _replace_surrogates(item) for key, item in value.items()
            }
        case list() | tuple():
            return [_replace_surrogates(item) for item in value]
        case _:
            return value
