"""``benchmaker baselines``: the reference of submissions."""

from typing import TYPE_CHECKING

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.name_lookup import refuse_unknown, unknown_name_error
from benchmaker.cli.output.table_formats import (
    evaluated_store,
    explain_option,
    form_options,
    profile_option,
    tell_all,
)
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record.submissions.metrics import TokensView
    from benchmaker.store import Store


@declare(
    "baselines",
    examples=(
        "benchmaker baselines",
        "benchmaker baselines fix-the-parser --profile classic --json",
        "benchmaker baselines --system 'codex · gpt-5'",
    ),
)
@click.argument("task", metavar="[TASK]", required=False)
@profile_option
@click.option("--system", metavar="NAME", help="Show typical figures of this system at each task.")
@explain_option
@form_options
def command(
    context: Context, *, task: str | None, profile: str, system: str | None, form: str | None
) -> None:
    """List baselines.

    Lists the newest baseline of every task, or all snapshots of one task. A baseline is frozen and
    numbered; its hash identifies its contents.
    """
    from benchmaker.arenas.agentic.evaluation.profiles import profile_named

    with evaluated_store(context) as store:
        if system is not None:
            tokens = profile_named(store, profile).tokens
            _say_system(context, store, system, task, form, tokens=tokens)
        else:
            _say_task(context, store, profile, task, form)


def _say_task(
    context: Context, store: "Store", profile: str, task: str | None, form: str | None
) -> None:
    from benchmaker.arenas.agentic.evaluation.profiles import profile_named, refuse_shadow
    from benchmaker.report.arenas.baselines import (
        baselines_report,
        task_baseline_report,
        write_baselines_csv,
    )

    document = profile_named(store, profile)
    refuse_shadow(store, document)
    if task is None:
        found = [store.agentic.snapshot(document.id, one) for one in store.agentic.metric_tasks()]
        shown = [one for one in found if one is not None]
    else:
        shown = list(store.agentic.snapshots(document.id, _known_task(store, task)))
    if not shown:
        raise SpecError(
            f"no baseline under {document.id}{f' of {task!r}' if task else ''}.",
            hint=f"Create baselines with: {context.line('evaluate', 'FILE', '--profile', profile)}",
        )
    tell_all(
        context,
        lambda: (
            task_baseline_report(document.id, task, shown)
            if task
            else baselines_report(document.id, shown)
        ),
        form=form,
        data=lambda: {"profile": document.id, "task": task, "baselines": shown},
        csv=lambda stream: write_baselines_csv(shown, stream),
    )


def _say_system(
    context: Context,
    store: "Store",
    system: str,
    task: str | None,
    form: str | None,
    *,
    tokens: "TokensView",
) -> None:
    from benchmaker.analysis.composite.system_baselines import system_baselines
    from benchmaker.report.arenas.baselines import system_baseline_report, write_system_csv

    everything = list(store.agentic.metrics(task and _known_task(store, task)))
    rows = [row for row in everything if row.system == system]
    if not rows:
        raise unknown_name_error(system, {row.system for row in everything}, "system")
    usual = system_baselines(rows, tokens=tokens)
    rows.sort(key=lambda row: row.order)
    recent = {one.task_id: [row for row in rows if row.task_id == one.task_id] for one in usual}
    tell_all(
        context,
        lambda: system_baseline_report(system, usual, recent),
        form=form,
        data=lambda: {"system": system, "baselines": [one.to_dict() for one in usual]},
        csv=lambda stream: write_system_csv(usual, stream),
    )


def _known_task(store: "Store", task: str) -> str:
    refuse_unknown(task, store.agentic.metric_tasks(), "task with submissions")
    return task
