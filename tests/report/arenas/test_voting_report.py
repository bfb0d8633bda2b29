"""Standings by votes, as text and CSV."""

import io

import msgspec

from benchmaker.analysis.ratings.vote_ratings import PageKey, PageTotals, standings
from benchmaker.record.vote import Vote, VoteOutcome
from benchmaker.report.arenas.voting import standings_text, write_standings_csv
from benchmaker.report.tables import numbers


def votes(won, *, voters, prompts):
    """A vote for each letter of ``won``, the winner of x and y."""
    return [
        Vote(
            id=f"v{i}",
            run_id="run",
            case_id=f"p{prompts(i)}",
            model_a="x",
            model_b="y",
            left="x",
            outcome=VoteOutcome("a" if one == "x" else "b"),
            actor=f"u{voters(i)}",
            at="",
        )
        for i, one in enumerate(won)
    ]


def test_votes_that_agree_exactly_between_prompts_have_the_interval_of_single_votes():
    """24 of 36 votes for x, 4 : 2 on each of six prompts, every vote by another person."""
    made = standings(votes("xxxxyy" * 6, voters=lambda i: i, prompts=lambda i: i // 6))

    said = standings_text(made, explain=True)
    assert said.startswith("First place is undecided between x (highest rating) and y.")
    assert "1060  [981, 1139]" in said
    assert "at least independent battles" in " ".join(said.split())
    table = io.StringIO(newline="")
    write_standings_csv(made, table)
    first = made.ranking.models[0]
    assert table.getvalue().splitlines()[1].split(",")[:7] == [
        "x", "1", "1", "2", *map(str, (first.score, first.low, first.high)),
    ]  # fmt: skip


def test_voters_and_prompts_that_agree_exactly_leave_the_first_place_undecided():
    won = ["x" if (i // 6 + i) % 6 < 4 else "y" for i in range(36)]
    made = standings(votes(won, voters=lambda i: i // 6, prompts=lambda i: i % 6))

    said = standings_text(made)
    assert said.startswith("First place is undecided between x (highest rating) and y.")
    assert "1060  [981, 1139]" in said


def test_a_mean_is_rounded_as_in_the_results_of_the_run():
    """Means of 41.95: as a share of 1 it is printed as 42.0, although 41.9499… in binary."""
    pages = {
        PageKey("run", f"p{i}", model): PageTotals(total, total)
        for model, totals in (("x", (31.0, 53.9, 41.0, 41.9)), ("y", (20.0, 20.0, 20.0, 20.0)))
        for i, total in enumerate(totals)
    }
    made = standings(votes("xyxx", voters=lambda i: i, prompts=lambda i: i), pages)

    cells = [line.split() for line in standings_text(made).splitlines() if " x " in line]
    in_results = numbers.score((0.31 + 0.539 + 0.41 + 0.419) / 4)
    assert cells[-1][-3:-1] == [in_results, in_results] == ["42.0", "42.0"]


def test_kappa_is_shown_with_its_own_number_of_votes():
    """Eight votes with a winner, and three ties, which only kappa counts."""
    given = votes("xxxxyyxx" + "xxx", voters=lambda i: i, prompts=lambda i: i)
    given = [
        *given[:8],
        *(msgspec.structs.replace(it, outcome=VoteOutcome.TIE) for it in given[8:]),
    ]
    pages = {
        PageKey("run", f"p{i}", model): PageTotals(float(model == "x" or i % 3 == 0), None)
        for model in "xy"
        for i in range(11)
    }

    said = " ".join(standings_text(standings(given, pages)).split())
    alone = " ".join(standings_text(standings(given[:8], pages)).split())

    assert "of 8 decided votes, 95% CI" in said
    assert "over 11 votes, ties included." in said
    assert "over 8 votes." in alone


def test_a_one_sided_result_has_no_rating_but_the_votes_of_its_pair():
    made = standings(votes("xxx", voters=lambda i: i, prompts=lambda i: i))

    said = " ".join(standings_text(made).split())

    assert said.startswith(
        "No rating yet: x won all 3 votes against y. A rating needs a tie, or a win of each side: "
        "vote on more of their pairs."
    )
    assert "Model Against Votes Won Lost Ties Both bad" in said
    assert "x y 3 3 0 0 0" in said


def test_the_judges_of_the_mean_are_named_below_the_table_at_its_width():
    words = "The mean combines scores by different judges: j 2 pages, j with k 4 pages."
    made = standings(votes("aab", voters=lambda i: i, prompts=lambda i: i))
    below = standings_text(made, judges_words=words, width=60).rpartition("\n\n")[2]
    assert words in " ".join(below.split())
    assert max(map(len, below.splitlines())) <= 60
