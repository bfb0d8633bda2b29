"""``benchmaker bias``: tests of a board for bias towards a tool."""

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.table_formats import (
    evaluated_store,
    explain_option,
    form_options,
    profile_option,
    tell_all,
)


@declare("bias", examples=("benchmaker bias", "benchmaker bias --profile classic --json"))
@profile_option
@explain_option
@form_options
def command(context: Context, *, profile: str, form: str | None) -> None:
    """Check a board for bias.

    Compares a tool's scores with others' at the same task and outcome, and self-reported figures
    with measured ones. Counts missing figures of each tool, and measures the influence of each
    system on others through the baselines. Suspicious results are flagged, not changed.
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
