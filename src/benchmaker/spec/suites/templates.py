"""Templates of prompts and cases: compiled once, rendered, their faults as findings."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmaker.spec.documents.suggestions import did_you_mean

if TYPE_CHECKING:
    from jinja2 import Template as Compiled
    from jinja2 import nodes

    from benchmaker.spec.suites.template_sandbox import Sandbox

_SIGNS = ("{{", "{%", "{#")

RAW = "Around literal braces, write {% raw %} and {% endraw %}."
"""The remedy for text with braces that is no template."""

Variables = Mapping[str, Any]


class TemplateFault(NamedTuple):
    """A fault of a template; line and column count from 1 within its text."""

    line: int
    column: int
    message: str
    hint: str = ""


def with_remedy(fault: TemplateFault) -> TemplateFault:
    """Return a fault in a scorer or a check with the remedy for braces that are meant literally."""
    hint = fault.hint if RAW in fault.hint else f"{fault.hint} {RAW}".strip()
    return fault._replace(hint=hint)


class TemplateError(ValueError):
    """A template that can't be rendered, with all its faults."""

    def __init__(self, faults: list[TemplateFault]) -> None:
        super().__init__("; ".join(f"{one.message} {one.hint}".strip() for one in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled template.

    ``names`` are the variables that it may use. A ``plain`` one only inserts variables, so that it
    renders wherever it knows them.
    """

    text: str
    names: frozenset[str]
    is_plain: bool
    compiled: "Compiled"

    def faults_with(self, variables: Variables) -> list[TemplateFault]:
        """Return the faults of a rendering with these variables; empty if it succeeds."""
        if self.is_plain and self.names <= variables.keys():
            return []
        try:
            self.render(variables)
        except TemplateError as exc:
            return exc.faults
        return []

    def render(self, variables: Variables) -> str:
        """Return the text with these variables.

        Raises:
            TemplateError: a variable is undefined, or the template exceeds the sandbox's limits.
        """
        from benchmaker.spec.suites.template_sandbox import (  # noqa: PLC0415  Jinja2 is slow to load
            LimitExceeded,
            RenderLimits,
            UndefinedVariable,
        )

        try:
            limits = RenderLimits()
            parts = self.compiled.generate(variables, _limits=limits)
            return "".join(map(limits.add_text, parts))
        except UndefinedVariable as exc:
            raise TemplateError(
                list(self._undefined_faults(exc.name, exc.owner, variables))
            ) from exc
        except LimitExceeded as exc:
            raise TemplateError([TemplateFault(1, 1, f"{exc}.", "Simplify the template.")]) from exc
        except Exception as exc:  # anything that an expression may raise
            line = _line_of(exc)
            raise TemplateError(
                [TemplateFault(line, 1, f"the template fails: {str(exc).rstrip('.')}.")]
            ) from exc

    def _undefined_faults(
        self, name: str, owner: object, known: Variables
    ) -> Iterator[TemplateFault]:
        """Every variable of the template that is unknown, or the one field that is missing."""
        if owner is not None:
            fields = list(map(str, owner)) if isinstance(owner, Mapping) else []
            yield self._fault(name, f"undefined field {name!r}.", fields)
            return
        for unknown in sorted(self.names - known.keys(), key=self.place_of) or [name]:
            yield self._fault(unknown, f"undefined variable {unknown!r}.", list(known))

    def _fault(self, name: str, message: str, known: list[str]) -> TemplateFault:
        listed = f"Known here: {', '.join(known[:12])}." if known else ""
        return TemplateFault(*self.place_of(name), message, did_you_mean(name, known) or listed)

    def place_of(self, name: str) -> tuple[int, int]:
        """The line and column of the first use of a name in an expression."""
        wanted = re.compile(
            rf"(?<![\w.'\"]){re.escape(name)}(?!\w)|(?<=[.]){re.escape(name)}(?!\w)"
        )
        for expression in _EXPRESSION.finditer(self.text):
            if found := wanted.search(expression.group()):
                return _position(self.text, expression.start() + found.start())
        return 1, 1


_EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


def is_template(text: str) -> bool:
    """True if rendering may change the text.

    >>> is_template("{{ place }}"), is_template("{place}")
    (True, False)
    """
    return "{" in text and any(sign in text for sign in _SIGNS)


def render(text: str, variables: Variables) -> str:
    """Return a template's text with these variables; a text without signs is returned as it is.

    Raises:
        TemplateError: a syntax error, an undefined variable, or a limit of the sandbox.

    >>> render("Where is {{ place }}?", {"place": "Rome"})
    'Where is Rome?'
    """
    return compile_template(text).render(variables) if is_template(text) else text


_ALONE = re.compile(r"\{\{-?\s*([A-Za-z_]\w*)\s*-?\}\}")


def render_value(text: str, variables: Variables) -> Any:  # noqa: ANN401  plain data
    """Return a variable in its own type where the template is that variable alone, else the text.

    Raises:
        TemplateError: as :func:`render`.

    >>> render_value("{{ n }}", {"n": 3}), render_value("n = {{ n }}", {"n": 3})
    (3, 'n = 3')
    """
    alone = _ALONE.fullmatch(text)
    value = variables.get(alone[1]) if alone else None
    is_text = value is None or isinstance(value, str)
    return render(text, variables) if is_text else value


@lru_cache(maxsize=512)
def compile_template(text: str) -> Template:
    """Return the compiled template.

    Raises:
        TemplateError: a syntax error, or something that the sandbox lacks.
    """
    from jinja2 import TemplateSyntaxError, meta  # noqa: PLC0415  as above

    sandbox = template_sandbox()
    try:
        tree = sandbox.parse(text)
        names = meta.find_undeclared_variables(tree) - {"_limits"}
        compiled = sandbox.from_string(text)
    except TemplateSyntaxError as exc:
        message = f"the template has a syntax error: {(exc.message or '').rstrip('.')}."
        raise TemplateError([TemplateFault(exc.lineno, 1, message, RAW)]) from exc
    except (SyntaxError, MemoryError, RecursionError) as exc:
        raise TemplateError([TemplateFault(1, 1, "the template is nested too deeply.")]) from exc
    return Template(text, frozenset(names - sandbox.globals.keys()), _is_plain(tree), compiled)


def _is_plain(tree: "nodes.Template") -> bool:
    """True if the template consists of text and variables."""
    from jinja2 import nodes  # noqa: PLC0415  as above

    parts = (part for node in tree.body for part in getattr(node, "nodes", (node,)))
    return all(isinstance(part, (nodes.TemplateData, nodes.Name)) for part in parts)


@lru_cache(maxsize=1)
def template_sandbox() -> "Sandbox":
    """The environment of all templates, made once."""
    from benchmaker.spec.suites.template_sandbox import Sandbox  # noqa: PLC0415  as above

    return Sandbox()


def find_faults(text: str, variables: Variables) -> list[TemplateFault]:
    """Return the faults of a template with these variables; empty if it can be rendered."""
    if not is_template(text):
        return []
    try:
        template = compile_template(text)
    except TemplateError as exc:
        return exc.faults
    return template.faults_with(variables)


def _position(text: str, at: int) -> tuple[int, int]:
    before = text[:at]
    return before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1


def _line_of(exc: BaseException) -> int:
    """The line of the template in which an expression failed."""
    trace, line = exc.__traceback__, 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
