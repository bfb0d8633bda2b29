"""Suites of one prompt for a page, made from a text that somebody typed."""

import hashlib
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmaker.engine.runs.code_runs import CODE_JUDGE, refuse_outside_code_arena
from benchmaker.engine.trials.setup_cases import case_of_setup
from benchmaker.errors import SpecError
from benchmaker.record import Score, TrialKey
from benchmaker.spec import Case, ScorerSpec, Suite
from benchmaker.spec.documents.bundled_files import resource_path
from benchmaker.spec.suites.case import Message
from benchmaker.spec.suites.load import load_suite
from benchmaker.store import Store

MOST_CHARACTERS = 20_000
"""Maximum length of a typed prompt."""

PAGE_ID = "page"
"""The id of the only case of such a suite."""

CODE_SCORER = ScorerSpec(id=CODE_JUDGE)
"""The scorer of pages with its defaults."""

_AGAIN = "Ask for the page again."
_ORIGIN = "improves"
_SHOWN = ("quick", "vision")
"""The parameters that set what a judge sees of a page, which a later judging may change."""

_PARTS = {"run", "case", "model"}
_WORD = re.compile(r"[a-z0-9]+")
_MOST_WORDS = 6
_MOST_OF_WORD = 16
_DIGITS = 6


class ImprovedPage(NamedTuple):
    """A page that is to be improved: its run, its case, its model, its answer and its scorer."""

    run_id: str
    case: Case
    model: str
    answer: str
    scorer: ScorerSpec = CODE_SCORER


class PageOrigin(NamedTuple):
    """The earlier page of an improved one: its run, its case and its model."""

    run_id: str
    case_id: str
    model: str


@cache
def bundled_suite() -> Suite:
    """The suite of page prompts that ships with the package."""
    return load_suite(Path(str(resource_path("code", "starter.yaml"))))


def suite_of_prompt(prompt: str) -> Suite:
    """Return a suite with one prompt for a page, scored as a page.

    It has the system prompt and the parameters of the bundled suite. A prompt of the bundled suite
    keeps its checks. The same prompt makes the same suite. Outer white space is removed.

    Raises:
        SpecError: an empty or an overlong prompt.
    """
    text = _check_text(prompt)
    known = next((it for it in bundled_suite().cases if (it.prompt or "").strip() == text), None)
    case = Case(id=PAGE_ID, prompt=text, page=known.page if known else None)
    return _suite(text, case, bundled_suite().system_prompt)


def suite_of_improvement(request: str, page: ImprovedPage, suite: Suite) -> Suite:
    """Return a suite with one request to improve a page, after the prompt and the first answer.

    It keeps the system prompt and the judge prompt of the page's suite, the checks of its case, and
    the scorer of the page, so that the judge sees both pages alike. The case names the page in its
    metadata (:func:`improved_page_of`).

    Args:
        request: the requested changes; outer white space is removed.
        page: the page, with its answer.
        suite: the suite of the page.

    Raises:
        SpecError: an empty or an overlong request, or an answer without text.
    """
    text = _check_text(request)
    if not page.answer.strip():
        raise SpecError("this answer is empty.", hint=_AGAIN)
    turns = (
        *page.case.conversation(),
        Message(role="assistant", content=page.answer),
        Message(role="user", content=text),
    )
    origin = {"run": page.run_id, "case": page.case.id, "model": page.model}
    case = Case(id=PAGE_ID, messages=turns, page=page.case.page, metadata={_ORIGIN: origin})
    made = _suite(text, case, suite.system_prompt)
    return replace(made, scorer=page.scorer, judge_prompt=suite.judge_prompt)


def suite_of_stored_page(store: Store, page: TrialKey, request: str) -> Suite:
    """Return a suite with one request to improve a page of a stored run.

    Raises:
        SpecError: as in :func:`suite_of_improvement`, or a run outside the Code Arena.
        StoreError: an unknown run or trial.
    """
    refuse_outside_code_arena(store, [page.run_id])
    run, trial = store.run(page.run_id), store.trial(page.run_id, page.model, page.case_id)
    if trial.completion is None:
        raise SpecError(f"there is no answer: {trial.outcome.replace('_', ' ')}.", hint=_AGAIN)
    suite = store.suite(run.suite_hash)
    case = case_of_setup(store, run, page.model, store.case(run.suite_hash, trial.position))
    scorer = _page_scorer(suite, case, trial.score)
    first = ImprovedPage(run.id, case, page.model, trial.text, scorer)
    return suite_of_improvement(request, first, suite)


def _page_scorer(suite: Suite, case: Case, score: Score | None) -> ScorerSpec:
    """Return the scorer of a page, with that part of the page which the judge saw last."""
    own = suite.scorer_of(case)
    kept = own.parameters if own is not None and own.id == CODE_JUDGE else {}
    last = score.parameters if score is not None and score.scorer == CODE_JUDGE else {}
    seen = {name: last[name] for name in _SHOWN if name in last}
    return ScorerSpec.model_validate({"id": CODE_JUDGE, **kept, **seen})


def improved_page_of(case: Case) -> PageOrigin | None:
    """Return the page that a case improves; None for any other case."""
    origin = case.metadata.get(_ORIGIN)
    if not isinstance(origin, dict) or not origin.keys() >= _PARTS:
        return None
    return PageOrigin(str(origin["run"]), str(origin["case"]), str(origin["model"]))


def suite_name(prompt: str) -> str:
    """Return the name of the suite of a prompt: its first words, and six digits of its hash.

    >>> suite_name("Make a page for a *shopping* list, with a button.")
    'page-make-a-page-for-a-shopping-a7e803'
    """
    text = prompt.strip()
    words = [word[:_MOST_OF_WORD] for word in _WORD.findall(text.lower())[:_MOST_WORDS]]
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return "-".join(["page", *words, digest[:_DIGITS]])


def _check_text(prompt: str) -> str:
    text = prompt.strip()
    if not text:
        raise SpecError("the prompt is empty.", hint="Describe the page.")
    if len(text) > MOST_CHARACTERS:
        raise SpecError(
            f"the prompt has {len(text):,} characters, at most {MOST_CHARACTERS:,} are allowed.",
            hint="Shorten it, or write a suite.",
        )
    return text


def _suite(text: str, case: Case, system_prompt: str | None) -> Suite:
    model = bundled_suite()
    return Suite(
        suite_name(text),
        [case],
        profile=model.profile,
        scorer=CODE_JUDGE,
        system_prompt=system_prompt,
        parameters=model.parameters,
    )
