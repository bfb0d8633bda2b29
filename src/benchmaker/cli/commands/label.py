"""``benchmaker label``: human scores for correcting a judge."""

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from benchmaker.cli.base_command import FILE, run_argument
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context, stdin_is_terminal
from benchmaker.cli.options.numbers import Number
from benchmaker.cli.output.output import say, say_json, tell
from benchmaker.cli.server.audit_log import write_down, written_down
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.cli.actions.labelling import LabellingSummary
    from benchmaker.judging.labelling import LabellingQueue
    from benchmaker.scoring.judge import Scale
    from benchmaker.store import Store

_PAIR = 2


@declare(
    "label",
    examples=(
        "benchmaker label latest --by ann",
        "benchmaker label latest --by ann --n 120 --share-random 1",
        "benchmaker label latest --queue --json > queue.json",
        "benchmaker label latest --by ann < scores.csv",
        "benchmaker label latest --status",
        "benchmaker label latest --export labels.csv",
    ),
)
@run_argument
@click.option("--by", metavar="NAME", default="local", help="Who labels; default local.")
@click.option(
    "--n",
    "number",
    metavar="N",
    type=click.IntRange(1),
    default=60,
    help="How many answers this person labels in all; default 60.",
)
@click.option(
    "--share-random",
    metavar="SHARE",
    type=Number(0, 1),
    default=0.5,
    help="How much of that is drawn at random, which alone corrects means; the rest are answers "
    "whose judgments differ most. Default 0.5.",
)
@click.option(
    "--traps",
    metavar="N",
    type=click.IntRange(0, 10),
    default=4,
    help="Slip in answers whose worth is known; default 4.",
)
@click.option(
    "--seed", metavar="N", type=int, default=0, help="For the draw; default 0, for all people."
)
@click.option(
    "--scale",
    metavar="LOW HIGH",
    type=float,
    nargs=_PAIR,
    default=None,
    help="The lowest and the highest score. Default: the judge's scale, 0 10 without one; with "
    "--import 0 1.",
)
@click.option("--queue", is_flag=True, help="Print what waits to be labelled, and ask nothing.")
@click.option("--status", is_flag=True, help="Print who labelled how much, and how far all agree.")
@click.option(
    "--import",
    "source_file",
    metavar="FILE",
    type=FILE,
    help="Take labels from a file (.csv, .jsonl): case, model, score, and where known run, by, "
    "source, note.",
)
@click.option(
    "--source",
    type=click.Choice(["random", "targeted"]),
    default="targeted",
    help="How the answers of --import were chosen; random only if drawn from the whole run. "
    "Default targeted.",
)
@click.option(
    "--export",
    "target_file",
    metavar="FILE",
    type=FILE,
    help="Write everybody's labels to a file (.csv, .jsonl).",
)
def command(
    context: Context,
    *,
    run: str,
    by: str,
    queue: bool,
    status: bool,
    source_file: Path | None,
    target_file: Path | None,
    source: Literal["random", "targeted"],
    scale: tuple[float, float] | None,
    **wish: Any,  # noqa: ANN401  handed on by name
) -> None:
    """Score answers yourself, so that a judge's means can be corrected.

    RUN is a run's id, the beginning of one, a series, or latest. Answers are shown without model
    and score, each with its question and what is expected; give a score of the scale, pass or
    fail, and a remark behind it. Every label is stored at once, and what you labelled is not asked
    again. Where stdin is no terminal, lines of id and score are read from it.
    """
    if queue + status + bool(source_file) + bool(target_file) > 1:
        raise SpecError(
            "one thing at a time.", hint="Give one of --queue, --status, --import and --export."
        )
    from benchmaker.cli.database import open_store

    with open_store(context, read_only=queue or status or bool(target_file)) as store:
        run_ids = store.resolve(run).run_ids
        if status:
            _say_status(context, store, run_ids)
        elif target_file:
            _export(context, store, run_ids, target_file)
        elif source_file:
            _import(context, store, run_ids, source_file, by=by, source=source, scale=scale)
        else:
            desk = _open_queue(store, run_ids, by=by, scale=scale, **wish)
            if queue:
                _say_queue(context, desk)
            else:
                _label(context, desk, run)


def _open_queue(
    store: "Store",
    run_ids: tuple[str, ...],
    *,
    by: str,
    scale: tuple[float, float] | None,
    number: int,
    share_random: float,
    traps: int,
    seed: int,
) -> "LabellingQueue":
    from benchmaker.judging.label_queue import LabelPlan
    from benchmaker.judging.labelling import LabellingQueue

    wish = LabelPlan(number, share_random, traps, seed)
    return LabellingQueue(store, run_ids, by=_require_name(by), wish=wish, scale=_scale(scale))


def _require_name(by: str) -> str:
    if not by.strip():
        raise SpecError("whoever labels needs a name.", hint="Give --by NAME.")
    return by.strip()


