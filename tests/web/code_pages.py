"""Runs with generated pages that were not rendered, and pages that five models write."""

import json

import benchmaker
from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.store import Store
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
