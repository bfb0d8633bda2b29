"""``benchmaker profile``: scoring profiles, compared and tried in the shadow."""

from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.cli.output.table_formats import (
    evaluated_store,
    explain_option,
    form_options,
    tell_all,
)
from benchmaker.cli.server.audit_log import written_down
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.spec.tasks.agentic_profile import AgenticProfile
    from benchmaker.store import Store

_COUNTS = {"list": 0, "show": 1, "compare": 2, "shadow": 1, "promote": 1, "drop": 1}
_NEEDS = {1: "one profile", 2: "two profiles"}


@declare(
    "profile",
    examples=(
        "benchmaker profile list",
        "benchmaker profile show robust",
        "benchmaker profile compare classic robust --json",
        "benchmaker profile shadow mine.yaml",
    ),
)
@click.argument("action", type=click.Choice(tuple(_COUNTS)))
@click.argument("names", metavar="[PROFILE]...", nargs=-1)
@explain_option
@form_options
def command(context: Context, *, action: str, names: tuple[str, ...], form: str | None) -> None:
    """List, show and compare scoring profiles.

    PROFILE is a name or a YAML file. Use compare to compare two profiles on all submissions:
    agreement, changed ranks, discrimination and resistance to gaming. Use shadow to evaluate each
    submission under your own profile without showing it on boards. Use promote to show it, and drop
    to end it.
    """
    if len(names) != _COUNTS[action]:
        needs = _NEEDS.get(_COUNTS[action], "no profile")
        raise SpecError(f"profile {action} takes {needs}.", hint="See: benchmaker profile --help")
    if action == "list":
        _list(context, form)
    elif action == "show":
        _show(context, names[0], form)
    elif action == "compare":
        _compare(context, names[0], names[1], form)
    else:
        _move(context, action, names[0])


def _list(context: Context, form: str | None) -> None:
    from benchmaker.arenas.agentic.evaluation.profiles import known_profiles
    from benchmaker.cli.database import existing_store
    from benchmaker.report.arenas.profiles import profiles_report
    from benchmaker.report.result_tables.scoring_profiles import PROFILES

    store = existing_store(context)
    known = list(known_profiles(store).values())
    if store is not None:
        store.close()
    tell_all(
        context,
        lambda: profiles_report(known),
        form=form,
        data=lambda: {"profiles": [_data(one, state) for one, state in known]},
        csv=lambda stream: PROFILES.write_csv(known, stream),
    )


def _show(context: Context, given: str, form: str | None) -> None:
    from benchmaker.arenas.agentic.evaluation.profiles import known_profiles, profile_named
    from benchmaker.cli.database import existing_store
    from benchmaker.report.arenas.profiles import profile_report
    from benchmaker.report.result_tables.scoring_profiles import WEIGHTS

    store = existing_store(context)
    document = profile_named(store, given)
    state = {name: at for name, (_, at) in known_profiles(store).items()}.get(document.name)
    if store is not None:
        store.close()
    tell_all(
        context,
        lambda: profile_report(document, state or "file"),
        form=form,
        data=lambda: _data(document, state or "file"),
        csv=lambda stream: WEIGHTS.write_csv(document, stream),
    )


def _compare(context: Context, a: str, b: str, form: str | None) -> None:
    from benchmaker.arenas.agentic.evaluation.profile_comparison import compared_profiles
    from benchmaker.arenas.agentic.evaluation.profiles import profile_named
    from benchmaker.report.arenas.profiles import profile_comparison_report, write_moves_csv

    with evaluated_store(context) as store:
        pair = profile_named(store, a), profile_named(store, b)
        made, submissions = compared_profiles(store, *pair)
    tell_all(
        context,
        lambda: profile_comparison_report(made, submissions),
        form=form,
        data=lambda: {"submissions": submissions, **made.to_dict()},
        csv=lambda stream: write_moves_csv(made, stream),
    )


def _move(context: Context, action: str, given: str) -> None:
    from benchmaker.arenas.agentic.evaluation.profiles import (
        profile_named,
        put_profile,
        settle_boards,
    )
    from benchmaker.cli.database import open_store

    state = {"shadow": "shadow", "promote": "active", "drop": "dropped"}[action]
    with (
        open_store(context, read_only=False) as store,
        written_down(context, f"profile.{action}", given) as ids,
    ):
        document = profile_named(store, given)
        ids.append(document.id)
        put_profile(store, document, state)  # type: ignore[arg-type]  # one of the three
        if action != "drop" and store.agentic.metric_tasks():
            _settle(store, document)
            settle_boards(store, document)
    if context.use_json:
        say_json(_data(document, state))
        return
    words = {
        "shadow": f"{document.id} is computed for each submission and not shown on boards.",
        "promote": f"{document.id} is shown: benchmaker leaderboard --profile {document.name}",
        "drop": f"{document.id} is no longer computed; its evaluations are kept.",
    }
    say(words[action])
    if action == "shadow":
        tell(f"Compare it with: {context.line('profile', 'compare', 'robust', document.name)}")


def _settle(store: "Store", document: "AgenticProfile") -> None:
    """Evaluate stored submissions under the profile."""
    from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
    from benchmaker.arenas.agentic.evaluation.profile_columns import own_weights
    from benchmaker.arenas.agentic.settling.settling import settle_tasks

    at_work = ProfileAtWork(document, own_weights(store.agentic.tasks()))
    settle_tasks(store, at_work, store.agentic.metric_tasks())


def _data(document: "AgenticProfile", state: str) -> dict[str, Any]:
    return {"id": document.id, "state": state, **document.model_dump(mode="json")}
