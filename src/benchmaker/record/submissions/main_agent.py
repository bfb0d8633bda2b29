"""A submission as the main agent's work alone."""

from typing import Final

import msgspec

from benchmaker.record.submissions.submission import Counts, Scope, Submission

_COUNTED: Final = tuple(
    name for name in Counts.__struct_fields__ if name in Submission.__struct_fields__
)


def apply_scope(submission: Submission, scope: Scope) -> Submission:
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
        **{name: getattr(main, name) for name in _COUNTED},
        usage_scope=Scope.MAIN,
        cost=cost,
    )
