"""A panel of five recorded judges, weighted by what 40 labels say of each."""

import random
from statistics import fmean

import pytest

from benchmaker.record import Verdict
from benchmaker.scoring.judged.panel import Opinion, log_odds_weight, panel
from benchmaker.spec import Juror
from tests.draws import draws
from tests.scoring.judge.test_recorded import lines

JUDGES = ("GPT-4", "ChatGPT", "PaLM2", "LLaMA2", "Falcon")
ADVERSARIAL = ("Neighbor", "GPTInst")
LABELS, SPLITS = 40, draws(50, 200)
UNIT = {"1": 1.0, "2": 0.0, None: 0.5}


@pytest.fixture(scope="module")
def pairs(shared):
    """Of each pair: its subset, whether the first answer is better, each judge's two verdicts."""
    folder = shared / "judging" / "llmbar"
    gold = {(it["subset"], it["i"]): it["label"] == 1 for it in lines(folder / "items.jsonl.gz")}
    found = {key: {} for key in gold}
    for row in lines(folder / "judgments.jsonl.gz"):
        if row["strategy"] == "Vanilla" and row["judge"] in JUDGES:
            verdicts = (UNIT[row["first"]], UNIT[row["swapped"]])
            found[row["subset"], row["i"]][row["judge"]] = verdicts
    return [(subset, gold[subset, at], said) for (subset, at), said in found.items()]


def right(pair, judge):
    """How often it was right in both orders; no verdict is half right."""
    _, is_first, said = pair
    return fmean(unit if is_first else 1 - unit for unit in said[judge])


def panel_right(pair, jurors):
    """Whether the panel is; orders that disagree are a tie, as in a run."""
    _, is_first, said = pair
    opinions = [
        Opinion(judge, (fmean(said[judge]) if fmean(said[judge]) in (0.0, 1.0) else 0.5,))
        for judge in JUDGES
    ]
    unit = panel(opinions, jurors).unit
    verdict = Verdict.TIE if abs(unit - 0.5) < 1e-12 else Verdict.A if unit > 0.5 else Verdict.B
    return 0.5 if verdict is Verdict.TIE else float((verdict is Verdict.A) == is_first)


def splits(pairs, seed=20261121):
    """Of each split: the weighted panel, the equal one, and the best judge, over the rest."""
    draw = random.Random(seed)  # noqa: S311  no secret
    equal = [Juror(judge) for judge in JUDGES]
    for _ in range(SPLITS):
        mixed = draw.sample(pairs, len(pairs))
        labelled, rest = mixed[:LABELS], mixed[LABELS:]
        jurors = [
            Juror(judge, log_odds_weight(sum(right(it, judge) for it in labelled), LABELS))
            for judge in JUDGES
        ]
        yield (
            fmean(panel_right(it, jurors) for it in rest),
            fmean(panel_right(it, equal) for it in rest),
            max(fmean(right(it, judge) for it in rest) for judge in JUDGES),
        )


def means(pairs, subsets):
    chosen = [it for it in pairs if it[0] in subsets]
    return tuple(map(fmean, zip(*splits(chosen), strict=True)))


@pytest.mark.data
def test_on_adversarial_pairs_a_calibrated_panel_is_at_most_one_point_under_its_best_judge(pairs):
    weighted, equal, best = means(pairs, ADVERSARIAL)
    assert weighted >= best - 0.01
    assert (weighted, best) == (pytest.approx(0.812, abs=0.005), pytest.approx(0.818, abs=0.005))
    assert equal < 0.55  # what the same judges come to without a calibration


@pytest.mark.data
def test_on_natural_pairs_a_calibrated_panel_is_better_than_its_best_judge(pairs):
    weighted, _, best = means(pairs, ("Natural",))
    assert weighted >= 0.96
    assert weighted > best
