"""Templates of Nunjucks as templates of suites, where both mean the same."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated
from benchmaker.spec.suites.templates import TemplateError, compile_template, render

_TAG = re.compile(r"(\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})", re.DOTALL)
_REPLACED = (
    (re.compile(r"\|\s*dump(?:\(\))?(?![\w(])"), "| tojson"),
    (re.compile(r"\|\s*safe\b"), ""),
    (re.compile(r"==="), "=="),
    (re.compile(r"!=="), "!="),
    (re.compile(r"\b(\w+(?:\.\w+)*)\.length\b"), r"(\1 | length)"),
)
_ENVIRONMENT = re.compile(r"\benv\.")


def to_jinja(text: str) -> str:
    """Return a template of Nunjucks in Jinja2.

    Raises:
        NotTranslated: it uses something that suites do not have.

    >>> to_jinja("{% if a === b %}{{ c | dump }}{% endif %}")
    '{% if a == b %}{{ c | tojson }}{% endif %}'
    """
    if not is_template(text):
        return text
    pieces = _TAG.split(text)
    made = "".join(_tag(it) if place % 2 else it for place, it in enumerate(pieces))
    names_in([made])
    return made


def is_template(text: str) -> bool:
    """True if the text has a tag of a template."""
    return "{{" in text or "{%" in text or "{#" in text


def names_in(templates: Iterable[str]) -> set[str]:
    """Return the variables that templates use.

    Raises:
        NotTranslated: one of them does not compile.
    """
    names: set[str] = set()
    for text in templates:
        try:
            names |= compile_template(text).names
        except TemplateError as exc:
            message = "; ".join(one.message.rstrip(".") for one in exc.faults)
            raise NotTranslated(f"the template is not translated: {message}") from exc
    return names


def fill_template(text: str, known: Mapping[str, Any]) -> str:
    """Return the text of a template with known variables; undefined ones are empty.

    Raises:
        NotTranslated: it can't be rendered.
    """
    if not is_template(text):
        return text
    made = to_jinja(text)
    missing = dict.fromkeys(names_in([made]) - known.keys(), "")
    try:
        return render(made, {**missing, **known})
    except TemplateError as exc:
        raise NotTranslated(f"the template can't be rendered: {exc}") from exc


def literal(text: str) -> str:
    """Return a text that means itself in a template.

    >>> literal("{{a}}")
    '{% raw %}{{a}}{% endraw %}'
    """
    return f"{{% raw %}}{text}{{% endraw %}}" if is_template(text) else text


def _tag(text: str) -> str:
    if _ENVIRONMENT.search(text):
        raise NotTranslated("variables of the environment are not read in templates")
    for pattern, by in _REPLACED:
        text = pattern.sub(by, text)
    return text
