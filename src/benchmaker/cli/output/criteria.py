"""The criteria of a submission in the terminal: one line each, in the words of its page."""

from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.output.output import one_line, say
from benchmaker.cli.output.table import format_table

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.verify.results import Graded
    from benchmaker.record.submissions.submission import Submission

_HEADS = ("result", "criterion", "kind", "weight", "evidence")
_EVIDENCE = 200


def say_criteria(context: Context, graded: "Graded") -> None:
    """Print the result of each criterion; nothing without criteria."""
    from benchmaker.arenas.agentic.verify.results import kind_words
    from benchmaker.cli.output.key_redaction import redactor_of

    if not graded.criteria:
        return
    hide = redactor_of(context).text
    rows = [
        (
            one.result,
            one_line(hide(one.id), 60),
            one_line(kind_words(one), 60),
            f"{one.weight:g}",
            one_line(hide(one.evidence), _EVIDENCE),
        )
        for one in graded.criteria
    ]
    say(f"Criteria: {', '.join(graded.words)}")
    for line in format_table(_HEADS, rows, right=(3,)):
        say(f"  {line}")


def graded_of(context: Context, submission: "Submission") -> "Graded":
    """The criteria of a submission, as the store holds them where it does."""
    from benchmaker.arenas.agentic.verify.results import Graded
    from benchmaker.cli.database import existing_store

    store = existing_store(context)
    if store is None:
        return Graded.of(submission, None)
    with store:
        return Graded.from_store(store, submission)
