"""Expressions that select cases: ``category == "law" and "long" in tags``.

They are Jinja2 expressions in the sandbox of templates, bounded in time and size.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.templates import (
    Template,
    TemplateError,
    TemplateFault,
    compile_template,
    template_sandbox,
)

if TYPE_CHECKING:
    from jinja2.lexer import TokenStream

CASE_NAMES = ("id", "tags", "category", "difficulty", "group", "vars", "weight")
"""The names of every expression."""

NO_VARIABLES: Mapping[str, Any] = MappingProxyType({})
"""The variables of a suite without any."""

TRIAL_NAMES = ("score", "outcome", "setup")
"""The further names of an expression over the trials of an earlier run."""

_BEFORE, _AFTER = "{% if ", "\n%}1{% endif %}"
_IGNORED = frozenset({"whitespace", "comment", "comment_begin", "comment_end", "linecomment"})


@dataclass(frozen=True, slots=True)
class FilterExpression:
    """A compiled expression; ``option`` is its place in messages."""

    text: str
    option: str
    template: Template

    def passes(
        self,
        case: Case,
        *,
        variables: Mapping[str, Any] = NO_VARIABLES,
        **trial: Any,  # noqa: ANN401  score, outcome, setup
    ) -> bool:
        """True if the expression is true of the case, and of a trial where one is given.

        ``variables`` are those of the suite, which apply to a case without its own.

        Raises:
            SpecError: the case lacks a field that is used, or a value has the wrong type.
        """
        try:
            return bool(self.template.render({**case_values(case, variables), **trial}))
        except TemplateError as exc:
            raise _refusal(self.option, exc.faults, f" for case {case.id!r}") from exc


def case_values(case: Case, variables: Mapping[str, Any] = NO_VARIABLES) -> dict[str, Any]:
    """The values of a case, by their names in an expression; its variables precede the suite's."""
    values = {name: getattr(case, name) for name in CASE_NAMES}
    return {**values, "tags": list(case.tags), "vars": {**variables, **case.vars}}


@lru_cache(maxsize=64)
def compile_filter(text: str, *, with_trials: bool, option: str = "--filter") -> FilterExpression:
    """Return the compiled expression; ``with_trials`` if it is evaluated for trials.

    Raises:
        SpecError: a syntax error, or an unknown name, with line and column in the expression.
    """
    try:
        _refuse_other_syntax(text)
        template = compile_template(f"{_BEFORE}{text}{_AFTER}")
    except TemplateError as exc:
        raise _refusal(option, exc.faults) from exc
    known = (*CASE_NAMES, *TRIAL_NAMES) if with_trials else CASE_NAMES
    if unknown := sorted(template.names - set(known), key=template.place_of):
        faults = [
            TemplateFault(*template.place_of(name), f"unknown name {name!r}.", _hint(name, known))
            for name in unknown
        ]
        raise _refusal(option, faults)
    return FilterExpression(text, option, template)


def _hint(name: str, known: tuple[str, ...]) -> str:
    if name in TRIAL_NAMES:
        return "Name the earlier run: --filter-of RUN"
    near = did_you_mean(name, known) or f"For a variable of the cases, write vars.{name}."
    return f"{near} Known here: {', '.join(known)}."


def _refuse_other_syntax(text: str) -> None:
    """Raise TemplateError for anything that is not one whole expression."""
    from jinja2 import TemplateSyntaxError  # noqa: PLC0415  Jinja2 is slow to load
    from jinja2.parser import Parser  # noqa: PLC0415  as above

    if not text.strip():
        raise TemplateError([TemplateFault(1, 1, "the expression is empty.")])
    parser = None
    try:
        parser = Parser(template_sandbox(), text, state="variable")
        parser.parse_expression()
        if not parser.stream.eos:
            parser.fail(f"unexpected {parser.stream.current.value!r} after the expression")
    except TemplateSyntaxError as exc:
        place = _place(text, parser.stream) if parser else (exc.lineno, 1)
        message = f"syntax error: {(exc.message or '').rstrip('.')}."
        raise TemplateError([TemplateFault(*place, message)]) from exc
    except RecursionError as exc:
        raise TemplateError([TemplateFault(1, 1, "the expression is nested too deeply.")]) from exc


def _place(text: str, stream: "TokenStream") -> tuple[int, int]:
    """The line and column of the token at which a parser, or its lexer, stopped."""
    from jinja2 import TemplateSyntaxError  # noqa: PLC0415  as above

    tokens: list[tuple[str, str]] = []
    try:
        for _, kind, value in template_sandbox().lexer.tokeniter(text, None, state="variable"):
            tokens.append((kind, value))
        left = sum(1 for _ in stream)
    except TemplateSyntaxError:
        left = 0
    places = [at for at, (kind, _) in enumerate(tokens) if kind not in _IGNORED]
    at = places[-left] if left else len(tokens)
    before = "".join(value for _, value in tokens[:at])
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _refusal(option: str, faults: list[TemplateFault], case: str = "") -> SpecError:
    """The error with the faults at their places in the expression."""
    shift = len(_BEFORE)
    return SpecError.of([
        Finding(
            option,
            one.line,
            one.column - shift if one.line == 1 and one.column > shift else one.column,
            f"{one.message.rstrip('.')}{case}.",
            one.hint,
        )
        for one in faults
    ])  # fmt: skip
