"""``benchmaker explain``: the arithmetic of one score, or of a submission's figures."""

import sys

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.criteria import say_criteria
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.cli.output.table import window_width
from benchmaker.errors import SpecError

_WIDE = 100


@declare(
    "explain",
    examples=(
        "benchmaker explain latest capital-france --model illustrative-b",
        "benchmaker explain 20261120-7f3k2m eggs-sold --json",
        "benchmaker explain claude_code-3f2a",
        "benchmaker explain claude_code-3f2a --profile robust",
    ),
)
@click.argument("run", metavar="RUN|SUBMISSION")
@click.argument("case", metavar="[CASE]", required=False)
@click.option(
    "--model",
    metavar="NAME",
    help="The model or setup, or enough of its parts to name one: --model plain,low. Optional if "
    "there is only one.",
)
@click.option(
    "--profile", metavar="NAME|FILE", help="SUBMISSION: only the evaluation under this profile."
)
def command(
    context: Context, *, run: str, case: str | None, model: str | None, profile: str | None
) -> None:
    """Explain a score or a submission's figures by recalculating them.

    RUN is a run id, a prefix of one, a series, or latest, and requires CASE. SUBMISSION is the id
    of an imported coding session, or a prefix of it.

    A submission's figures are printed with every term of its evaluation and the baseline used,
    under robust or another profile that evaluated it. With --profile, only the evaluation under
    that profile is printed. The result of each criterion follows, with its evidence.
    """
    if profile is not None and case is None:
        _explain_evaluation(context, run, profile)
    elif case is None:
        _explain_submission(context, run)
    else:
        _explain_score(context, run, case, model)


def _explain_evaluation(context: Context, text: str, profile: str) -> None:
    from benchmaker.arenas.agentic.evaluation.explanation import explain_evaluation
    from benchmaker.arenas.agentic.evaluation.profiles import profile_named
    from benchmaker.cli.database import open_store

    with open_store(context) as store:
        document = profile_named(store, profile)
        made = explain_evaluation(store, store.find_submission(text), document)
    if context.use_json:
        say_json(made.to_dict())
        return
    for line in made.lines():
        say(line)
    say_criteria(context, made.graded)


def _explain_score(context: Context, run: str, case: str, model: str | None) -> None:
    from benchmaker.cli.actions.explaining import explanations
    from benchmaker.cli.output.key_redaction import redactor_of
    from benchmaker.report.tables.width import window_of

    found = explanations(context, run, case, model=model)
    width = None if sys.stdout is None else window_of(sys.stdout)
    hide = redactor_of(context)
    if context.use_json:
        data = [one.to_dict(redactor=hide) for one in found]
        say_json(data[0] if len(data) == 1 else {"scale": "0-1", "explanations": data})
        return
    for number, one in enumerate(found):
        if number:
            say()
        say(one.text(redactor=hide, width=width).rstrip("\n"))


def _explain_submission(context: Context, text: str) -> None:
    from benchmaker.arenas.agentic.evaluation.explanation import opening_evaluation
    from benchmaker.arenas.agentic.traces.trace import build_trace, stored_source
    from benchmaker.arenas.agentic.verify.results import Graded
    from benchmaker.cli.actions.run_or_submission import find_submission_id
    from benchmaker.cli.database import open_store
    from benchmaker.providers.prices.costs import Prices
    from benchmaker.report.arenas.submission_explained import (
        explained_data,
        explained_text,
    )

    with open_store(context) as store:
        name = find_submission_id(store, text)
        if name is None:
            hint = f"Add a case: benchmaker explain {text} CASE"
            raise SpecError(f"{text!r} is a run; explain works on one case.", hint=hint)
        made = build_trace(stored_source(store, name), Prices(context.home), content=False)
        graded = Graded.from_store(store, made.submission)
        scored = opening_evaluation(store, name)
    if context.use_json:
        of_score = {"evaluation": scored.score_data if scored else None}
        say_json({**explained_data(made), **of_score, **graded.to_dict()})
        return
    say(explained_text(made, width=min(window_width(), _WIDE)).rstrip("\n"))
    if scored is not None:
        say()
        for line in scored.lines():
            say(line)
    if graded.criteria:
        say()
        say_criteria(context, graded)
    if scored is None and made.submission.task is not None:
        tell(f"Not evaluated yet. Evaluate it with: {context.line('evaluate')}")
