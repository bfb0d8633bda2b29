"""The heads of the table of means, and the meaning of its columns."""

from benchmaker.analysis import Summary
from benchmaker.report.sentences.figure_words import WORDS


def strict_head(summary: Summary) -> str:
    """The head of the strict accuracy: plainly Accuracy where every score is 0 or 1."""
    return WORDS["accuracy" if summary.is_right_or_wrong else "strict"].head


def mean_head(summary: Summary) -> str:
    """Return the heading of the column of means: the averaged quantity."""
    return WORDS["checks" if summary.measure == "checks" else "mean"].head


def strict_legend(summary: Summary) -> str:
    """The meaning of the column of strict accuracies."""
    if not summary.is_right_or_wrong:
        return "Strict: share of answers that score exactly 100."
    return f"Accuracy: share of right answers, {_averaging_words(summary)}."


def sd_legend(summary: Summary) -> str:
    """The meaning of the column of standard deviations."""
    return (
        f"SD, runs: standard deviation of the {WORDS[summary.figure_name].noun} across runs."
        if summary.is_series
        else "SD, cases: standard deviation of the scores across cases."
    )


def mean_legend(summary: Summary) -> str:
    """The meaning of the column of means."""
    if summary.measure == "checks":
        what = "Checks: share of page checks passed, 0 to 100 (no judge, so no total score)"
    else:
        what = "Mean: 0 to 100"
    return f"{what}, {_averaging_words(summary)}."


def _averaging_words(summary: Summary) -> str:
    """What is averaged with which weights."""
    over = "each with its mean over the runs, " if summary.is_series else ""
    weights = "weighted" if summary.weighted else "equal weights"
    return f"over cases, {over}{weights}"


def interval_legend(summary: Summary) -> str:
    """The meaning of intervals over cases, with the formulas that were used; empty without any."""
    formulas = dict.fromkeys(method.split(", ")[1] for method in summary.methods)
    if not formulas:
        return ""
    is_clustered = any("clustered" in method for method in summary.methods)
    taken = "clustered by group" if is_clustered else "independent cases"
    return f"95% CI over cases ({' or '.join(formulas)}, {taken})."
