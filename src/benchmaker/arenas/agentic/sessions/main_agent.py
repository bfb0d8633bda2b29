"""A submission as the main agent's work alone."""

import msgspec

from benchmaker.record.submissions.submission import Scope, Submission


def scoped(submission: Submission, scope: Scope) -> Submission:
    """The submission with the usage and the counts of that scope.

    Times, files and behaviour are those of the whole session in both.
    """
    main = submission.main
    if scope is Scope.WITH_SUBAGENTS:
        return submission
    if main is None:
        return msgspec.structs.replace(submission, usage_scope=Scope.MAIN)
    cost = msgspec.structs.replace(
        submission.cost,
        reported_usd=main.cost_reported_usd,
        computed_usd=main.cost_computed_usd,
    )
    return msgspec.structs.replace(
        submission,
        usage=main.usage,
        usage_scope=Scope.MAIN,
        usage_by_model=main.usage_by_model,
        total_tokens=main.total_tokens,
        llm_calls=main.llm_calls,
        tool_calls=main.tool_calls,
        tool_errors=main.tool_errors,
        tools_by_name=main.tools_by_name,
        iterations=main.iterations,
        turns=main.turns,
        compactions=main.compactions,
        cost=cost,
    )
