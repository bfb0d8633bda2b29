"""Stores for the pages of results: one that is hostile throughout, and one of many cases."""

import contextlib
import http.client
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from benchmaker.record import (
    Attempt,
    Completion,
    Extraction,
    Judgment,
    Outcome,
    Run,
    RunState,
    Score,
    Series,
    Trial,
    Usage,
)
from benchmaker.record.label import Label, blind_id
from benchmaker.spec import Case, Message, ScorerSpec, Suite
from benchmaker.store import Store, Writer
from benchmaker.web.results.late_results import PANEL

AT = "2026-11-20T14:02:00.000Z"
ATTACKS = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "'\"><svg onload=document.title='owned'>",
    "</pre></bdi><iframe srcdoc=\"<script>parent.document.title='owned'</script>\">",
    "javascript:document.title='owned'",
    "{{ 7*7 }}{% raw %}",
    "\x1b[2J\x07\x00 control \u202e turned \u2066",
    "[link](javascript:alert(1)) ![x](https://evil.example/x.png)",
    '=HYPERLINK("https://evil.example")',
    "/../..?ref=1&sort=x#y%00%2f",
)
MODELS = tuple(f"{attack} {at}" for at, attack in enumerate(ATTACKS[:6]))
HOSTILE_RUNS = ("hostile-1", "hostile-2")
HOSTILE_SERIES = "s-hostile"
SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"  # noqa: S105  nobody's key


