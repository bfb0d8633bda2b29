"""The pages of a run as one file: screenshots, code as text, scores; nothing is executed."""

import base64
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, TextIO

from benchmaker.arenas.code.generated_pages import GatheredPage
from benchmaker.record import Run
from benchmaker.redact import Redactor
from benchmaker.report.arenas.code_scores import criterion_lines
from benchmaker.report.runs.html import Theme, policy_of, source_of, template_of
from benchmaker.report.sentences.code_words import checks_of, state_of, trouble_of
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.spec import Case
from benchmaker.store.runs.renders import Blob

_IMAGES = ("image/png", "image/jpeg", "image/webp")
_WHOLE = 200_000


def write_code_report(
    run: Run,
    pages: Iterable[GatheredPage],
    stream: TextIO,
    *,
    pictures: Callable[[GatheredPage], Sequence[tuple[int, Blob]]],
    theme: Theme = "auto",
    redactor: Redactor | None = None,
) -> None:
    """Write each prompt with all its pages: screenshots, scores, findings, code as text.

    The file has no scripts and external resources; model output is escaped. Secrets are removed
    from texts.

    Args:
        run: the run of the pages.
        pages: in the order of prompts; read once.
        stream: text, written as UTF-8.
        pictures: the screenshots of a page by their width.
        theme: light, dark, or the system's setting.
        redactor: removes further secrets; texts that look like keys are always removed.
    """
    css = source_of("tokens.css") + source_of("report.css") + source_of("code_report.css")
    clean = (redactor or Redactor()).text
    content = {
        "css": css,
        "policy": policy_of(css),
        "theme": theme,
        "run": run,
        "title": sanitise(clean(run.suite_name)),
        "prompts": (
            {
                "number": number,
                "id": sanitise(clean(group[0].case.id)),
                "prompt": _texts(group[0].case, clean),
                "pages": [_page(page, pictures(page), clean) for page in group],
            }
            for number, found in groupby(pages, key=lambda it: it.number)
            for group in [list(found)]
        ),
    }
    stream.writelines(template_of("code_report.html.jinja").generate(content))
    stream.write("\n")


def _texts(case: Case, clean: Callable[[str], str]) -> list[str]:
    return [sanitise(clean(turn.content), lines=True) for turn in case.conversation()]


def _page(
    page: GatheredPage, pictures: Sequence[tuple[int, Blob]], clean: Callable[[str], str]
) -> dict[str, Any]:
    made = page.prepared
    report = made.report if made else None
    return {
        "model": sanitise(clean(page.model)),
        "state": state_of(made, page.trial),
        "is_fine": state_of(made, page.trial) == "rendered",
        "trouble": sanitise(clean(trouble_of(made))) if made else "",
        "checks": checks_of(made, page.score),
        "criteria": criterion_lines([page.score]),
        "notes": sanitise(clean(page.score.notes)) if page.score else "",
        "findings": [sanitise(clean(it.message)) for it in report.findings] if report else [],
        "pictures": [
            (width, f"data:{it.type};base64,{base64.b64encode(it.body).decode()}")
            for width, it in pictures
            if it.type in _IMAGES
        ],
        "files": [
            (sanitise(clean(file.path)), sanitise(clean(file.text[:_WHOLE]), lines=True))
            for file in (made.artifact.files if made else ())
        ],
    }
