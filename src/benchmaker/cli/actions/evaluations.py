"""Output of evaluations: a table for every task, or JSON row by row."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import TYPE_CHECKING, Any

from benchmaker.cli.actions.log_intake import exit_code, stored_counts, tell_unread, unread_data
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.criteria import say_criteria
from benchmaker.cli.output.output import json_text, say, say_json_part, say_wrapped, tell
from benchmaker.cli.output.table import window_width
from benchmaker.record.counts import count

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.evaluation.rows import Evaluated, EvaluatedRow
    from benchmaker.arenas.agentic.sessions.importing import Imported
    from benchmaker.engine.jobs.notices import DeliveryResult

_SHOWN = 25
_INDENT = "  "
_EVERY_S = 5.0


class EvaluationProgress:
    """A line every few seconds with the number of items done in each step."""

    def __init__(self, *, quiet: bool = False, every_s: float = _EVERY_S) -> None:
        self._quiet, self._every_s = quiet, every_s
        self._last = time.monotonic()
        self._done: Counter[str] = Counter()

    def update(self, step: str, done: int) -> None:
        """Count, and report at intervals."""
        self._done[step] += done
        now = time.monotonic()
        if not self._quiet and now - self._last >= self._every_s:
            self._last = now
            tell(" · ".join(f"{name} {n:,}" for name, n in self._done.items()))


class Printer:
    """Prints the rows of one task after the other, and counts them."""

    def __init__(self, context: Context, profile: str) -> None:
        self._context, self._profile = context, profile
        self._waiting = ""
        self.reasons: Counter[str] = Counter()
        self.stand_ins: Counter[str] = Counter()
        self._correctness: set[float] = set()
        self.tasks = 0
        self._without_task = 0
        self.totals_alone = 0

    def task(self, rows: "Sequence[EvaluatedRow]") -> None:
        """Print the submissions of a task."""
        self.reasons.update(row.words for row in rows)
        self.stand_ins.update(part for row in rows for part in row.stand_ins)
        weights = (row.correctness_weight for row in rows)
        self._correctness.update(weight for weight in weights if weight is not None)
        self.totals_alone += sum(row.has_total_alone for row in rows)
        self.tasks += any(row.task_id is not None for row in rows)
        self._without_task += sum(row.task_id is None for row in rows)
        if self._context.use_json:
            for row in rows:
                self._say_row(row)
        elif rows[0].task_id is not None:
            _say_table(rows)

    def end(self, made: "Evaluated") -> None:
        """Finish the JSON, or print the summary; with the criteria of a single submission."""
        graded = made.graded
        if self._context.use_json:
            read = unread_data(made.imported) if made.imported is not None else {}
            evaluated = {"stored": made.stored_counts, "left_out": self._left_out()}
            self._say_last(evaluated | read | (graded.to_dict() if graded else {}))
            return
        if graded is not None and graded.criteria:
            say_criteria(self._context, graded)
            say()
        if made.imported is not None and made.imported.kept:
            say(f"{stored_counts(made.imported)}.")
        total = sum(self.reasons.values())
        if not total:
            self._say_nothing(made)
            return
        with_task = total - self._without_task
        of_tasks = f"{count(with_task, 'submission')} to {count(self.tasks, 'task')}"
        without = f"; {self._without_task:,} without a task" if self._without_task else ""
        say_wrapped(f"{of_tasks} under {self._profile}{without}.")
        for words, n in self.reasons.most_common():
            if words:
                say(f"{n:>7,}  {words}")
        self._tell_without_task()
        self._say_stand_ins()
        for one in self._left_out():
            whose = count(one["submissions"], "submission")
            say(f"{one['figure'].capitalize()} of {whose} excluded: {one['reason']}.")
        self._say_weights()

    def _tell_without_task(self) -> None:
        """Say what a leaderboard needs, if no submission has a task."""
        if not self.tasks:
            line = self._context.line("submit", "LOG", "--task", "TASK")
            tell(f"Boards need submissions with a task. Submit one with: {line}")

    def _left_out(self) -> list[dict[str, Any]]:
        """The figures that are not used of some submissions, and why."""
        from benchmaker.arenas.agentic.evaluation.rows import left_out_figures

        return left_out_figures(self.totals_alone)

    def _say_nothing(self, made: "Evaluated") -> None:
        """Say why nothing was evaluated."""
        if made.imported is None:
            say("No submissions.")
            tell(f"Import some: {self._context.line('import', 'PATH')}")
        elif made.imported.is_refused:
            say("Nothing evaluated: all input was rejected.")
        else:
            say("Nothing evaluated: no submissions found.")

    def _say_weights(self) -> None:
        if not self._correctness:
            return
        from numpy import array

        from benchmaker.analysis.boards.board_notes import weights_notes

        for line in weights_notes(array(sorted(self._correctness))):
            say(f"{line[0].upper()}{line[1:]}.")

    def _say_stand_ins(self) -> None:
        from benchmaker.analysis.composite.result import STAND_INS

        for part, n in self.stand_ins.most_common():
            say(f"{n:>7,}  stand-in: {STAND_INS[part]}")

    def _say_row(self, row: "EvaluatedRow") -> None:
        """Say the row before this one: only then it is known that a comma follows it."""
        if self._waiting:
            say_json_part(f"{self._waiting},")
        else:
            self._begin()
        self._waiting = indent(json_text(row.to_dict()), "    ")

    def _say_last(self, more: Mapping[str, Any]) -> None:
        if self._waiting:
            say_json_part(self._waiting)
        else:
            self._begin()
        say_json_part("  ]" + "".join(_field(name, it) for name, it in more.items()) + "\n}")

    def _begin(self) -> None:
        head = f'{{\n  "scale": "0-100",\n  "profile": {json_text(self._profile)},'
        say_json_part(f'{head}\n  "evaluations": [')


def _field(name: str, value: Any) -> str:  # noqa: ANN401  whatever encodes as JSON
    return f',\n  "{name}": {indent(json_text(value), "  ").lstrip()}'


def tell_end(context: Context, made: "Evaluated") -> ExitCode:
    """Report unreadable parts, and the result of the notices."""
    if made.imported is not None:
        tell_unread(made.imported)
    code = _code_of(made.imported) if made.imported is not None else ExitCode.OK
    return tell_notices(context, made.notices) or code


def _code_of(imported: "Imported") -> ExitCode:
    """Return the exit code of the input; a table without rows is nothing to evaluate."""
    is_nothing = not imported.submissions and bool(imported.empty)
    return ExitCode.USAGE if is_nothing else exit_code(imported)


def tell_notices(context: Context, notices: "DeliveryResult | None") -> ExitCode:
    """Report the result of the notices; waiting ones make it partial."""
    if notices is None:
        return ExitCode.OK
    for error in notices.errors:
        tell(f"Not delivered: {error}")
    if notices.held:
        tell("Another process is delivering notices.")
    if notices.waiting:
        again = context.line("notices", "deliver")
        tell(f"{count(notices.waiting, 'notice')} not delivered yet. Deliver with: {again}")
    return ExitCode.PARTIAL if notices.errors else ExitCode.OK


def _say_table(rows: "Sequence[EvaluatedRow]") -> None:
    """Print the rows of a task, with the ids from their source table if any have one."""
    from benchmaker.report.result_tables.evaluations import EVALUATIONS
    from benchmaker.report.tables.table import omitted_columns_note

    task = rows[0].task_id
    known = [row.snapshot for row in rows if row.snapshot is not None]
    baseline = f", baseline {known[0]}" if known else ""
    total = len(rows)
    say(f"{task}: {count(total, 'submission')}{baseline}")
    table, width = EVALUATIONS.table(rows[:_SHOWN]), window_width() - len(_INDENT)
    say(indent(table.grid_text(width=width), _INDENT).rstrip("\n"))
    if hidden := table.omitted_names(width):
        say_wrapped(omitted_columns_note(hidden, window_width()))
    if total > _SHOWN:
        say(f"  … and {total - _SHOWN:,} more")
    say()
