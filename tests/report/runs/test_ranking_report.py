import csv
import io
from dataclasses import replace

import pytest

from benchmaker.analysis import rank
from benchmaker.report.result_tables.ranks import RANKS, rank_range
from benchmaker.report.runs.ranking import (
    ranking_markdown,
    ranking_table,
    ranking_text,
    write_ranking_csv,
)


@pytest.fixture
def ranked(a_trial):
    def make(**more):
        passed = {"aurora": (0, 28), "basalt": (3, 22), "cobalt": (9, 26)}
        trials = [
            a_trial(at, float(low <= at < high), model=model)
            for model, (low, high) in passed.items()
            for at in range(30)
        ]
        return rank(trials, **more)

    return make


def test_a_ranking_as_text(ranked):
    assert ranking_text(ranked(), explain=True) == SNAPSHOT


SNAPSHOT = """\
aurora comes first (95% confidence).

   Rank          Rating        95% CI  P(first)  Battles  Won  Tied  Lost
 95% CI  Model
─────────────────────────────────────────────────────────────────────────
1 [1–1]  aurora    1080  [1043, 1117]     99.9%       60   20    40     0
2 [2–3]  basalt     972   [930, 1014]    < 0.1%       60    6    41    13
3 [2–3]  cobalt     948    [903, 993]    < 0.1%       60    4    39    17

Rank: place and its 95% CI (simultaneous; ranks differ only if compare finds a
difference).
Rating: 1000 is average; 400 points are odds of ten to one.
Method: Bradley-Terry, ties as half wins, sandwich over 30 clusters (CR1, at
least independent battles), t(29).
Battle: two models compared on one case or in one vote. Cluster: battles that
depend on each other, such as those of one case, group of cases or voter.
Each case is a battle for each pair of models, won by the higher score: 90
battles in 30 cases.
"""


def test_without_explanation_one_line_below_the_table_names_the_option(ranked):
    brief = SNAPSHOT.partition("\nRank: ")[0] + "\nMethods and notes: add --explain.\n"
    assert ranking_text(ranked()) == brief


def test_battles_are_counted_and_their_weights_stand_apart(a_trial):
    scores = {"aurora": [1.0] * 6, "basalt": [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]}
    trials = [
        a_trial(at, score, model=model, weight=10.0 if at == 0 else 1.0)
        for model, own in scores.items()
        for at, score in enumerate(own)
    ]
    made = rank(trials, prior=1)
    best = made.models[0]
    assert (best.n_battles, best.wins, best.ties, best.losses) == (6, 3, 3, 0)
    assert (best.weighted_wins, best.weighted_ties, best.weighted_losses) == (12.0, 3.0, 0.0)
    table = ranking_table(made)
    assert [one.label for one in table.columns][-7:] == [
        "Battles", "Won", "Tied", "Lost", "Won, by weight", "Tied, by weight", "Lost, by weight",
    ]  # fmt: skip
    assert table.rows[0][-7:] == ("6", "3", "3", "0", "12", "3", "0")
    stream = io.StringIO()
    write_ranking_csv(made, stream)
    row = next(csv.DictReader(io.StringIO(stream.getvalue())))
    assert (row["wins"], row["weighted_wins"]) == ("3", "12.0")
    assert made.to_dict()["models"][0]["weighted_wins"] == 12.0


def test_a_share_is_shown_in_per_cent(ranked):
    text = ranking_text(ranked(method="win_rate"))
    assert "Win rate" in text
    assert "%]" in text


def test_order_dependent_ratings_say_so(ranked):
    assert "The order of the battles changes these ratings." in ranking_text(ranked(method="elo"))


def test_markdown_has_the_same_table(ranked):
    assert "| Rank, 95% CI | Model | Rating | 95% CI | P(first) |" in ranking_markdown(ranked())


def test_a_chance_is_never_quite_nothing_or_all(ranked):
    made = ranked()
    (chance,) = (column for column in RANKS.columns if column.name == "p_top")
    rows = [replace(made.models[0], p_top=p) for p in (0.0, 0.5, 1.0, None)]
    assert [chance.cell(row, made) for row in rows] == [
        "< 0.1%",
        "50.0%",
        "> 99.9%",
        "unknown",
    ]


def test_a_rank_is_a_range(ranked):
    one = replace(ranked().models[0], rank=2, best=1, worst=3)
    assert rank_range(one) == "2 [1–3]"
    assert rank_range(replace(one, best=None, worst=None)) == "2"
    assert rank_range(replace(one, rank=None)) == "not ranked"


def test_hostile_names_are_harmless(ranked):
    made = ranked()
    evil = replace(made, models=(replace(made.models[0], model="\x1b[2J<b>"), *made.models[1:]))
    assert "\x1b" not in ranking_text(evil)
    assert "<b>" not in ranking_markdown(evil)
