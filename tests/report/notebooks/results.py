"""Results of every kind that has tables, from real runs."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import benchmaker
from benchmaker import RunOptions, Suite, run
from tests.analysis.submissions import a_row

HOSTILE = "<script>hit()</script>\x1b[2J\u202e"
KEY = "sk-proj-" + "a1B2" * 12


def answer(request):
    """Right in some cases, different from run to run in one, hostile in another."""
    if request.case_id == "c1":
        return f"{HOSTILE} {KEY}"
    known = len(request.model) if request.model.startswith("a") else 3
    return str(int(request.case_id[1:]) % known)


def suite(**more):
    cases = [
        {"id": f"c{n}", "prompt": f"{n}?", "expected": str(n % 3), "tags": ["sum"], "weight": 1 + n}
        for n in range(8)
    ]
    checks = [{"type": "word_count", "max": 1, "metric": "short", "weight": 0}]
    return Suite("s", cases, scorer="exact", checks=checks, **more)


@cache
def results():
    """Each kind of result by the name of its class, and a run without anything."""
    home = Path(mkdtemp())
    models = ["a", "aa", f"b{HOSTILE}"]
    first = run(suite(), provider=answer, models=models, home=home, options=RunOptions(runs=2))
    second = run(suite(), provider=lambda _: "1", models=models, home=home)
    setups = run(suite(efforts=["low", "high"]), provider=answer, models=models, home=home)
    rows = [
        a_row(n, system="abcd"[n % 4], tool="abcd"[n % 4], task_id=f"t{n % 3}", success=n % 5 > 0)
        for n in range(120)
    ]
    return {
        "RunResult": first,
        "Comparison": benchmaker.compare(first),
        "LevelComparison": benchmaker.compare(setups, by="effort"),
        "Ranking": benchmaker.rank(first),
        "BaselineGate": benchmaker.gate(second, first),
        "Board": benchmaker.leaderboard(rows),
        "Trend": benchmaker.trend([first, second]),
    }
