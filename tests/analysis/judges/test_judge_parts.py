"""The parts of judges in scores of pages."""

import pytest

from benchmaker.analysis.judges.judge_parts import JudgeTally
from benchmaker.stats.agreement import krippendorff_alpha
from tests.scoring.judged.test_code_judge import said, scored

LEVELS = {"j": (80, 60, 30), "k": (70, 65, 10)}
"""The levels of each judge for three pages, visual and code alike."""


def tally(*replies):
    """The tally of pages whose judges gave these replies, each by judge."""
    judges = [{"model": name} for name in LEVELS]
    found = [scored(judge=lambda it, *_, own=own: own[it.model], models=judges) for own in replies]
    return JudgeTally().add((at, score) for at, (score, _) in enumerate(found))


def marks(at):
    return {name: said(levels[at], levels[at]) for name, levels in LEVELS.items()}


def test_judges_of_pages_agree_over_the_pages_that_two_of_them_scored():
    declined = said(cannot_judge=True)
    made = tally(*(marks(at) for at in range(3)), {**marks(0), "k": declined})
    alpha = made.agreement(LEVELS, {}).alpha
    units = [[LEVELS[name][at] / 100 for name in LEVELS] for at in range(3)]
    expected = krippendorff_alpha([*units, [0.8, None]], scale="interval", clusters=range(4))
    assert (alpha.n, alpha.value) == (3, pytest.approx(expected.value))


def test_a_page_is_scored_by_the_judges_that_decided_on_it():
    declined = said(cannot_judge=True)
    made = tally(marks(0), {**marks(1), "j": declined}, {**marks(2), "k": declined})
    shares = {it.judges: it.answers for it in made.shares(LEVELS)}
    assert shares == {("j", "k"): 1, ("k",): 1, ("j",): 1}


def test_pages_of_which_none_has_two_judges_have_no_agreement():
    declined = said(cannot_judge=True)
    made = tally({**marks(1), "j": declined}, {**marks(2), "k": declined})
    assert made.agreement(LEVELS, {}).reason == "no answer has scores by two judges"
