import pytest

from benchmaker.analysis import columns_of
from benchmaker.analysis.trends.trends import trend
from benchmaker.report.runs.trend import trend_markdown, trend_text


class Result:
    def __init__(self, run, trials):
        self.runs = (run,)
        self.trials = trials

    def columns(self):
        return columns_of(self.trials)


@pytest.fixture
def followed(a_trial, a_run):
    def make(*passed, **last):
        results = []
        for day, k in enumerate(passed, start=1):
            more = last if day == len(passed) else {}
            run = a_run(f"day{day}", started_at=f"2026-01-0{day}T09:00:00Z", **more)
            trials = [a_trial(at, float(at < k), run=run.id) for at in range(30)]
            results.append(Result(run, trials))
        return trend(results)

    return make


def test_a_trend_as_text(followed):
    assert trend_text(followed(28, 27, 12), explain=True) == SNAPSHOT


SNAPSHOT = """\
1 of 2 steps is significant.
aurora, day2 to day3: 50.0 points lower (adjusted p < 0.001).

aurora
      Accu-        95% CI  Change         p  Verdict                    Change
Run    racy         cases          adjusted                   Holm-adjusted CI
──────────────────────────────────────────────────────────────────────────────
day1  93.3%  [78.7, 98.2]
day2  90.0%  [74.4, 96.5]    −3.3     0.500  not significant      [−16.7, 8.4]
day3  40.0%  [24.6, 57.7]   −50.0   < 0.001  lower              [−68.9, −28.5]
Hidden at 80 columns: Started, Cases, Test, Common. Use a wider terminal or
--json to see them.

Change: points (0–100) from the model's previous run, over the cases that both
have.
Method: paired by case: McNemar's binomial test with mid-p; Holm over 2 steps.
"""


def test_a_change_keeps_its_interval_on_any_terminal(followed):
    for width in (60, 80, 100):
        head = trend_text(followed(28, 27, 12), width=width).partition("───")[0]
        assert head.count("Change") == 2
        assert head.count("CI") == 2
        assert ("Verdict" in head) == (width > 60)


def test_ids_are_never_broken_and_a_series_has_its_own(a_trial, a_run):
    results = []
    for day, ids in enumerate([("20261128-fach5m",), ("20261128-v5uy4k", "20261128-ywgmr8")], 1):
        runs = [
            a_run(one, started_at=f"2026-01-0{day}T09:00:00Z", series_id=series)
            for one in ids
            for series in (["s-20261128-ywgmr8"] if len(ids) > 1 else [None])
        ]
        trials = [a_trial(at, 1.0, run=run.id) for run in runs for at in range(6)]
        results.append(Result(runs[0], trials))
        results[-1].runs = tuple(runs)
    for width in (60, 80, 88, 140):
        text = trend_text(trend(results), width=width)
        assert text.startswith("No change in any case.\n")
        rows = [line.split()[0] for line in text.splitlines() if "2026" in line]
        assert rows == ["20261128-fach5m", "s-20261128-ywgmr8"]
        assert all(len(line) <= width for line in text.splitlines())


def test_a_model_that_never_answered_is_named_once(a_trial, a_run):
    def result(day):
        run = a_run(f"day{day}", started_at=f"2026-01-0{day}T09:00:00Z")
        lost = [a_trial(at, None, run=run.id, model="borealis") for at in range(30)]
        return Result(run, [a_trial(at, 1.0, run=run.id) for at in range(30)] + lost)

    made = trend([result(1), result(2)])
    for told in (trend_text(made), trend_markdown(made)):
        assert told.count("borealis") == 1
        assert "No scores in any run: borealis." in told


def test_what_changed_with_a_run_is_said(followed):
    text = trend_text(followed(28, 12, package_version="0.2.0"))
    assert "Changed with day2: Benchmaker 0.1.0 to 0.2.0." in text


def test_why_a_step_was_not_tested_is_said(followed):
    text = trend_text(followed(28, 12, suite_hash="cd" * 32), explain=True)
    assert "aurora, day2: the suite changed." in text


def test_a_reason_that_many_models_share_is_said_once(a_trial, a_run):
    names = ["aurora", "borealis", "cirrus", "delta"]

    def result(day, **suite):
        run = a_run(
            f"day{day}", models=tuple(names), started_at=f"2026-01-0{day}T09:00:00Z", **suite
        )
        trials = [a_trial(at, 1.0, run=run.id, model=one) for at in range(9) for one in names]
        return Result(run, trials)

    text = trend_text(trend([result(1), result(2, suite_hash="cd" * 32)]), explain=True)
    assert "day2: the suite changed, for aurora and 3 more." in " ".join(text.split())


def test_markdown_has_the_same_table(followed):
    said = trend_markdown(followed(28, 12))
    assert "| Run | Started | Accuracy | 95% CI, cases |" in said
