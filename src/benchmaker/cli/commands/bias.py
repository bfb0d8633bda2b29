"""``benchmaker bias``: tests of a board for bias towards a tool."""

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.table_formats import (
    evaluated_store,
    form_options,
    profile_option,
    tell_all,
)


@declare("bias", examples=("benchmaker bias", "benchmaker bias --profile classic --json"))
@profile_option
@form_options
def command(context: Context, *, profile: str, form: str | None) -> None:
    """Look for bias of a board.

    Four looks: what a tool scores beside others at the same task and outcome; how often its
    figures are missing; self-reported figures beside measured ones; and whom a system moves by
    standing in the baselines. What is suspicious is flagged, not changed.
    """
    from benchmaker.arenas.agentic.boards.leaderboard import stored_bias
    from benchmaker.report.arenas.bias import bias_report, write_bias_csv

    with evaluated_store(context) as store:
        body = stored_bias(store, profile)
    tell_all(
        context,
        lambda: bias_report(body),
        form=form,
        data=lambda: body,
        csv=lambda stream: write_bias_csv(body, stream),
    )
