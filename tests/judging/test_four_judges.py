"""Judges that nobody should trust, from the first request to the rating."""

import numpy as np
import pytest

from benchmaker.analysis.judges.calibration import calibration_result
from benchmaker.analysis.judges.calibration_rating import interpret_calibration
from benchmaker.errors import BadResponse
from benchmaker.judging import bundled_samples
from benchmaker.judging.calibrate import CalibrationSettings, acalibrate_judge
from benchmaker.record.calibration import Calibration, CalibrationItem
from benchmaker.store import Store
from tests.engine.simulated import SimulatedClock, simulated
from tests.judging.judges import JUDGE, failing, judge

STANDARD = bundled_samples("standard")
POOR_OR_FAIR = {"Poor", "Fair"}


def calibrated(provider, tmp_path, *, tier="standard", repeats=1):
    """Calibrated without waiting: a judge that fails is asked again after a while."""
    setting = CalibrationSettings(
        samples=bundled_samples(tier), repeats=repeats, clock=SimulatedClock()
    )
    with Store.open(tmp_path / "benchmaker.db") as store:
        return simulated(acalibrate_judge(JUDGE, provider, store, setting))


@pytest.mark.parametrize("tier", ["quick", "standard"])
def test_a_judge_that_always_says_10_is_poor_and_has_no_correlation(tmp_path, tier):
    result = calibrated(judge(bundled_samples(tier), lambda *_: 1.0), tmp_path, tier=tier)
    said = interpret_calibration(result)
    assert (said.rating, said.supported) == ("Poor", "Poor")
    assert result.summary.correlation is None
    assert any("every answer the same score" in it for it in said.warnings)


def test_a_judge_that_only_says_0_or_10_is_at_most_fair(tmp_path):
    said = interpret_calibration(
        calibrated(judge(STANDARD, lambda worth, _: float(worth >= 0.5)), tmp_path)
    )
    assert said.rating in POOR_OR_FAIR
    assert said.supported in POOR_OR_FAIR


@pytest.mark.parametrize("tier", ["quick", "standard"])
def test_a_judge_that_always_fails_is_poor_and_its_failures_are_listed(tmp_path, tier):
    result = calibrated(failing(BadResponse("no sense", status=200)), tmp_path, tier=tier)
    said = interpret_calibration(result)
    assert (said.rating, said.supported) == ("Poor", "Poor")
    assert len(result.failures) == result.summary.failed == result.summary.total_samples
    assert result.summary.mean_absolute_error is None
    assert all(it.failure for it in result.failures)


def noisy(samples, generator, *, steps):
    """One reply per sample, off by noise with a standard deviation of .2, kept on the scale."""
    items = []
    for it in samples.samples:
        given = float(np.clip(it.expected + generator.normal(0, 0.2), 0, 1))
        given = round(given * steps) / steps if steps else given
        items.append(
            CalibrationItem(id=it.id, expected=it.expected, tolerance=it.tolerance, units=(given,))
        )
    return Calibration(
        id="c", judge=JUDGE, tier=samples.tier, samples_hash="", prompt_hash="", repeats=1,
        items=tuple(items), created_at="2026-01-01T00:00:00Z",
    )  # fmt: skip


@pytest.mark.parametrize("tier", ["quick", "standard"])
@pytest.mark.parametrize("steps", [None, 10])
@pytest.mark.parametrize("draws", [100, pytest.param(400, marks=pytest.mark.long)])
def test_a_judge_with_noise_is_hardly_ever_called_good(tier, steps, draws):
    generator = np.random.default_rng(20261121)
    samples = bundled_samples(tier)
    made = (noisy(samples, generator, steps=steps) for _ in range(draws))
    said = [interpret_calibration(calibration_result(it)) for it in made]
    assert np.mean([it.supported in {"Good", "Excellent"} for it in said]) < 0.05


def test_a_perfect_judge_is_excellent_and_48_samples_carry_that(tmp_path):
    said = interpret_calibration(calibrated(judge(STANDARD, lambda worth, _: worth), tmp_path))
    assert (said.rating, said.supported) == ("Excellent", "Excellent")


def test_8_samples_carry_no_more_than_fair(tmp_path):
    quick = bundled_samples("quick")
    result = calibrated(judge(quick, lambda worth, _: worth), tmp_path, tier="quick")
    said = interpret_calibration(result)
    assert (said.rating, said.supported) == ("Excellent", "Fair")
    assert "screening only" in said.sentence
