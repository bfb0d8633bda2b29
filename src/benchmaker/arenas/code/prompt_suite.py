"""Suites of one prompt for a page, made from a text that somebody typed."""

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from benchmaker.engine.runs.code_runs import CODE_JUDGE
from benchmaker.errors import SpecError
from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.bundled_files import resource_path
from benchmaker.spec.suites.case import Message
from benchmaker.spec.suites.load import load_suite

MOST_CHARACTERS = 20_000
"""Maximum length of a typed prompt."""

PAGE_ID = "page"
"""The id of the only case of such a suite."""

_WORD = re.compile(r"[a-z0-9]+")
_MOST_WORDS = 6
_MOST_OF_WORD = 16
_DIGITS = 6


@cache
def bundled_suite() -> Suite:
    """The suite of page prompts that ships with the package."""
    return load_suite(Path(str(resource_path("code", "starter.yaml"))))


def suite_of_prompt(prompt: str, *, earlier: Sequence[Message] = ()) -> Suite:
    """Return a suite with one prompt for a page, scored as a page.

    It has the system prompt and the parameters of the bundled suite. A prompt of the bundled suite
    keeps its checks. The same prompt makes the same suite.

    Args:
        prompt: the text; outer white space is removed.
        earlier: the turns before the prompt, for a page that is to be improved.

    Raises:
        SpecError: an empty or an overlong prompt.
    """
    text = _checked(prompt)
    model = bundled_suite()
    return Suite(
        suite_name(text),
        [_case(text, earlier)],
        profile=model.profile,
        scorer=CODE_JUDGE,
        system_prompt=model.system_prompt,
        parameters=model.parameters,
    )


def suite_name(prompt: str) -> str:
    """Return the name of the suite of a prompt: its first words, and six digits of its hash.

    >>> suite_name("Make a page for a *shopping* list, with a button.")
    'page-make-a-page-for-a-shopping-a7e803'
    """
    text = prompt.strip()
    words = [word[:_MOST_OF_WORD] for word in _WORD.findall(text.lower())[:_MOST_WORDS]]
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return "-".join(["page", *words, digest[:_DIGITS]])


def _checked(prompt: str) -> str:
    text = prompt.strip()
    if not text:
        raise SpecError("the prompt is empty.", hint="Describe the page.")
    if len(text) > MOST_CHARACTERS:
        raise SpecError(
            f"the prompt has {len(text):,} characters, at most {MOST_CHARACTERS:,} are allowed.",
            hint="Shorten it, or write a suite.",
        )
    return text


def _case(text: str, earlier: Sequence[Message]) -> Case:
    if earlier:
        return Case(id=PAGE_ID, messages=(*earlier, Message(role="user", content=text)))
    known = next((it for it in bundled_suite().cases if (it.prompt or "").strip() == text), None)
    return Case(id=PAGE_ID, prompt=text, page=known.page if known else None)
