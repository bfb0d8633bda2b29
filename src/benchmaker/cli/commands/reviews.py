"""``benchmaker reviews``: flagged submissions and the decisions on them."""

from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_hint, say_json, tell
from benchmaker.cli.server.audit_log import written_down
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.submissions.reviews import ReviewRow


@declare(
    "reviews",
    examples=(
        "benchmaker reviews",
        "benchmaker reviews --state quarantined --json",
        "benchmaker reviews decide claude_code-3f2a --quarantine --note cheat",
    ),
)
@click.argument("action", type=click.Choice(("list", "decide")), default="list")
@click.argument("submission", required=False)
@click.option(
    "--state",
    type=click.Choice(("open", "cleared", "quarantined")),
    help="list: only this state. Default: all.",
)
@click.option("--clear", "is_clear", is_flag=True, help="decide: clear the submission.")
@click.option("--quarantine", "is_quarantine", is_flag=True, help="decide: exclude the submission.")
@click.option("--note", default="", metavar="TEXT", help="decide: reason for the decision.")
@click.option("--actor", default="local", metavar="NAME", help="decide: name of the decider.")
@click.option("--profile", metavar="FILE", help="decide: also recalculate under your own profile.")
def command(
    context: Context,
    *,
    action: str,
    submission: str | None,
    state: str | None,
    is_clear: bool,
    is_quarantine: bool,
    note: str,
    actor: str,
    profile: str | None,
) -> None:
    """Review flagged submissions.

    Each flag is a suspicion with its evidence. A quarantined submission is removed from the
    baseline and the ranks, and its task is recalculated. It stays listed, and every decision is
    kept.
    """
    if action == "list":
        _list(context, state)
        return
    if submission is None or is_clear == is_quarantine:
        raise SpecError(
            "a decision needs a submission and either --clear or --quarantine.",
            hint="Example: benchmaker reviews decide SUBMISSION --quarantine --note WHY",
        )
    wanted = "cleared" if is_clear else "quarantined"
    _decide(context, submission, wanted, note=note, actor=actor, profile=profile)


def _list(context: Context, state: str | None) -> None:
    from benchmaker.arenas.agentic import reviews
    from benchmaker.cli.database import refuse_without_store

    refuse_without_store(context)
    found = reviews(state=state, home=context.home, store=context.store_url)
    if context.use_json:
        say_json({"reviews": [one.to_dict() for one in found]})
        return
    for one in found:
        _say(context, one)
    if not found:
        say("No flagged submissions." if state is None else f"None is {state}.")
    elif any(str(one.review.state) == "open" for one in found):
        line = context.line("reviews", "decide", "SUBMISSION", "--clear")
        tell(f"Decide, also with --quarantine: {line}")


def _say(context: Context, one: "ReviewRow") -> None:
    review = one.review
    note = f": {review.note}" if review.note else ""
    by = "" if str(review.state) == "open" else f" by {review.actor}{note}"
    say(f"{one.submission_id}  {review.state}{by}")
    say(f"  task {one.task_id or 'none'}, {one.system}")
    for flag in one.flags:
        say(f"  {flag.kind} ({flag.source}): {flag.evidence}")
    say_hint(context.complete(f"  Look: benchmaker trace {one.submission_id}"))
    say()


def _decide(
    context: Context, submission: str, state: str, *, note: str, actor: str, profile: str | None
) -> None:
    from benchmaker.arenas.agentic import decide_submission_review
    from benchmaker.cli.database import refuse_without_store
    from benchmaker.spec.tasks.agentic_profile import load_profile

    refuse_without_store(context)
    with written_down(context, "review.decide", submission, state):
        made = decide_submission_review(
            submission,
            state,
            note=note,
            actor=actor,
            profile=load_profile(profile) if profile else None,
            home=context.home,
            store=context.store_url,
        )
    if context.use_json:
        say_json({"review": made.review, "settled": made.settled, "left": made.left})
        return
    say(f"{made.review.submission_id} is {made.review.state}.")
    if made.settled:
        say(f"Its task settled again under {', '.join(made.settled)}.")
    for one in made.left:
        tell(f"Not settled under {one}: evaluate again with the file of that profile.")
