"""``benchmaker notices``: waiting notices, and their delivery."""

import asyncio

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.numbers import WholeNumber
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.cli.output.table import format_table
from benchmaker.cli.server.audit_log import written_down
from benchmaker.errors import SpecError

_HEADS = ("notice", "since", "tries", "last error")
_SHOWN = 100


@declare(
    "notices",
    examples=(
        "benchmaker notices",
        "benchmaker notices deliver",
        "benchmaker notices retry evaluated:claude_code-3f2a",
    ),
)
@click.argument("action", type=click.Choice(("list", "deliver", "retry")), default="list")
@click.argument("notice", metavar="[NOTICE...]", nargs=-1)
@click.option(
    "--tries",
    metavar="N",
    type=WholeNumber(1, 100),
    default=3,
    help="Number of tries per notice. Default: 3.",
)
def command(context: Context, *, action: str, notice: tuple[str, ...], tries: int) -> ExitCode:
    """List pending notices, and deliver them.

    Receivers are configured in notices.yaml in the data folder: webhooks, commands, apprise. Use
    deliver to send all pending notices, oldest first; it stops after three in a row without
    success. Use retry to send the named notices once, or all. A notice is pending until every
    receiver has accepted it. It keeps its id, so receivers can drop duplicates.
    """
    from benchmaker.cli.database import open_store

    if action == "list":
        with open_store(context) as store:
            found = store.pending_messages(_SHOWN)
        if context.use_json:
            say_json({"notices": [_notice_data(one) for one in found]})
        else:
            _say(found)
        return ExitCode.OK
    return _deliver(context, notice, tries=1 if action == "retry" else tries, action=action)


def _notice_data(one: object) -> dict[str, object]:
    from benchmaker.store import PendingMessage

    assert isinstance(one, PendingMessage)  # noqa: S101  what the store gives
    return {
        "id": one.message.dedupe_key,
        "type": one.message.topic,
        "since": one.created_at,
        "tries": one.attempts,
        "last_error": one.last_error,
        "data": dict(one.message.body),
    }


def _say(found: tuple[object, ...]) -> None:
    rows = [_notice_data(one) for one in found]
    if not rows:
        say("No pending notices.")
        return
    cells = [
        (str(it["id"]), str(it["since"])[:16], str(it["tries"]), str(it["last_error"] or ""))
        for it in rows
    ]
    for line in format_table(_HEADS, cells, right=(2,)):
        say(line)


def _deliver(context: Context, ids: tuple[str, ...], *, tries: int, action: str) -> ExitCode:
    from benchmaker.arenas.agentic.evaluation.notices import receivers_of
    from benchmaker.cli.actions.evaluations import tell_notices
    from benchmaker.cli.database import open_store
    from benchmaker.cli.options.variables import variables
    from benchmaker.engine.jobs.notices import RetryPolicy, deliver

    receivers = receivers_of(context.home, variables(context))
    if not receivers:
        raise SpecError(
            "no receiver of notices is configured.",
            where=str(context.home / "notices.yaml"),
            hint="Add webhooks:, commands: or apprise: to it.",
        )
    give_up = 3 if action == "deliver" else 10**9
    with open_store(context, read_only=False) as store:
        work = deliver(store, receivers, policy=RetryPolicy(tries=tries, give_up=give_up), only=ids)
        with written_down(context, f"notice.{action}", ", ".join(ids) or "all"):
            made = asyncio.run(work)
    if context.use_json:
        say_json(made._asdict())
    else:
        say(f"{made.delivered:,} delivered, {made.waiting:,} pending.")
    if made.waiting and not made.errors and not made.held:
        tell("Some are no longer configured.")
    return tell_notices(context, made) if made.errors or made.held else ExitCode.OK
