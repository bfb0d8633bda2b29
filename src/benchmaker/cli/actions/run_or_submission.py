"""A word on the command line that may mean a run or a submission."""

from typing import TYPE_CHECKING, Any

from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record.submissions.submission import Submission
    from benchmaker.store import Store

_LATEST = "latest"


def find_submission_id(store: "Store", text: str) -> str | None:
    """Return the id of the named submission, None for a run or a series.

    Runs take precedence; ``latest`` is a submission only if there is no run. A row's id in its
    source table takes precedence over a prefix of a run's id.

    Raises:
        SpecError: unknown name, or several submissions match.
    """
    try:
        found = store.resolve(text)
    except SpecError as no_run:
        return _submission(store, text, no_run)
    is_run = text in {_LATEST, found.series_id, *found.run_ids}
    return None if is_run or not store.agentic.has_row(text) else store.find_submission(text)


def _submission(store: "Store", text: str, no_run: SpecError) -> str:
    try:
        return store.find_submission(text)
    except SpecError as no_submission:
        if text == _LATEST or not no_run.message.startswith("there is no run"):
            raise no_run from no_submission
        if "may be any of" in no_submission.message:
            raise
        raise SpecError(
            f"there is no run or submission {text!r}.",
            hint="List them with: benchmaker runs, benchmaker usage --by session",
        ) from no_submission


def submission_data(submission: "Submission") -> dict[str, Any]:
    """A submission with its tool's metrics, each with its value or why it is missing."""
    from benchmaker.analysis.composite.tool_metrics import tool_metrics

    metrics = {it.name: it.to_dict() for it in tool_metrics(submission)}
    return {"submission": submission, "metrics": metrics}