def _scale(ends: tuple[float, float] | None) -> "Scale | None":
    from benchmaker.scoring.judge import Scale

    try:
        return None if ends is None else Scale(*ends)
    except ValueError as exc:
        raise SpecError(f"{exc}.", hint="Give --scale LOW HIGH.") from exc


def _label(context: Context, desk: "LabellingQueue", run: str) -> None:
    from benchmaker.cli.actions.labelling import label_from_lines, label_interactively

    settled = desk.settle()
    is_asked = stdin_is_terminal()
    with written_down(context, "label.keep", ", ".join(desk.run_ids), desk.by):
        sat = (
            label_interactively(desk, _read, tell)
            if is_asked
            else label_from_lines(desk, sys.stdin or ())
        )
    if context.use_json:
        say_json(_data(desk, sat) | {"settled": settled})
        return
    skipped = f", {sat.skipped:,} skipped" if sat.skipped else ""
    unchanged = f", {sat.unchanged:,} as before" if sat.unchanged else ""
    say(f"Labelled: {sat.labelled:,}{skipped}{unchanged}. Waiting: {len(desk.open_items):,}.")
    again = ("label", run, "--by", desk.by)
    if desk.open_items and is_asked:
        tell(f"Go on with: {context.line(*again)}")
    tell(f"See how far it has come: {context.line('label', run, '--status')}")


def _data(desk: "LabellingQueue", sat: "LabellingSummary") -> dict[str, Any]:
    return {
        "by": desk.by,
        "labelled": sat.labelled,
        "unchanged": sat.unchanged,
        "skipped": sat.skipped,
        "waiting": len(desk.open_items),
    }


def _read(prompt: str) -> str | None:
    """A line that somebody types; None at the end of input."""
    click.echo(prompt, nl=False, err=True)
    return sys.stdin.readline() or None


def _say_queue(context: Context, desk: "LabellingQueue") -> None:
    from benchmaker.cli.output.output import one_line
    from benchmaker.cli.output.table import format_table

    shown = [desk.blind_answer(item) for item in desk.open_items]
    if context.use_json:
        scale = [desk.scale.minimum, desk.scale.maximum]
        say_json({"by": desk.by, "scale": scale, "items": [it.to_dict() for it in shown]})
        return
    rows = [[it.blind_id, one_line(it.question, 36), one_line(it.answer, 36)] for it in shown]
    for line in format_table(("id", "question", "answer"), rows) if rows else ("Nothing waits.",):
        say(line)


def _say_status(context: Context, store: "Store", run_ids: tuple[str, ...]) -> None:
    from benchmaker.analysis.judges.label_status import label_status
    from benchmaker.report.judges.labels import status_text
    from benchmaker.report.runs.text import width_of

    made = label_status(store.columns(run_ids), store.labels(run_ids))
    if context.use_json:
        say_json(made.to_dict())
    else:
        say(status_text(made, width=width_of(sys.stdout)).rstrip("\n"))


def _export(context: Context, store: "Store", run_ids: tuple[str, ...], path: Path) -> None:
    from benchmaker.cli.output.key_redaction import redactor_of
    from benchmaker.report.formats.atomic import open_atomic
    from benchmaker.report.judges.labels import write_labels

    labels = store.labels(run_ids)
    with open_atomic(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        write_labels(labels, text, form=_form(path), redactor=redactor_of(context))
        text.flush()
        text.detach()
    if context.use_json:
        say_json({"written": str(path), "labels": len(labels)})
    else:
        from benchmaker.record.counts import count

        say(f"Written: {path} ({count(len(labels), 'label')})")


def _form(path: Path) -> str:
    form = path.suffix.lower().lstrip(".")
    if form not in {"csv", "jsonl"}:
        raise SpecError("labels are written as CSV or JSON lines.", where=str(path),
                        hint="Name a file that ends in .csv or .jsonl.")  # fmt: skip
    return form


def _import(
    context: Context,
    store: "Store",
    run_ids: tuple[str, ...],
    path: Path,
    *,
    by: str,
    source: Literal["random", "targeted"],
    scale: tuple[float, float] | None,
) -> None:
    from benchmaker.judging.label_files import read_label_file
    from benchmaker.report.tables.csv import unprotect_cell

    is_table = ".csv" in path.name.lower() or ".tsv" in path.name.lower()
    found = read_label_file(
        path,
        store,
        run_ids,
        by=_require_name(by),
        source=source,
        scale=scale or (0.0, 1.0),
        restore=unprotect_cell if is_table else str,
    )
    kept = store.add_labels(found)
    write_down(context, "label.keep", ", ".join(run_ids) if kept else "", by)
    if context.use_json:
        say_json({"read": len(found), "labelled": len(kept), "unchanged": len(found) - len(kept)})
        return
    as_before = f", {len(found) - len(kept):,} as before" if len(found) > len(kept) else ""
    say(f"Labelled: {len(kept):,}{as_before}.")
