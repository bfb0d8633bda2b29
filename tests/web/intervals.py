"""The intervals in plain data: whether they keep within their scale and go with their verdicts."""

import math

MOST = {"0-1": 1.0, "0-100": 100.0}
EDGE = 1e-9
NO_INTERVAL = (".terms[", ".within_budget[")
"""The low and high of baselines, and of budgets in dollars."""

DIFFERS = {
    "ahead": True, "higher": True, "lower": True, "not_significant": False, "not_tested": False,
}  # fmt: skip


def holders(data, at=""):
    """Every object in the data, with the way to it."""
    if isinstance(data, dict):
        yield at, data
        for key, value in data.items():
            yield from holders(value, f"{at}.{key}")
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from holders(value, f"{at}[{number}]")


def intervals(holder):
    """The intervals that an object has, by their names, each with both ends."""
    for key, value in holder.items():
        if key in {"low", "high"} or key.endswith("_low"):
            other = key.replace("low", "high")
            if key != "high" and isinstance(value, float) and isinstance(holder.get(other), float):
                yield key, value, holder[other]
        elif "ci95" in key and isinstance(value, list) and len(value) == 2:
            yield key, *value


def faults_of(data, path):
    """What is wrong with the intervals of an answer, in words."""
    most_of_all = MOST.get(str(data.get("scale")), math.inf)
    for at, holder in holders(data):
        if any(part in at for part in NO_INTERVAL):
            continue
        is_rating = {"best", "worst"} <= holder.keys() or ("rank" in holder and "rating" in holder)
        most = math.inf if is_rating else most_of_all
        for name, low, high in intervals(holder):
            told = f"{path}{at}.{name} [{low}, {high}]"
            if low is None or high is None:
                continue
            if low > high + EDGE or low < -most - EDGE or high > most + EDGE:
                yield told
            if name in {"ci95", "strict_ci95"} and "mean" in holder and low < -EDGE:
                yield told
        low, high = holder.get("low"), holder.get("high")
        differs = DIFFERS.get(str(holder.get("verdict", holder.get("change"))))
        differs = True if holder.get("is_flagged") else differs
        if low is not None and differs is not None and (not low <= 0 <= high) != differs:
            yield f"{path}{at}: {holder} is against [{low}, {high}]"
