"""The input of ``benchmaker rank``, and its output formats."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from benchmaker.analysis.ratings.battles import Rounds
from benchmaker.analysis.ratings.label_contradictions import ranked_with_labels
from benchmaker.analysis.ratings.ranking import Ranking
from benchmaker.analysis.ratings.rate import rank
from benchmaker.cli.actions.vote_file import read_votes
from benchmaker.cli.context import Context
from benchmaker.cli.options.run_selection import SelectedRuns, select_runs
from benchmaker.errors import DisconnectedBattles, SpecError
from benchmaker.record import Run
from benchmaker.report.runs.ranking import ranking_markdown, ranking_text, write_ranking_csv
from benchmaker.report.tables.width import width_of


@dataclass(frozen=True, slots=True)
class Rankable:
    """Scores of runs, or votes."""

    source: SelectedRuns | Rounds

    @property
    def runs(self) -> tuple[Run, ...]:
        """The records of the runs, under one version of their suite; votes have none."""
        return self.source.runs if isinstance(self.source, SelectedRuns) else ()

    @property
    def stored_runs(self) -> tuple[Run, ...]:
        """The runs with their original versions."""
        return self.source.stored if isinstance(self.source, SelectedRuns) else ()

    @classmethod
    def of(
        cls,
        context: Context,
        names: Sequence[str],
        votes: Path | None,
        *,
        models: Sequence[str],
        style: Sequence[str],
    ) -> "Rankable":
        """Return the runs in the arguments, or the votes in a file."""
        if votes is None:
            if style:
                raise SpecError("--style needs votes.", hint="Add --votes FILE.")
            return cls(select_runs(context, names))
        if names or models:
            what = "Runs" if names else "Models"
            raise SpecError(
                f"{what} and votes exclude each other.", hint="Give either RUN or --votes."
            )
        return cls(read_votes(votes, features=style))

    @property
    def is_complete(self) -> bool:
        """True if every run has finished; always true for votes."""
        return isinstance(self.source, Rounds) or self.source.is_complete

    def rank(self, **settings: Any) -> Ranking:  # noqa: ANN401  as rank takes them
        """Return the ranking; remedies for unconnected battles are given as options."""
        try:
            made = rank(self.source, self.runs, **settings)
        except DisconnectedBattles as error:
            what = "Collect more votes" if isinstance(self.source, Rounds) else "Run more cases"
            hint = f"{what}, or use --method win_rate or --prior 1."
            raise DisconnectedBattles(error.message, hint=hint) from error
        if isinstance(self.source, Rounds):
            return made
        made = ranked_with_labels(made, self.source.scores, self.source.labels)
        return replace(made, warnings=(*self.source.warnings, *made.warnings))

    def write(self, ranking: Ranking, stream: TextIO, *, form: str) -> None:
        """As text, explained or not, as Markdown or CSV."""
        if form == "csv":
            write_ranking_csv(ranking, stream)
        elif form == "markdown":
            stream.write(ranking_markdown(ranking, self.stored_runs))
        else:
            explain, width = form == "explain", width_of(stream)
            stream.write(ranking_text(ranking, self.stored_runs, explain=explain, width=width))
