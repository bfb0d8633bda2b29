"""A data folder in which everything that others may write is an attack.

It is filled as people fill theirs: suites from a file and from a form, runs with answers and
judgments, labels, logs that are sent, decisions on what is flagged.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import benchmaker
from benchmaker import RunOptions
from benchmaker.errors import ProviderError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, Usage
from benchmaker.record.submissions.evaluation import Flag
from benchmaker.record.submissions.submission import (
    Artifacts,
    CriterionResult,
    ModelUsage,
    OutcomeOf,
    Status,
    System,
    TaskRef,
    TokenUsage,
)
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script
from tests.arenas.agentic.handed import a_submission, the_id, write_submissions
from tests.web import agentic_data, stored
from tests.web.agent_series_data import a_system, put_series
from tests.web.illustrated import AGENTS, Names, code_run, improved_run
from tests.web.results_data import fetched
from tests.web.test_guard import ask

DONE = "window.__pwned=1"
ATTACKS = (
    f"<script>{DONE}</script>",
    f'"\'><img src=x onerror="{DONE}">',
    f"</textarea></title></style></script></pre></bdi><svg onload={DONE}>",
    f'<svg xmlns="http://www.w3.org/2000/svg"><script>{DONE}</script></svg>',
    f"javascript:{DONE}",
    f"[a](javascript:{DONE}) [b](data:text/html,<script>{DONE}</script>) [c](vbscript:{DONE})",
    f"![x](https://evil.example/{DONE}.png) <img src=https://evil.example/{DONE}.png>",
    f'<iframe srcdoc="<script>parent.{DONE}</script>"></iframe>',
    f'<a href="javascript:{DONE}">x</a><form action=https://evil.example><button>y</button></form>',
    f"' onmouseover={DONE} autofocus onfocus={DONE} x='\" onpointerenter={DONE} y=\"",
    f"<link rel=stylesheet href=https://evil.example/{DONE}.css><base href=https://evil.example>",
    f'<meta http-equiv=refresh content="0;url=https://evil.example/{DONE}">',
    f"{{{{7*7}}}}${{7*7}}{{% raw %}} <details open ontoggle={DONE}>",
    f'<div hx-get=/evil hx-trigger=load hx-on:load="{DONE}" data-key=e data-go=h>',
    f"\x1b[2J\x07 \u202e turned \u2066 <!--{DONE}--><![CDATA[{DONE}]]>",
)
_REACHING = f"""
<!doctype html><title>{DONE}</title><h1>{DONE}</h1><form target=_top action=https://evil.example>
<input name=a></form><a id=out target=_top href=https://evil.example>out</a>
<a id=file download=x.txt href="data:text/plain,x">file</a><script>
const tries = [
  () => {{ parent.{DONE}; }},
  () => {{ top.{DONE}; }},
  () => {{ parent.document.title = "owned"; }},
  () => {{ top.location = "https://evil.example/"; }},
  () => {{ parent.location.hash = "owned"; }},
  () => {{ parent.postMessage({{benchmaker: "owned", type: "load", html: "<img src=x>"}}, "*"); }},
  () => {{ parent.postMessage("<script>{DONE}<" + "/script>", "*"); }},
  () => {{ open("https://evil.example/", "_blank"); }},
  () => {{ open("/", "_top"); }},
  () => {{ document.querySelector("form").submit(); }},
  () => {{ document.querySelector("#out").click(); }},
  () => {{ document.querySelector("#file").click(); }},
  () => {{ fetch("WORKBENCH/api/v1/runs/latest", {{method: "POST", mode: "no-cors"}}); }},
  () => {{ new WebSocket("ws://evil.example/"); }},
  () => {{ navigator.sendBeacon("https://evil.example/"); }},
  () => {{ document.cookie = "a=b"; }},
  () => {{ navigator.serviceWorker.register("/sw.js"); }},
];
for (let n = 0; n < 9; n++) alert("framed: " + n);
for (const one of tries) {{ try {{ one(); }} catch {{}} }}
document.body.dataset.tried = tries.length;
</script>"""
"""A page that tries whatever might get out of its frame."""

_MODELS = ATTACKS[:6]
_PARTS = 4
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def attack(number: int) -> str:
    """One of the attacks; any number names one."""
    return ATTACKS[number % len(ATTACKS)]


def fill(home: Path) -> Names:
    """What needs no server: a suite from a file, its runs, submissions, calibrations."""
    home.mkdir(parents=True, exist_ok=True)
    suite = _suite_file(home.with_name("suite.json"))
    found = _run(suite, home)
    numbers = _submissions(home)
    with Store.open(home / "benchmaker.db") as store:
        before = store.run(found.run_ids[0]).suite_hash
        systems = [a_system(it, f"{it}/{it}", it, it) for it in ATTACKS[:4]]
        trial = put_series(store, AGENTS, ATTACKS, systems, detail="\n".join(ATTACKS), left=3)
    stored.put(home, judges=(ATTACKS[1], ATTACKS[3]))
    (home / "prices.yaml").write_text(_prices(), encoding="utf-8")
    texts = (_REACHING, "\n".join(ATTACKS))
    code = code_run(home, texts, (ATTACKS[1], ATTACKS[2]), ATTACKS[2:4])
    return Names(
        run=found.run_ids[0],
        other_run=found.run_ids[1],
        series=str(found.series_id),
        suite=before,
        suite_before=before,
        submissions=numbers,
        task=ATTACKS[0],
        upload="",
        code=code,
        improved=improved_run(home, code),
        agent_series=AGENTS,
        agent_trial=trial,
        found=ATTACKS[0],
    )


def _suite_file(path: Path) -> Path:
    both = "\n".join(ATTACKS)
    cases = [
        {
            "id": f"{it} {at}",
            "prompt": f"{it}\n{both}",
            "expected": attack(at + 1),
            "category": attack(at + 2),
            "difficulty": attack(at + 3),
            "group": attack(at + 4),
            "tags": [attack(at + 5), attack(at + 6)],
            "metadata": {attack(at + 7): attack(at + 8)},
            "scorer": "llm_judge" if at % 3 == 0 else "exact",
        }
        for at, it in enumerate(ATTACKS)
    ]
    suite = {
        "name": ATTACKS[0],
        "description": both,
        "system_prompt": both,
        "judge_prompt": both,
        "profile": "robust",
        "cases": cases,
    }
    text = json.dumps(suite)
    for refused in ("\x1b", "\x07"):  # control characters are refused in suites
        text = text.replace(json.dumps(refused)[1:-1], "")
    path.write_text(text, encoding="utf-8")
    return path


def _run(suite: Path, home: Path):
    """Two runs with answers, failures and judgments, all of them attacks."""
    judge = Scripted(judge_script(_judged), models=(ATTACKS[1],))
    return benchmaker.run(
        suite,
        provider=Scripted(_answer, models=_MODELS),
        judge_provider=judge,
        home=home,
        options=RunOptions(judge=[ATTACKS[1]], runs=2, retries=0),
    )


def _answer(request):
    at = len(request.case_id) + len(request.model)
    if at % 7 == 0:
        return ProviderError(attack(at), hint=attack(at + 1))
    return Completion(
        text=f"{attack(at)}\n{attack(at + 1)} run {request.run}",
        model=attack(at + 2),
        usage=Usage(input_tokens=20, output_tokens=5),
        cost_usd=0.001,
    )


def _judged(parts):
    return {"score": len(parts["answer"]) % 11, "rationale": "\n".join(ATTACKS)}


def _prices() -> str:
    rates = {"input": 1.0, "output": 2.0}
    return json.dumps({"prices": dict.fromkeys(ATTACKS[:3], rates)})


def _submissions(home: Path) -> tuple[int, int, int]:
    made = [_submission(number) for number in range(30)]
    path = write_submissions(home.with_suffix(".jsonl"), made)
    benchmaker.evaluate(path, home=home)
    log = agentic_data.write_log(home.with_name("session.jsonl"), ATTACKS[0])
    benchmaker.evaluate(log, home=home, task="look-around")
    benchmaker.evaluate(home=home, profile="classic")
    with Store.open(home / "benchmaker.db") as store:
        store.agentic.add_flags(
            Flag(
                submission_id=the_id(number),
                kind=attack(number),
                source=attack(number + 1),
                evidence="\n".join(ATTACKS),
            )
            for number in (3, 7, 9)
        )
        log_id = next(it.id for it in store.submissions() if it.system.harness == "claude-code")
        wanted = [the_id(3), the_id(4), log_id]
        found = store.submission_pages.numbers(wanted)
    first, second, third = (found[one] for one in wanted)
    return first, second, third


def _submission(number: int):
    it = attack(number // 6)
    usage = TokenUsage(input_uncached=1_000 + number, output=200)
    criterion = CriterionResult(id=it, result="pass", type=it, evidence="\n".join(ATTACKS))
    return a_submission(
        number,
        system=System(harness=it, harness_version=it, model=attack(number % 6), effort=it),
        project=it,
        session_id=it,
        submitter=it,
        usage=usage,
        usage_by_model=(ModelUsage(model=it, usage=usage, llm_calls=1),),
        total_tokens=usage.total,
        tools_by_name={it: 3},
        outcome=OutcomeOf(status=Status.COMPLETED, success=number % 3 > 0, criteria=(criterion,)),
        artifacts=Artifacts(files_created=(it,), files_modified=(f"a/{it}",)),
    ).__replace__(task=TaskRef(id=attack(number % 3), category=it, difficulty=it))


def send(address: str, names: Names) -> Names:
    """What goes through a server: an edited case, labels, decisions, a log that waits."""
    edited = _edit(address, names.suite)
    _label(address, names.run)
    _decide(address, names.submissions[0])
    return replace(names, suite=edited, upload=_upload(address))


def _edit(address: str, suite: str) -> str:
    fields = {
        "id": ATTACKS[3], "prompt": "\n".join(ATTACKS), "expected": ATTACKS[4], "weight": "2",
        "tags": ATTACKS[5], "category": ATTACKS[6], "group": ATTACKS[8], "scorer": "exact",
    }  # fmt: skip
    status, headers, body = ask(
        address, "POST", f"/suites/{suite}/cases/1", _FORM, urlencode(fields)
    )
    assert status == 303, body
    return headers["location"].split("/suites/")[1].partition("?")[0].partition("/")[0]


def _label(address: str, run: str) -> None:
    for at in range(_PARTS):
        words = urlencode({"run": run, "by": ATTACKS[0]})
        page = fetched(f"{address}/judges/label?{words}")[2].decode()
        item = re.search(r'name="item" value="([^"]+)"', page)[1]
        form = {"run": run, "by": ATTACKS[0], "item": item, "score": str(at), "note": attack(at)}
        status, _, body = ask(address, "POST", "/judges/label", _FORM, urlencode(form))
        assert status == 303, body


def _decide(address: str, number: int) -> None:
    form = {"n": str(number), "do": "quarantine", "note": "\n".join(ATTACKS[:8])}
    status, _, body = ask(address, "POST", "/agentic/review", _FORM, urlencode(form))
    assert status == 303, body


def _upload(address: str) -> str:
    log = "".join(json.dumps(row) + "\n" for row in _rows())
    bound = "----bound"
    name = ATTACKS[1].replace('"', "%22")
    body = (
        f'--{bound}\r\nContent-Disposition: form-data; name="file"; filename="{name}.jsonl"\r\n'
        f"Content-Type: text/plain\r\n\r\n{log}\r\n--{bound}--\r\n"
    )
    kind = {"Content-Type": f"multipart/form-data; boundary={bound}"}
    status, headers, answer = ask(address, "POST", "/agentic/submit", kind, body.encode())
    assert status == 303, answer
    return headers["location"].rpartition("/")[2]


def _rows():
    head = {"sessionId": agentic_data.SESSION[:-1] + "0", "version": ATTACKS[1], "cwd": ATTACKS[2]}
    for at, it in enumerate(ATTACKS):
        yield head | {
            "type": "user",
            "uuid": f"u{at}",
            "timestamp": f"2026-02-10T12:00:{at:02d}Z",
            "message": {"role": "user", "content": it},
        }
        yield head | {
            "type": "assistant",
            "uuid": f"a{at}",
            "timestamp": f"2026-02-10T12:00:{at:02d}Z",
            "message": {
                "id": f"msg_{at:020d}", "role": "assistant", "model": it,
                "usage": {"input_tokens": 10, "output_tokens": 4},
                "content": [{"type": "text", "text": it}],
            },
        }  # fmt: skip
