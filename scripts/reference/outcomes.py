"""The page of outcomes and flags."""

from collections.abc import Iterator

from benchmaker.record import INFRASTRUCTURE, MODELS_DOING, Outcome

OUTCOMES = {
    Outcome.SCORED: "An answer, scored.",
    Outcome.TRUNCATED: "The answer stops at the token limit.",
    Outcome.EMPTY: "The reply holds no text.",
    Outcome.FILTERED: "A content filter stopped the answer.",
    Outcome.REFUSED: "The model, or its provider, refused.",
    Outcome.CONTEXT_OVERFLOW: "The question is longer than the model's context.",
    Outcome.TIMEOUT: "A limit of time passed.",
    Outcome.BAD_RESPONSE: "The reply is not what the protocol promises.",
    Outcome.PROVIDER_ERROR: "The provider failed, the file of recorded answers says so, or has "
    "no answer.",
    Outcome.SCORER_ERROR: "The scorer failed; the answer is kept and can be scored anew.",
    Outcome.UNSCORED: "An answer without a score, with the reason beside it.",
    Outcome.CANCELLED: "Stopped before it was done.",
}

UNSENT = ("temperature", "top_p", "frequency_penalty", "presence_penalty")

FLAGS = {
    "accepted_under_false_reference": "The judge accepts the answer beside a false reference, too: "
    "it may speak to its judge. On a score.",
    "auto_pass": "Full marks because the case expects nothing in particular. On a score.",
    "awaiting_judge": "The answer is stored and not judged yet; `resume` goes on. On a trial.",
    "baseline": "The answer is the one that others are compared with. On a score.",
    "blank": "The page shows nothing; functionality is 0, looks at most 5. On a score.",
    "cache_hit": "Taken from an earlier, equal request; it cost nothing. On an answer.",
    "cost_dropped": "The cost in the record could not be true. On an answer or a failed trial.",
    "error_on_load": "The page fails while it loads, or lacks a file; functionality is at most 60. "
    "On a score.",
    "escalated": "The first judge disagreed with itself, so that the next was asked. On a score.",
    "hang": "The page hangs, crashes or takes all memory; functionality is 0, looks at most 5. "
    "On a score.",
    "hang_on_click": "A control hangs the page; functionality is at most 60. On a score.",
    "judge_abstained": "The judgments lie too far apart for a score. On a score.",
    "judge_again": "No judgment could be had, and a judge is to be asked once more. On a trial.",
    "judge_contradiction": "The judge cites what the report contradicts; it is struck out. "
    "On a score.",
    "judge_failed": "No judgment could be had, which is no 0. On a score.",
    "judge_uncited": "The judge cites no fact of the report. On a score.",
    "key_redacted": "The reply held our key, which was taken out. On an answer.",
    "latency_dropped": "The seconds in the record could not be true. "
    "On an answer or a failed trial.",
    "model_stopped": "After this trial its model was given up; `resume` asks it again. On a trial.",
    "no_browser": "There is no browser; the page was read and not rendered. On a score.",
    "no_checks": "The case has no checks, so that functionality is dead controls and errors alone. "
    "On a score.",
    "no_code": "The answer holds no code; the score is 0. On a score.",
    "no_done": "The stream ended without its closing word. On an answer.",
    "no_finish": "The reply does not say why the model stopped. On an answer.",
    "no_judgment": "Holds no judgment: it can't be read, or the judge refused. On a judge's reply.",
    "no_number": "There is no number in what was extracted; the score is 0. On a score.",
    "no_verdict": "There is no true, false, yes or no; the score is 0. On a score.",
    "no_vision": "The judge was sent no screenshots. On a score.",
    "not_rendered": "The page could not be rendered, which is no 0. On a score.",
    "nothing_extracted": "A named extraction rule found nothing; the score is 0. On a score.",
    "order_disagreement": "The pair got another verdict in the other order; a tie. On a score.",
    "other_model": "The reply names another model than was asked for. On an answer.",
    "panel_incomplete": "A judge gave no judgment; the others count. On a score.",
    "policy_zero": "The score is 0 by the suite's policy, not by a scorer. On a score.",
    "quick_cut": "The judge was shown the first 5,000 characters of the code alone. On a score.",
    "reasoning_only": "There is reasoning, and no text after it. On an answer.",
    "reconnected": "A kept connection was closed; the request was sent anew. On an answer.",
    "same_id": "An earlier reply had the same id: a cache in between? On an answer.",
    "stream_fallback": "Streaming failed; the answer came in one piece. On a trial.",
    "suspicious_answer": "The answer seems to speak to its judge; its score stands. On a score.",
    "tool_call": "The model asks for a tool, which it was not offered. On an answer.",
    "unknown_finish": "The reply gives a reason for its end that nobody knows. On an answer.",
    **{
        f"unsent_{name}": f"The endpoint takes no `{name}`, so that the one in force was not sent. "
        "On an answer."
        for name in UNSENT
    },
    "usage_absurd": "A number of tokens could not be true; it counts as unknown. On tokens.",
    "usage_inconsistent": "The tokens do not add up; they count as unknown. On tokens.",
    "usage_negative": "A number of tokens was negative; it counts as unknown. On tokens.",
    "usage_not_a_number": "A number of tokens was none; it counts as unknown. On tokens.",
    "usage_zero": "Zero tokens for a text; they count as unknown. On tokens.",
    "without_judge": "Nobody judged; the score is the share of page checks passed. On a score.",
}

HEAD = """\
# Outcomes and flags

Every trial has one outcome. Tables count each apart, and JSON has them under `outcomes`.

| outcome | what happened | in the mean |
|---|---|---|
"""

FLAGS_HEAD = """
A flag is a remark with a reason. It deletes nothing and changes no score.

| flag | says |
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
        return "scored on what is there; `policies.truncated` may say `zero` or `leave_out`"
    if outcome in MODELS_DOING:
        return f"0; `policies.{outcome}: leave_out` leaves it out"
    if outcome in INFRASTRUCTURE:
        return "left out, counted"
    return "left out, with the reason"


def _flags() -> Iterator[str]:
    return (f"| `{name}` | {text} |" for name, text in sorted(FLAGS.items()))
