"""A data folder in which every page has something to show; all of it is illustrative."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

import benchmaker
from benchmaker import RunOptions
from benchmaker.arenas.code.duels import Pick, draw_pair
from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.arenas.code.prompt_suite import ImprovedPage, suite_of_improvement
from benchmaker.arenas.code.voting import cast
from benchmaker.providers.base import Request
from benchmaker.providers.scripted import Scripted
from benchmaker.record import ProbeOutcome, ProbeReport
from benchmaker.record.label import Label, TrialNote, blind_id
from benchmaker.record.prepared_answer import PreparedAnswer, Rendering
from benchmaker.record.probe import CheckResult, ProbeFinding, Severity
from benchmaker.record.submissions.evaluation import Flag
from benchmaker.record.submissions.submission import (
    Cost,
    EvidenceLevel,
    OutcomeOf,
    Status,
    System,
    TimeSpent,
    TokenUsage,
)
from benchmaker.spec import Case, ScorerSpec, Suite
from benchmaker.store import Store
from benchmaker.web.agentic.staging import Staging
from tests.arenas.agentic.handed import a_submission, the_id, write_submissions
from tests.web import stored
from tests.web.agent_series_data import a_system, put_series

DEMO = Path(benchmaker.__file__).parent / "resources" / "demo"
SYSTEMS = (
    System(harness="illustrative-cli", model="illustrative-a"),
    System(harness="illustrative-cli", model="illustrative-b"),
    System(harness="illustrative-desk", model="illustrative-a"),
    System(harness="illustrative-desk", model="illustrative-c"),
)
REPORTED = SYSTEMS[2]
"""The system whose figures come from a table; those of the others are verified."""

TASKS = (
    ("repair-the-parser", "debugging"),
    ("river-gauges", "data_analysis"),
    ("room-calendar", "web"),
)
HARNESS = "claude-code"
AGENTS = "agents-20261120-7f3k2m"
TRIED = (
    a_system("illustrative-cli", "illustrative/model-a"),
    a_system("illustrative-cli", "illustrative/model-b", "high"),
    a_system("oracle"),
)
_HEAD = (
    '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width">\n'
    "<style>body { font: 18px system-ui; margin: 2rem; background: %s } h1 { font-size: 2.5rem }"
    " button { font: inherit; padding: .5em 1em }</style>\n"
)
_SUM = (
    "<script>\nconst form = document.forms[0];\nform.oninput = () => {\n"
    "  const each = form.bill.value * (1 + form.tip.value / 100) / form.people.value;\n"
    "  document.querySelector('output').value = each.toFixed(2);\n};\n</script>"
)
PAGES = (
    _HEAD % "#eef6ff" + "<style>form { max-width: 26rem; padding: 2rem; border-radius: 1rem;"
    " background: #fff; box-shadow: 0 8px 30px #0002; display: grid; gap: 1rem }"
    " label { display: grid; gap: .3rem } input { font: inherit; padding: .5rem }"
    " output { font-size: 3rem; color: #1c4f9c }</style>\n<title>Split the bill</title>\n"
    "<h1>Split the bill</h1>\n<form>\n<label>Bill <input name=bill type=number value=84></label>\n"
    "<label>Tip, % <input name=tip type=number value=10></label>\n"
    "<label>People <input name=people type=number value=4></label>\n"
    f"<p>Each pays</p><output>23.10</output>\n</form>\n{_SUM}",
    _HEAD % "#fff6e5" + "<title>Bill</title>\n<h1>Bill splitter</h1>\n<form>\n"
    "<p>Bill <input name=bill value=84> Tip <input name=tip value=10> %</p>\n"
    "<p>People <input name=people value=4></p>\n<p>Each: <output>23.10</output></p>\n</form>\n"
    f"{_SUM}",
)


NOTES = (
    ("train-minutes", "illustrative-b", "Right, but without the steps that the prompt asks for."),
    ("leap-1900", "illustrative-c", "Stops at the first rule: 1900 is divisible by 4."),
    ("tax-total", "illustrative-d", "Adds 19 euros in place of 19 %."),
)
"""Notes on answers: case, model, text."""

VOTES: dict[str, tuple[int | Pick, int | Pick]] = {
    "ada": (1, 1),
    "ben": (0, 1),
    "carl": (1, "tie"),
    "dora": ("both_bad", 0),
    "emil": (1, 0),
}
"""What people say of the pages: which model's is better, by its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What lies in a data folder, by the words that addresses use.

    ``suite`` came after ``suite_before``; ``submissions`` are row numbers of which the last has a
    trace; ``upload`` is a log that waits to be kept; ``code`` is a run with generated pages,
    ``improved`` one that improves the first of them; ``agent_trial`` is the number of a trial of
    ``agent_series``; ``found`` is what a search is for.
    """

    run: str
    other_run: str
    series: str
    suite: str
    suite_before: str
    submissions: tuple[int, int, int]
    task: str
    upload: str
    code: str
    improved: str
    agent_series: str
    agent_trial: int
    found: str = "parser"


def illustrated(home: Path) -> Names:
    """Runs, suites, judges, labels and submissions; returns what they are called."""
    benchmaker.run(DEMO / "suite.yaml", recorded=DEMO / "answers.jsonl", home=home)
    found = benchmaker.run(
        DEMO / "suite.yaml", recorded=DEMO / "answers.jsonl", home=home, options=RunOptions(runs=3)
    )
    numbers = _submissions(home)
    code = code_run(home, PAGES, ("illustrative-a", "illustrative-b"))
    improved = improved_run(home, code)
    with Store.open(home / "benchmaker.db") as store:
        _examine(store, code)
        before = store.run(found.run_ids[0]).suite_hash
        suite = store.suite(before)
        first, *rest = suite.cases
        edited = first.model_copy(update={"prompt": f"{first.prompt} Show the sum.", "weight": 3.0})
        newer = store.put_suite(replace(suite, cases=(edited, *rest)))
        _label(store, found.run_ids[0])
        _take_notes(store, found.run_ids[0])
        trial = put_series(store, AGENTS, [task for task, _ in TASKS], TRIED, left=5)
    stored.put(home, judges=("illustrative/judge", "illustrative/second-judge"))
    return Names(
        run=found.run_ids[0],
        other_run=found.run_ids[1],
        series=str(found.series_id),
        suite=newer,
        suite_before=before,
        submissions=numbers,
        task=TASKS[0][0],
        upload=_upload(home),
        code=code,
        improved=improved,
        agent_series=AGENTS,
        agent_trial=trial,
    )


def _take_notes(store: Store, run_id: str) -> None:
    for case_id, model, text in NOTES:
        store.trial_notes.add(TrialNote(run_id=run_id, case_id=case_id, model=model, text=text))


def _submissions(home: Path) -> tuple[int, int, int]:
    made = [_submission(number) for number in range(96)]
    with Store.open(home / "benchmaker.db") as store:
        for one in (it for it in made if it.system != REPORTED):
            store.put_submission(
                msgspec.structs.replace(one, evidence_level=EvidenceLevel.VERIFIED)
            )
    rows = (it for it in made if it.system == REPORTED)
    benchmaker.evaluate(write_submissions(home.with_suffix(".jsonl"), rows), home=home)
    benchmaker.evaluate(home=home)
    log = write_session(home.with_name("session.jsonl"))
    benchmaker.evaluate(log, home=home, task=TASKS[0][0])
    benchmaker.evaluate(home=home, profile="classic")
    with Store.open(home / "benchmaker.db") as store:
        store.agentic.add_flags(
            Flag(
                submission_id=the_id(number),
                kind="price_mismatch",
                source="illustrative/1",
                evidence="the reported cost is a tenth of what the tokens cost",
            )
            for number in (3, 7)
        )
        newest = next(one.id for one in store.submissions() if one.system.harness == HARNESS)
        wanted = [the_id(3), the_id(4), newest]
        found = store.submission_pages.numbers(wanted)
    first, second, third = (found[one] for one in wanted)
    return first, second, third


def code_run(
    home: Path,
    texts: Sequence[str],
    models: Sequence[str],
    asked: Sequence[str] = (
        "Write a page that splits a restaurant bill, with a tip, among friends.",
        "Write a page that splits a bill.",
    ),
) -> str:
    """A run of two prompts whose answers are pages; returns its id."""
    cases = [
        Case(id=f"page-{at}", prompt=prompt, expected="<") for at, prompt in enumerate(asked, 1)
    ]
    suite = Suite("pages", cases, scorer=ScorerSpec(id="regex"))
    answers = Scripted(lambda it: f"```html\n{_page_of(it, texts, models)}\n```", models=models)
    made = benchmaker.run(suite, provider=answers, home=home)
    with Store.open(home / "benchmaker.db") as store:
        for trial in made.trials():
            store.renders.put_artifact(
                trial.key, PreparedAnswer(artifact=extract_artifact(trial.text))
            )
    return made.run_ids[0]


def improved_run(home: Path, run_id: str) -> str:
    """A run in which a model improves the first page of a run; returns its id."""
    with Store.open(home / "benchmaker.db") as store:
        first = next(store.trials(run_id))
        suite = store.suite(store.run(run_id).suite_hash)
    case = next(it for it in suite.cases if it.id == first.case_id)
    page = ImprovedPage(run_id, case, first.model, first.text)
    made = suite_of_improvement("Make the result larger.", page, suite)
    cases = [it.model_copy(update={"expected": "<"}) for it in made.cases]
    second = first.text.replace("<output>", '<output style="font-size: 3rem">')
    answers = Scripted(lambda _: second, models=[first.model])
    wanted = replace(made, cases=cases, scorer=ScorerSpec(id="regex"))
    found = benchmaker.run(wanted, provider=answers, home=home)
    with Store.open(home / "benchmaker.db") as store:
        for trial in found.trials():
            store.renders.put_artifact(
                trial.key, PreparedAnswer(artifact=extract_artifact(trial.text))
            )
    return found.run_ids[0]


def _examine(store: Store, run_id: str) -> None:
    """Reports of its pages, and two people's votes on them."""
    for number, trial in enumerate(list(store.trials(run_id))):
        artifact = extract_artifact(trial.text)
        report = ProbeReport(
            sha=artifact.sha256[:12],
            outcome=ProbeOutcome.RENDERED,
            title=trial.case_id,
            overflow_px={"375": 0, "768": 0, "1440": 0},
            checks=(
                CheckResult(index=1, text="has a button", passed=True),
                CheckResult(index=2, text="the button does something", passed=number % 2 == 1),
            ),
            findings=(
                ProbeFinding(key="click", severity=Severity.WARNING,
                             message="1 of 1 controls does nothing."),
            )[number % 2 :],
        )  # fmt: skip
        key = f"{number + 1:064x}"
        made = Rendering(
            key=key, content=key, place="illustrative", artifact_sha=artifact.sha256, report=report
        )
        store.renders.put_rendering(made)
        store.renders.put_artifact(trial.key, PreparedAnswer(artifact=artifact, rendering=made))
    for voter, (clock, shelf) in VOTES.items():
        _vote(store, run_id, "page-1", clock, voter)
        _vote(store, run_id, "page-2", shelf, voter)


