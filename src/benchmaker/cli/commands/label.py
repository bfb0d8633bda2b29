"""``benchmaker label``: human scores for correcting a judge."""

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from benchmaker.cli.base_command import FILE, run_argument
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context, stdin_is_terminal
from benchmaker.cli.options.numbers import Number, WholeNumber
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
@click.option("--by", metavar="NAME", default="local", help="Name of the labeller. Default: local.")
@click.option(
    "--n",
    "number",
    metavar="N",
    type=WholeNumber(1),
    default=60,
    help="Total number of answers for this person. Default: 60.",
)
@click.option(
    "--share-random",
    metavar="SHARE",
    type=Number(0, 1),
    default=0.5,
    help="Share of answers drawn at random; only these correct means. The others have the most "
    "divergent judgments. Default: 0.5.",
)
@click.option(
    "--traps",
    metavar="N",
    type=WholeNumber(0, 10),
    default=4,
    help="Number of control answers with known scores. Default: 4.",
)
@click.option(
    "--seed",
    metavar="N",
    type=int,
    default=0,
    help="Seed of the draw, the same for everybody. Default: 0.",
)
@click.option(
    "--scale",
    metavar="LOW HIGH",
    type=float,
    nargs=_PAIR,
    default=None,
    help="Lowest and highest score. Default: the judge's scale, else 0 10; with --import, 0 1.",
)
@click.option(
    "--queue", is_flag=True, help="Print the answers waiting for labels, without prompting."
)
@click.option(
    "--status", is_flag=True, help="Print the number of labels per person and the agreement of all."
)
@click.option(
    "--import",
    "source_file",
    metavar="FILE",
    type=FILE,
    help="Import labels from a .csv or .jsonl file with case, model and score, and optionally "
    "run, by, source and note.",
)
@click.option(
    "--source",
    type=click.Choice(["random", "targeted"]),
    default="targeted",
    help="Selection of the answers in --import; random only if drawn from the whole run. Default: "
    "targeted.",
)
@click.option(
    "--export",
    "target_file",
    metavar="FILE",
    type=FILE,
    help="Export everybody's labels to a .csv or .jsonl file.",
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
    """Score answers yourself to correct a judge's means.

    RUN is a run id, a prefix of one, a series, or latest. Each answer is shown with its question
    and expected text, without model and score. Enter a score on the scale, pass or fail, optionally
    followed by a remark. Labels are stored at once, and labelled answers are not shown again. If
    stdin is not a terminal, lines of id and score are read from it.
    """
    if queue + status + bool(source_file) + bool(target_file) > 1:
        raise SpecError(
            "too many actions.", hint="Use only one of --queue, --status, --import and --export."
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
            label_queue = _open_queue(store, run_ids, by=by, scale=scale, **wish)
            if queue:
                _say_queue(context, label_queue)
            else:
                _label(context, label_queue, run)


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
        raise SpecError("labels need the name of a person.", hint="Add --by NAME.")
    return by.strip()


def _scale(ends: tuple[float, float] | None) -> "Scale | None":
    from benchmaker.scoring.judge import Scale

    try:
        return None if ends is None else Scale(*ends)
    except ValueError as exc:
        raise SpecError(f"{exc}.", hint="Add --scale LOW HIGH.") from exc


def _label(context: Context, queue: "LabellingQueue", run: str) -> None:
    from benchmaker.cli.actions.labelling import label_from_lines, label_interactively

    settled = queue.settle()
    is_interactive = stdin_is_terminal()
    with written_down(context, "label.keep", ", ".join(queue.run_ids), queue.by):
        sat = (
            label_interactively(queue, _read, tell)
            if is_interactive
            else label_from_lines(queue, sys.stdin or ())
        )
    if context.use_json:
        say_json(_data(queue, sat) | {"settled": settled})
        return
    skipped = f", {sat.skipped:,} skipped" if sat.skipped else ""
    unchanged = f", {sat.unchanged:,} unchanged" if sat.unchanged else ""
    say(f"Labelled: {sat.labelled:,}{skipped}{unchanged}. Waiting: {len(queue.open_items):,}.")
    again = ("label", run, "--by", queue.by)
    if queue.open_items and is_interactive:
        tell(f"Continue with: {context.line(*again)}")
    tell(f"Show progress: {context.line('label', run, '--status')}")


def _data(queue: "LabellingQueue", sat: "LabellingSummary") -> dict[str, Any]:
    return {
        "by": queue.by,
        "labelled": sat.labelled,
        "unchanged": sat.unchanged,
        "skipped": sat.skipped,
        "waiting": len(queue.open_items),
    }


def _read(prompt: str) -> str | None:
    """A line that somebody types; None at the end of input."""
    click.echo(prompt, nl=False, err=True)
    return sys.stdin.readline() or None


def _say_queue(context: Context, queue: "LabellingQueue") -> None:
    from benchmaker.cli.output.output import one_line
    from benchmaker.cli.output.table import format_table

    shown = [queue.blind_answer(item) for item in queue.open_items]
    if context.use_json:
        scale = [queue.scale.minimum, queue.scale.maximum]
        say_json({"by": queue.by, "scale": scale, "items": [it.to_dict() for it in shown]})
        return
    rows = [[it.blind_id, one_line(it.question, 36), one_line(it.answer, 36)] for it in shown]
    for line in format_table(("id", "question", "answer"), rows) if rows else ("Nothing waits.",):
        say(line)


def _say_status(context: Context, store: "Store", run_ids: tuple[str, ...]) -> None:
    from benchmaker.analysis.judges.label_status import label_status
    from benchmaker.report.judges.labels import status_text
    from benchmaker.report.tables.width import width_of

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
        raise SpecError("unknown format of labels.", where=str(path),
                        hint="Use a file name that ends in .csv or .jsonl.")  # fmt: skip
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
    from benchmaker.spec.documents.formula_cells import unprotect_cell

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
