"""Runs with generated pages that were not rendered, and pages that five models write."""

import json

import benchmaker
from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.record import CheckResult, ProbeOutcome, ProbeReport, Shot, StepOutcome
from benchmaker.record.prepared_answer import PreparedAnswer, Rendering
from benchmaker.record.probe import HEIGHTS, StepResult
from benchmaker.store import Store
from benchmaker.store.runs.renders import Blob
from tests.web.aside import aside

_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>{title}</title>'
    "<style>body{{background:{colour};height:3000px}}</style></head><body><main>"
)


def page(title, colour="#eef", body=""):
    """An answer with a page as high as some windows."""
    head = _HEAD.format(title=title, colour=colour)
    return f"```html\n{head}<h1>{title}</h1>{body}</main></body></html>\n```"


NAMES = ("amber", "birch", "cedar", "dune", "ember")
COLOURS = ("#fde", "#def", "#efd", "#ffe", "#eee")
BY_MODEL = {
    name: (lambda _, at=at: page(f"Page {at}", COLOURS[at])) for at, name in enumerate(NAMES)
}
"""What five scripted models write; no page names its model."""

PNG = b"\x89PNG\r\n"
_WINDOW = Shot(viewport=1440, width=1440, height=900, sha256="f" * 64)
STEPS = (
    StepResult(index=1, text="click button “Add”", outcome=StepOutcome.PASSED, picture=_WINDOW),
    StepResult(
        index=2,
        text="expect #n",
        outcome=StepOutcome.FAILED,
        message="its text is “0”",
        picture=_WINDOW,
    ),
    StepResult(index=3, text="press Enter", outcome=StepOutcome.NOT_REACHED),
)
"""The steps of the only check of each page in `put_renderings`."""


def put_renderings(home, run_id):
    """Give each page of a run three screenshots and the film strip of a check."""
    with Store.open(home / "benchmaker.db") as store:
        for at, (key, made) in enumerate(list(store.renders.each_prepared(run_id))):
            name = f"{at:064x}"
            report = ProbeReport(
                sha="s",
                outcome=ProbeOutcome.RENDERED,
                version="1",
                screenshots=tuple(_shot(width, name) for width in HEIGHTS),
                checks=(CheckResult(index=1, text="adds one", passed=False, steps=STEPS),),
            )
            rendering = Rendering(
                key=name, content=name, place="p", artifact_sha=made.artifact.sha256, report=report
            )
            pictures = {it.sha256: Blob("image/png", PNG) for it in report.all_pictures}
            store.renders.put_rendering(rendering, pictures)
            store.renders.put_artifact(
                key, PreparedAnswer(artifact=made.artifact, rendering=rendering)
            )


def _shot(width, name):
    return Shot(viewport=width, width=width, height=HEIGHTS[width], sha256=name)


def stored_run(home, answers, *, cases=("x",), prompt="A page."):
    """A run of these answers by model, each the same for all cases; returns its id."""
    suite, file = home / "pairs.yaml", home / "answers.jsonl"
    listed = "".join(f"  - {{id: {case}, prompt: {prompt}, expected: e}}\n" for case in cases)
    suite.write_text(f"name: pairs\nscorer: exact\ncases:\n{listed}")
    rows = [
        {"id": case, "model": model, "output": text}
        for case in cases
        for model, text in answers.items()
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = aside(lambda: benchmaker.run(suite, recorded=file, home=home))
    with Store.open(home / "benchmaker.db") as store:
        for trial in found.trials():
            store.renders.put_artifact(
                trial.key, PreparedAnswer(artifact=extract_artifact(trial.text))
            )
    return found.run_ids[0]
