"""What tests of suites and judges put into a store, hostile texts among it."""

import random
from pathlib import Path

from benchmaker.record.calibration import Calibration, CalibrationItem
from benchmaker.spec import Case, ScorerSpec, Suite
from benchmaker.store import Store

HOSTILE = (
    "<script>window.hit = 1</script>",
    '"\'><img src=x onerror="window.hit = 1">',
    "</textarea></title></style><svg onload=window.hit=1>",
    "javascript:window.hit=1//{{7*7}}${7*7}",
    "\u202etxt.exe \u2066\u200b [a](javascript:window.hit=1) &lt;b&gt;",
)


def hostile_suite(name: str = HOSTILE[0]) -> Suite:
    """A suite in which every text is hostile."""
    both = " ".join(HOSTILE)
    return Suite(
        name=name,
        description=both,
        system_prompt=both,
        judge_prompt=both,
        scorer=ScorerSpec(id="exact"),
        cases=tuple(
            Case(
                id=f"{HOSTILE[at % 5]}{at}",
                prompt=f"\n{both}\n",
                expected=both,
                tags=HOSTILE[:2],
                category=HOSTILE[1],
                group=HOSTILE[2],
                metadata={HOSTILE[0]: HOSTILE[1]},
            )
            for at in range(60)
        ),
    )


def calibration(judge: str, number: int, *, drift: float = 0.0) -> Calibration:
    """A calibration of 48 samples; ``drift`` is added to what the judge gave."""
    rnd = random.Random(number)  # noqa: S311  a draw, no secret
    items = [
        CalibrationItem(
            id=f"{judge}-{at}",
            kind="right",
            expected=at % 5 / 4,
            tolerance=0.1,
            units=(min(1, max(0, at % 5 / 4 + drift + rnd.gauss(0, 0.05))),),
        )
        for at in range(48)
    ]
    return Calibration(
        id=f"c-{number}-{judge}",
        judge=judge,
        tier="standard",
        samples_hash="a",
        prompt_hash="b",
        repeats=1,
        items=tuple(items),
        created_at=f"2026-11-{10 + number:02d}T10:00:00Z",
        judge_version=judge,
        replies=48,
        cost_usd=0.12,
    )


def put(home: Path, *suites: Suite, judges: tuple[str, ...] = ()) -> list[str]:
    """Store suites, and two calibrations of each judge; the hashes of the suites."""
    with Store.open(home / "benchmaker.db") as store:
        for number in range(2):
            for judge in judges:
                store.add_calibration(calibration(judge, number, drift=0.1 * number))
        return [store.put_suite(one) for one in suites]
