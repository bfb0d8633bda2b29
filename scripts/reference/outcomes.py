"""The page of outcomes and flags."""

from collections.abc import Iterator

from benchmaker.record import INFRASTRUCTURE, MODELS_DOING, Outcome

OUTCOMES = {
    Outcome.SCORED: "An answer, scored.",
    Outcome.TRUNCATED: "The answer stops at the token limit or by `max_steps`, or it calls tools "
    "and has no text.",
    Outcome.EMPTY: "The reply has neither text nor tool calls.",
    Outcome.FILTERED: "A content filter stopped the answer.",
    Outcome.REFUSED: "The model, or its provider, refused.",
    Outcome.CONTEXT_OVERFLOW: "The question is longer than the model's context.",
    Outcome.TIMEOUT: "A time limit was exceeded.",
    Outcome.BAD_RESPONSE: "The reply violates the protocol.",
    Outcome.PROVIDER_ERROR: "The provider failed, or the file of recorded answers has a failure or "
    "no answer.",
    Outcome.SCORER_ERROR: "The scorer failed; the answer is kept and can be rescored.",
    Outcome.UNSCORED: "An answer without a score; the reason is given.",
    Outcome.CANCELLED: "Stopped before completion.",
    Outcome.UNFINISHED: "A conversation with tools has steps and no last answer: the run goes on, "
    "or `resume` continues it.",
}

UNSENT = (
    "temperature", "top_p", "frequency_penalty", "presence_penalty", "seed", "stop", "top_k",
    "min_p", "reasoning_effort", "thinking_budget", "logprobs", "response_format",
)  # fmt: skip
CHANGED = ("reasoning_effort", "max_tokens")

FLAGS = {
    "accepted_under_false_reference": "The judge also accepts the answer with a false reference: "
    "the answer may address its judge. On a score.",
    "by_generated": "`choice` with `by: auto` scored the generated letter, because no log "
    "probabilities decide. On a score.",
    "by_likelihood": "`choice` scored the likelihood of the letters. On a score.",
    "auto_pass": "Full score because the case has no expectation. On a score.",
    "awaiting_judge": "The answer is stored and waits for a judge, an embedding or a render; "
    "`resume` continues. On a trial.",
    "baseline": "The answer is the one that others are compared with. On a score.",
    "blank": "The page shows nothing; functionality is 0, looks at most 5. On a score.",
    "cache_hit": "Taken from an earlier, equal request; it cost nothing. On an answer.",
    "cost_dropped": "The recorded cost was implausible. On an answer or a failed trial.",
    "embedding_failed": "A text has no embedding; the score is missing, not 0. On a score.",
    "error_on_load": "The page fails while it loads, or lacks a file; functionality is at most 60. "
    "On a score.",
    "escalated": "The first judge was inconsistent, so the next one was queried. On a score.",
    "hang": "The page hangs, crashes or takes all memory; functionality is 0, looks at most 5. "
    "On a score.",
    "hang_on_click": "A control hangs the page; functionality is at most 60. On a score.",
    "judge_abstained": "The judgments differ too much for a score. On a score.",
    "judge_again": "There is no judgment; a judge will be queried again. On a trial.",
    "judge_contradiction": "The judge cites a fact that the report contradicts; it is discarded. "
    "On a score.",
    "judge_failed": "There is no judgment; the score is missing, not 0. On a score.",
    "judge_uncited": "The judge cites no fact of the report. On a score.",
    "key_redacted": "The reply contained the API key, which was removed. On an answer.",
    "latency_dropped": "The recorded seconds were implausible. On an answer or a failed trial.",
    "machine_busy": "The machine was too busy to render the page, so it has no facts of a render. "
    "On a score.",
    "model_stopped": "The model was stopped after this trial; `resume` retries it. On a trial.",
    "no_browser": "There is no browser; the page was read and not rendered. On a score.",
    "no_checks": "The case has no checks; functionality rests on dead controls and errors. "
    "On a score.",
    "no_code": (
        "The answer contains no code, or is empty or refused. The score is 0, or missing without a "
        "judge and checks. On a score."
    ),
    "no_done": "The stream ended without its end marker. On an answer.",
    "no_finish": "The reply gives no finish reason. On an answer.",
    "no_judgment": "The reply is unreadable, or the judge refused. On a judge's reply.",
    "no_number": "The extracted text has no number; the score is 0. On a score.",
    "no_verdict": "There is no true, false, yes or no; the score is 0. On a score.",
    "no_vision": "The judge received no screenshots. On a score.",
    "not_rendered": "The page could not be rendered; the score is missing, not 0. On a score.",
    "nothing_extracted": "A named extraction rule found nothing; the score is 0. On a score.",
    "order_disagreement": "The verdict changed with the order of the pair; a tie. On a score.",
    "other_model": "The reply names another model than the request. On an answer.",
    "panel_incomplete": "A judge gave no judgment; the others count. On a score.",
    "policy_zero": "The score is 0 by the suite's policy, not by a scorer. On a score.",
    "quick_cut": "The judge received only the first 5,000 characters of the code. On a score.",
    "reasoning_only": "There is reasoning, and no text after it. On an answer.",
    "reconnected": "A kept connection was closed; the request was sent again. On an answer.",
    "retry_requested": "The failed trial is to be requested again, by `control --retry-failed`. "
    "On a trial.",
    "same_id": "An earlier reply had the same id: is there a cache in between? On an answer.",
    "stream_fallback": "Streaming failed; the answer was not streamed. On a trial.",
    "suspicious_answer": "The answer seems to address its judge; its score counts. On a score.",
    "tool_call": "The model called a tool that it was not offered. On an answer.",
    "unknown_finish": "The reply has an unknown finish reason. On an answer.",
    **{
        f"sent_{name}": f"`{name}` was sent with another value, which the flag ends with. "
        "On an answer."
        for name in CHANGED
    },
    **{
        f"unsent_{name}": f"`{name}` was not sent, since the endpoint does not support it. "
        "On an answer."
        for name in UNSENT
    },
    "usage_absurd": "A token count was implausible; it counts as unknown. On tokens.",
    "usage_inconsistent": "The token counts do not add up; they count as unknown. On tokens.",
    "usage_negative": "A token count was negative; it counts as unknown. On tokens.",
    "usage_not_a_number": "A token count was not a number; it counts as unknown. On tokens.",
    "usage_zero": "Zero tokens for a text; they count as unknown. On tokens.",
    "without_judge": "There is no judgment; the score is the share of passed page checks. "
    "On a score.",
    "without_measure": "There is no judge, and the case has no checks, so that no answer has a "
    "score. The exit code does not count it. On a score.",
}