def fetched(
    address: str, headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers by their names in small letters, and body; nothing is followed."""
    parts = urlsplit(address)
    with contextlib.closing(http.client.HTTPConnection(parts.netloc, timeout=120)) as made:
        made.request("GET", f"{parts.path}?{parts.query}", headers=dict(headers or {}))
        answer = made.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()


def fetched_when_computed(address: str) -> str:
    """The page at an address, once the results that it has to wait for are computed."""
    waiting = f'id="{PANEL}"'
    while waiting in (body := fetched(address)[2].decode()):
        fetched(address, headers={"hx-trigger": PANEL})
    return body


def hostile_home(home: Path) -> Path:
    """A series of two runs in which every text is an attack, with every kind of row."""
    suite = Suite(
        ATTACKS[0],
        [_case(at) for at in range(len(ATTACKS))],
        description=ATTACKS[1],
        system_prompt=ATTACKS[2],
        scorer=ScorerSpec(id="exact"),
    )
    with Store.open(home / "benchmaker.db") as store:
        found = store.put_suite(suite)
        store.add_series(Series(id=HOSTILE_SERIES, suite_hash=found, runs=2, created_at=AT))
        for number, run_id in enumerate(HOSTILE_RUNS, start=1):
            store.add_run(_run(run_id, found, number))
            with Writer(store) as writer:
                for at in range(len(ATTACKS)):
                    for rank in range(len(MODELS)):
                        writer.put(_trial(run_id, at, rank, number))
                writer.put_judgment(_judgment(run_id))
            with Writer(store) as writer:
                key = _trial(run_id, 0, 0, number).key
                writer.put_score(key, _score(0.25, 3))
            store.set_run_state(run_id, RunState.FINISHED, finished_at=AT)
        store.add_labels([_label(at) for at in range(6)])
    return home


def many_cases_home(
    home: Path, cases: int, models: int = 3, *, names: tuple[str, ...] = ()
) -> Path:
    """A run of many cases, written down and not asked; ``names`` replace those of the models."""
    names = names or tuple(f"made/model-{rank}" for rank in range(models))
    asked = [
        Case(id=f"case-{at}", prompt=f"{at} + 1?", expected=str(at + 1)) for at in range(cases)
    ]
    suite = Suite("many", asked, scorer=ScorerSpec(id="exact"))
    with Store.open(home / "benchmaker.db") as store:
        found = store.put_suite(suite)
        run = Run(
            id="many-1", suite_hash=found, suite_name="many", models=names, profile="robust",
            profile_version="1", planned=cases * len(names), started_at=AT,
        )  # fmt: skip
        store.add_run(run)
        with Writer(store) as writer:
            for at in range(cases):
                for rank, model in enumerate(names):
                    score = Score(score=((at * 7 + rank * 3) % 11) / 10, scorer="exact")
                    writer.put(
                        Trial(
                            run_id=run.id,
                            case_id=f"case-{at}",
                            model=model,
                            position=at,
                            outcome=Outcome.SCORED,
                            completion=Completion(text=f"It is {at}."),
                            score=score,
                            finished_at=AT,
                        )
                    )
        store.set_run_state(run.id, RunState.FINISHED, finished_at=AT)
    return home


def _case(at: int) -> Case:
    attack = ATTACKS[at]
    turns = (
        Message(role="user", content=f"{attack} {SECRET}"),
        Message(role="assistant", content=attack),
        Message(role="user", content=attack),
    )
    return Case(
        id=f"{attack} {at}", messages=turns, expected=attack, category=attack, difficulty=attack,
        group=attack, tags=(attack,), weight=1.5,
    )  # fmt: skip


def _run(run_id: str, suite_hash: str, number: int) -> Run:
    return Run(
        id=run_id, suite_hash=suite_hash, suite_name=ATTACKS[0], models=MODELS, profile="robust",
        profile_version="1", number=number, series_id=HOSTILE_SERIES, started_at=AT,
        planned=len(ATTACKS) * len(MODELS), system_prompt=ATTACKS[2], notes=(ATTACKS[3],),
        provider={"kind": "recorded", "path": ATTACKS[1], "sha256": ATTACKS[0]},
        judge={
            "models": [ATTACKS[1]], "asked": [ATTACKS[1]], "uncalibrated": {ATTACKS[1]: ATTACKS[2]},
        },
        judge_model=ATTACKS[1],
    )  # fmt: skip


def _trial(run_id: str, at: int, rank: int, number: int) -> Trial:
    attack = ATTACKS[(at + rank) % len(ATTACKS)]
    ends = {7: Outcome.EMPTY, 11: Outcome.TIMEOUT, 13: Outcome.SCORER_ERROR, 17: Outcome.REFUSED}
    outcome = next((end for each, end in ends.items() if (at + 2 * rank + 1) % each == 0), None)
    done = outcome is not Outcome.TIMEOUT
    text = "" if outcome is Outcome.EMPTY else f"{attack} {SECRET} run {number if rank else 1}"
    is_scored = outcome in {None, Outcome.EMPTY, Outcome.REFUSED}
    score = 0.0 if outcome else ((at * 3 + rank * 2 + number) % 6) / 5
    return Trial(
        run_id=run_id, case_id=f"{ATTACKS[at]} {at}", model=MODELS[rank], position=at,
        outcome=outcome or Outcome.SCORED, weight=1.5, category=ATTACKS[at], group=ATTACKS[at],
        completion=Completion(
            text=text, latency_s=0.5, cost_usd=0.001, model=attack,
            usage=Usage(input_tokens=20, output_tokens=5), flags=(attack,),
        ) if done else None,
        attempts=(
            Attempt(number=1, status="429", started_at=AT, last_byte_s=0.1, error_type=attack,
                    error=attack, partial_text=attack),
            Attempt(number=2, status=attack, started_at=AT, first_byte_s=0.1, last_byte_s=0.5,
                    usage=Usage(input_tokens=20, output_tokens=5), cost_usd=0.001),
        ),
        score=_score(score, at) if is_scored else Score.unscored(attack),
        error_type=None if done else attack, error=None if done else f"{attack} {SECRET}",
        flags=(attack,), finished_at=AT,
    )  # fmt: skip


def _score(value: float, at: int) -> Score:
    attack = ATTACKS[at]
    return Score(
        score=value, confidence=0.5, notes=f"{attack} {SECRET}", raw_score=value * 10, max_score=10,
        scorer=attack, scorer_version=attack, profile=attack, parameters={attack: attack},
        extraction=Extraction(rule=attack, text=attack), expected=attack,
        detail={attack: [attack], "singles": [{"judge": ATTACKS[1]}]}, flags=(attack,),
    )  # fmt: skip


def _judgment(run_id: str) -> Judgment:
    return Judgment(
        key="0" * 64, judge=ATTACKS[1], run_id=run_id, case_id=f"{ATTACKS[0]} 0", model=MODELS[0],
        order=ATTACKS[1], completion=Completion(text=f"{ATTACKS[0]} {SECRET}"), created_at=AT,
    )  # fmt: skip


def _label(at: int) -> Label:
    trial = _trial(HOSTILE_RUNS[0], at, 0, 1)
    blind = blind_id(trial.run_id, trial.model, trial.case_id, trial.text)
    return Label(
        run_id=trial.run_id, case_id=trial.case_id, blind_id=blind, source="random",
        score=0.5, model=trial.model, actor=ATTACKS[0], created_at=AT, note=ATTACKS[1],
    )  # fmt: skip


def edge_home(home: Path) -> Path:
    """Runs without a trial, with one, with lost ones alone, without and with many models."""
    long = Case(id="long", prompt="?", expected="y" * 300_000)
    suite = Suite("edge", [Case(id="a", prompt="?"), long], scorer=ScorerSpec(id="exact"))
    many = tuple(f"made/model-{at}" for at in range(40))
    with Store.open(home / "benchmaker.db") as store:
        found = store.put_suite(suite)
        asked = {
            "empty": ("m", "n"),
            "single": ("m",),
            "lost": ("m", "n"),
            "none": (),
            "many": many,
        }
        for run_id, models in asked.items():
            store.add_run(
                Run(
                    id=run_id,
                    suite_hash=found,
                    suite_name="edge",
                    models=tuple(models),
                    profile="robust",
                    profile_version="1",
                    started_at=AT,
                )
            )
        with Writer(store) as writer:
            writer.put(_answered("single", "m", 1, "z" * 400_000, 0.5))
            for model in asked["lost"]:
                writer.put(
                    Trial(
                        run_id="lost", case_id="a", model=model, position=0, outcome=Outcome.TIMEOUT
                    )
                )
            for at, model in enumerate(many):
                for position in (0, 1):
                    writer.put(_answered("many", model, position, f"{at} " * 9_000, (at % 7) / 6))
    return home


def _answered(run_id: str, model: str, position: int, text: str, score: float) -> Trial:
    return Trial(
        run_id=run_id,
        case_id=("a", "long")[position],
        model=model,
        position=position,
        outcome=Outcome.SCORED,
        completion=Completion(text=text),
        score=Score(score=score, scorer="exact"),
        finished_at=AT,
    )