def _vote(store: Store, run_id: str, case_id: str, better: int | Pick, voter: str) -> None:
    """Somebody says which model's page is better, by its place in the run, or that none is."""
    first, second = store.run(run_id).models
    duel = draw_pair(run_id, case_id, (first, second), voter=voter)
    if isinstance(better, int):
        better = "left" if duel.left == (first, second)[better] else "right"
    cast(store, duel, better, voter=voter, ms_on_page=9_000)


def _page_of(request: Request, texts: Sequence[str], models: Sequence[str]) -> str:
    return texts[(models.index(request.model) + int(request.case_id[-1])) % len(texts)]


def _upload(home: Path) -> str:
    """A log that was sent, and about which nobody has decided."""
    log = write_session(home.with_name("waiting.jsonl"), session=2)
    return Staging(home).put("waiting.jsonl", log.read_bytes())


def _submission(number: int):
    """Of the four systems the last is dearest and best, the second cheapest."""
    rank = number % len(SYSTEMS)
    task, category = TASKS[number // len(SYSTEMS) % len(TASKS)]
    usage = TokenUsage(
        input_uncached=9_000 + 1_300 * rank + 137 * (number % 11),
        cache_read=30_000 + 2_100 * (number % 7),
        output=2_200 + 500 * rank + 11 * (number % 5),
    )
    made = a_submission(number, task=task, category=category, system=SYSTEMS[rank], usage=usage)
    day = 1 + number % 28
    return msgspec.structs.replace(
        made,
        total_tokens=usage.total,
        cost=Cost(reported_usd=round(0.04 * 2.2**rank * (1 + number % 9 / 20), 4)),
        time=TimeSpent(wall_s=60.0 + 25 * rank + number * 37 % 90),
        outcome=OutcomeOf(status=Status.COMPLETED, success=number * 37 % 10 < 5 + rank),
        started_at=f"2026-02-{day:02d}T12:00:00.000Z",
        finished_at=f"2026-02-{day:02d}T12:{number % 60:02d}:30.000Z",
    )


def _label(store: Store, run_id: str) -> None:
    """Two people label a dozen answers, of the same mind but once."""
    trials = [one for one in store.trials(run_id) if one.completion][:12]
    for actor in ("ada", "ben"):
        store.add_labels(
            Label(
                run_id=run_id,
                case_id=one.case_id,
                blind_id=blind_id(run_id, one.model, one.case_id, one.completion.text),
                source="random",
                score=1.0 if at % 3 and not (at == 4 and actor == "ben") else 0.5,
                model=one.model,
                actor=actor,
                created_at="2026-11-20T14:02:00.000Z",
                note="",
            )
            for at, one in enumerate(trials)
        )


_STEPS = (
    ("Read", {"file_path": "parser.py"}, "def parse(line):\n    return line.split(',')\n"),
    ("Bash", {"command": "python -m pytest -q"}, "Exit code 1\n1 failed, 11 passed in 0.42s\n"),
    ("Edit", {"file_path": "parser.py", "old_string": "line.split(',')",
              "new_string": "next(csv.reader([line]))"}, "The file was updated."),
    ("Bash", {"command": "python -m pytest -q"}, "12 passed in 0.40s\n"),
)  # fmt: skip


def write_session(path: Path, *, session: int = 1) -> Path:
    """A short session of Claude Code that repairs a parser."""
    head = {
        "sessionId": f"0a1b2c3d-0000-4000-8000-{session:012d}",
        "version": "2.1.38",
        "cwd": "/home/ada/parser",
    }
    rows = [_row("user", 0, {"role": "user", "content": "Quoted commas break the parser."})]
    for at, (tool, given, came) in enumerate(_STEPS, start=1):
        call = {"type": "tool_use", "id": f"toolu_{at:015d}", "name": tool, "input": given}
        said = {
            "id": f"msg_{at:020d}", "role": "assistant", "model": "illustrative-a",
            "usage": {"input_tokens": 900 * at, "output_tokens": 120},
            "content": [{"type": "text", "text": f"Step {at}: {tool}."}, call],
        }  # fmt: skip
        done = {
            "type": "tool_result", "tool_use_id": call["id"], "content": came,
            "is_error": came.startswith("Exit code"),
        }  # fmt: skip
        rows += [
            _row("assistant", 9 * at, said),
            _row("user", 9 * at + 4, {"role": "user", "content": [done]}),
        ]
    path.write_text("".join(json.dumps(head | row) + "\n" for row in rows))
    return path


def _row(kind: str, second: int, message: dict) -> dict:
    at = f"2026-02-10T12:{second // 60:02d}:{second % 60:02d}Z"
    return {"type": kind, "uuid": f"{kind}{second}", "timestamp": at, "message": message}