HEAD = """\
# Outcomes and flags

Every trial has one outcome. Tables count each separately, and JSON has them under `outcomes`.

| outcome | meaning | in the mean |
|---|---|---|
"""

FLAGS_HEAD = """
Tables and pages show the same words with spaces; a failed request also has a short reason: \
`provider error: HTTP 401`. A cell or a count of several trials names their group: answered, \
answer failed (because of the model), request failed (because of infrastructure) or unscored; \
`unfinished` is in no group. A planned trial without a request is `not run`.

In the JSON of a run, `complete` is true if every run has finished, every planned trial was run \
and no judgment is missing. `not_run` lists the cases of which some setup of a finished run, or \
of a run of a corrected suite, has no trial. `not_run_by_setup` has the same cases by the name of \
each such setup, which without prompts and efforts is the model.
A flag is a remark with a reason. It deletes nothing and changes no score.

| flag | meaning |
|---|---|
"""


def page() -> str:
    """The page's Markdown."""
    return HEAD + "\n".join(_outcomes()) + "\n" + FLAGS_HEAD + "\n".join(_flags()) + "\n"


def _outcomes() -> Iterator[str]:
    for outcome in Outcome:
        yield f"| `{outcome}` | {OUTCOMES[outcome]} | {_counts(outcome)} |"


def _counts(outcome: Outcome) -> str:
    if outcome is Outcome.SCORED:
        return "yes"
    if outcome is Outcome.TRUNCATED:
        return (
            "text and complete tool calls are scored as received, and without both it is 0; "
            "`policies.truncated` may say `zero` or `leave_out`"
        )
    if outcome in MODELS_DOING:
        return f"0; `policies.{outcome}: leave_out` leaves it out"
    if outcome in INFRASTRUCTURE:
        return "left out, counted"
    return "left out, with the reason"


def _flags() -> Iterator[str]:
    return (f"| `{name}` | {text} |" for name, text in sorted(FLAGS.items()))
