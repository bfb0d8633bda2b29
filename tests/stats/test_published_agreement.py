"""Published figures, from the real verdicts and scores beside the project."""

import gzip
import json
import math
from collections import defaultdict

import numpy as np
import pytest

from benchmaker.stats.agreement import cohen_kappa, icc
from benchmaker.stats.agreement.correlation import kendall, spearman
from benchmaker.stats.means.ppi import ppi_mean

pytestmark = pytest.mark.data


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def verdicts(shared):
    """(subset|judge|strategy) to its rows of (gold, first, swapped)."""
    folder = shared / "judging" / "llmbar"
    gold = {(row["subset"], row["i"]): row["label"] for row in lines(folder / "items.jsonl.gz")}
    groups = defaultdict(list)
    for row in lines(folder / "judgments.jsonl.gz"):
        key = "|".join((row["subset"], row["judge"], row["strategy"]))
        groups[key].append((str(gold[row["subset"], row["i"]]), row["first"], row["swapped"]))
    return groups


@pytest.fixture(scope="module")
def published(shared):
    return json.loads((shared / "judging" / "llmbar" / "published_statistics.json").read_text())


def test_the_four_counts_of_all_195_llmbar_groups(verdicts, published):
    assert len(published) == 195
    for key, figures in published.items():
        rows = verdicts[key]
        counts = {
            "correct_False": sum(first == gold for gold, first, _ in rows),
            "correct_True": sum(swapped == gold for gold, _, swapped in rows),
            "correct_both": sum(first == gold == swapped for gold, first, swapped in rows),
            "equal": sum(first == swapped for _, first, swapped in rows),
        }
        for name, count in counts.items():
            assert figures[name].split(" = ")[0] == f"{count} / {len(rows)}", (key, name)


def test_llmbar_kappa_between_the_orders_with_a_missing_verdict_read_as_2(verdicts, published):
    for key, figures in published.items():
        firsts = [first or "2" for _, first, _ in verdicts[key]]
        swaps = [swapped or "2" for _, _, swapped in verdicts[key]]
        got = cohen_kappa(firsts, swaps).require_value()
        assert got == pytest.approx(figures["kappa_agreement"], abs=1e-12), key


@pytest.mark.parametrize(
    ("dimension", "want"),
    [
        ("naturalness", 0.514),
        ("coherence", 0.613),
        ("engagingness", 0.605),
        ("groundedness", 0.575),
        ("understandability", 0.468),
        ("overall", 0.663),
    ],
)
def test_unieval_spearman_pooled_over_360_replies(shared, dimension, want):
    rows = lines(shared / "judging" / "topical_chat_unieval.jsonl.gz")
    people = [row["scores"][dimension] for row in rows]
    judge = [row["predict_scores"][dimension] for row in rows]
    found = spearman(people, judge)
    assert (found.n, round(found.value, 3)) == (360, want)
    assert found.low < want < found.high
    assert kendall(people, judge).value < found.value


def test_prometheus_retest_reliability(shared):
    rows = [
        row["gpt4_scores"]
        for row in lines(shared / "judging" / "prometheus_mtbench_gpt4x3.jsonl.gz")
    ]
    single, mean = icc(rows, "1,1"), icc(rows, "1,k")
    assert single.value == pytest.approx(0.8513, abs=1e-4)
    assert mean.value == pytest.approx(0.9449, abs=1e-4)  # 0.94496
    assert single.low < single.value < single.high
    assert round(single.within_sd, 2) == 0.51


def coverage_and_width(rows, generator, draws):
    """Share of intervals that hold the mean of all labels, and their width over t's."""
    judge, people = rows[:, 0], rows[:, 1]
    truth, hits, ours, alone = people.mean(), 0, 0.0, 0.0
    for _ in range(draws):
        order = generator.permutation(len(rows))
        some, rest = order[:60], order[60:]
        got = ppi_mean(people[some], judge[some], judge[rest])
        hits += got.low <= truth <= got.high
        ours += got.high - got.low
        alone += got.labels_only.high - got.labels_only.low
    return hits / draws, ours / alone


def wildbench(shared):
    models = defaultdict(list)
    for row in lines(shared / "judging" / "wildbench_two_judges_scores.jsonl.gz"):
        if "A_gpt-4-turbo" in row and "B_gpt-4o" in row:
            models[row["model"]].append((float(row["A_gpt-4-turbo"]), float(row["B_gpt-4o"])))
    return {model: np.array(rows) for model, rows in sorted(models.items())}


@pytest.mark.parametrize("draws", [50, pytest.param(2000, marks=pytest.mark.long)])
def test_sixty_labels_on_wildbench_cover_and_narrow(shared, draws):
    generator = np.random.Generator(np.random.PCG64(60))
    found = [coverage_and_width(rows, generator, draws) for rows in wildbench(shared).values()]
    assert len(found) == 6
    margin = 0.015 * max(1, math.sqrt(200 / draws))
    assert np.mean([coverage for coverage, _ in found]) == pytest.approx(0.95, abs=margin)
    assert max(width for _, width in found) <= 0.75


def test_the_judge_alone_would_be_sure_and_wrong_on_wildbench(shared):
    rows = wildbench(shared)["gpt-3.5-turbo-0125"]
    got = ppi_mean(rows[:60, 1], rows[:60, 0], rows[60:, 0])
    truth = rows[:, 1].mean()
    assert not got.judge_only.low <= truth <= got.judge_only.high
    assert got.low <= truth <= got.high
