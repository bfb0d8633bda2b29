"""Maps lines of a foreign file to values by paths and templates, and makes cases of them.

A path names a field (``question``) or goes through lists and mappings (``turns.0.content``). A
value with braces is a template of paths (``{task}-{mode}-{i}``); ``{{`` stands for a brace.
``$line`` is the number of the line in its file, ``.`` the line itself, and ``=text`` stands for
that text. Nothing else is evaluated.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from benchmaker.errors import SpecError
from benchmaker.spec.documents.source_map import Path, as_text
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.case_form import as_case
from benchmaker.spec.suites.column_names import understood_columns
from benchmaker.spec.suites.expansion import Expander
from benchmaker.spec.suites.fields import AnswerFields, CaseFields

Line = Mapping[str, Any]  # a decoded line: any JSON
Pick = Callable[[Line, int], Any]


class Gap(NamedTuple):
    """A field that a line does not have."""

    name: str
    """The case's field that was to be found there."""
    message: str
    hint: str


_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_INDEX = re.compile(r"[0-9]{1,9}")
LINE_NUMBER = "$line"
WHOLE_LINE = "."


class _Missing(Enum):
    MISSING = "missing"


MISSING: Final = _Missing.MISSING
"""The value of a path that does not exist, as opposed to one that is null."""


def pick(line: Line, path: str, *, number: int = 0) -> Any:  # noqa: ANN401  any JSON
    """Return the value at a path or template of a line; the SpecError names the nearest field.

    >>> pick({"turns": [{"content": "Hello"}]}, "turns.0.content")
    'Hello'
    >>> pick({"task": "sums", "i": 3}, "{task}-{i}")
    'sums-3'
    """
    value = picker(path)(line, number)
    if value is MISSING:
        message, hint = explain_missing(line, path)
        raise SpecError(message, hint=hint)
    return value


@lru_cache(maxsize=512)
def picker(path: str) -> Pick:
    """Return a function from a line and its number to the value there, or ``MISSING``.

    SpecError if the template's braces do not match.
    """
    if path.startswith("="):
        return lambda _line, _number: path[1:]
    if path == LINE_NUMBER:
        return lambda _line, number: number
    if path == WHOLE_LINE:
        return lambda line, _number: line
    if "{" in path or "}" in path:
        return _template(path)
    if "." not in path:
        return lambda line, _number: line.get(path, MISSING)
    return _walker(path)


def may_have(keys: Collection[str], path: str) -> bool:
    """Return False if no line with only these keys has a value at a path or template.

    >>> may_have(["id", "usage"], "usage.total"), may_have(["id", "output"], "usage")
    (True, False)
    """
    is_plain = not set(path) & set("{}$=") and path != WHOLE_LINE
    return not is_plain or path in keys or path.partition(".")[0] in keys


def _walker(path: str) -> Pick:
    steps = tuple(path.split("."))

    def walk(line: Line, _number: int) -> Any:  # noqa: ANN401  any JSON
        if path in line:
            return line[path]
        value: Any = line
        for step in steps:
            value = _step(value, step)
            if value is MISSING:
                break
        return value

    return walk


def _step(value: Any, step: str) -> Any:  # noqa: ANN401  any JSON
    if isinstance(value, Mapping):
        return value.get(step, MISSING)
    if isinstance(value, list) and _INDEX.fullmatch(step) and int(step) < len(value):
        return value[int(step)]
    return MISSING


def _template(template: str) -> Pick:
    pieces = tuple(_pieces(template))

    def fill(line: Line, number: int) -> Any:  # noqa: ANN401  text or MISSING
        parts = []
        for piece in pieces:
            value = piece if isinstance(piece, str) else piece.pick(line, number)
            if value is MISSING or value is None or isinstance(value, (Mapping, list)):
                return MISSING
            parts.append(value if isinstance(value, str) else as_text(value))
        return "".join(parts)

    return fill


class _Slot(NamedTuple):
    path: str
    pick: Pick


def _pieces(template: str) -> Iterator[str | _Slot]:
    at = 0
    for match in _PIECE.finditer(template):
        yield template[at : match.start()]
        at = match.end()
        if match.group() in ("{{", "}}"):
            yield match.group()[0]
        elif not match.group(1):
            message = f"unbalanced braces in {template!r}."
            raise SpecError(
                message, hint="Use {field} for a field, and {{ or }} for a literal brace."
            )
        else:
            yield _Slot(match.group(1), picker(match.group(1)))
    yield template[at:]


def location(path: str, line: Line) -> Path:
    """The keys and indexes that a plain path goes through; empty for a template."""
    if path in line or not set(path) & set("{}$="):
        steps = (path,) if path in line else path.split(".")
        return tuple(int(step) if step.isdecimal() else step for step in steps)
    return ()


def explain_missing(line: Line, path: str) -> tuple[str, str]:
    """Return the missing part of a path without a value, and a suggestion."""
    for wanted in _paths(path):
        value: Any = line
        for step in (wanted,) if wanted in line else wanted.split("."):
            below = _step(value, step)
            if below is MISSING or below is None:
                return f"missing field {wanted!r}.", _suggestion(step, value)
            value = below
        if isinstance(value, (Mapping, list)) and wanted != path:
            return f"the field {wanted!r} is not text or a number.", "Map a field inside it."
    return f"missing field {path!r}.", _suggestion(path, line)


def _paths(path: str) -> list[str]:
    if "{" not in path:
        return [path]
    return [piece.path for piece in _pieces(path) if isinstance(piece, _Slot)]


def _suggestion(step: str, value: Any) -> str:  # noqa: ANN401  any JSON
    if isinstance(value, list):
        return f"The list there has {len(value)} items, counted from 0."
    keys = [str(key) for key in value] if isinstance(value, Mapping) else []
    listed = ", ".join(keys[:12])
    there = f"Fields there: {listed}.{_mapping_hint(step, keys)}" if listed else ""
    return did_you_mean(step, keys) or there


def _mapping_hint(step: str, keys: Sequence[str]) -> str:
    """The options that map usual names of other tools, for all fields of an answer at once.

    A field without a likely one is mapped by the user: ``--fields id=FIELD``.
    """
    if step not in _NAMES_ELSEWHERE:
        return ""
    options = [
        f"--fields {name}={other}"
        for name, others in _NAMES_ELSEWHERE.items()
        if name not in keys
        for other in [it for it in others if it in keys][:1]
    ]
    if not any(one.startswith(f"--fields {step}=") for one in options):
        options.insert(0, f"--fields {step}=FIELD")
    return f" If these hold the values, add `{' '.join(options)}`."


_NAMES_ELSEWHERE = {
    "model": ("model_name", "model_id", "system"),
    "id": ("case_id", "case", "question_id", "sample_id", "doc_id", "task_id"),
    "output": ("response", "completion", "prediction", "generation", "answer", "text"),
}
"""Names that other tools give to the fields of an answer; suggested, since a guess may be wrong."""


def case_from_line(
    line: Line,
    fields: CaseFields | None = None,
    *,
    number: int = 0,
    defaults: Mapping[str, Any] | None = None,
) -> Case:
    """Return the case in a line; SpecError for missing fields, ValueError for invalid values.

    Without ``fields`` the line must hold a case's own fields and no others. ``defaults`` fill
    absent fields.
    """
    mapper = CaseMapper(fields, defaults or {})
    values, gaps = mapper.values(line, number)
    if gaps:
        raise SpecError(gaps[0].message, hint=gaps[0].hint)
    return as_case(values, mapper.text_at(lambda: line, number))


class CaseMapper:
    """Maps lines to the values of cases; compiled once for all lines.

    A mapped field must exist in each line (null counts as absent); any other field is read under
    its own name if the line has it.

    ``renamed`` are the fields of columns with another name, unless ``fields`` map more than the id.
    ``unmapped`` are fields with a refused mapping, which are not looked up; ``undefined`` are
    fields with a refused default. ``expander`` applies the variables of the suite.
    """

    def __init__(
        self,
        fields: CaseFields | None,
        defaults: Mapping[str, Any],
        *,
        unmapped: frozenset[str] = frozenset(),
        undefined: frozenset[str] = frozenset(),
        expander: Expander | None = None,
        renamed: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.fields = fields
        self.renamed = renamed
        self.expander = expander or Expander()
        self.defaults = {k: v for k, v in defaults.items() if k not in unmapped}
        self.unsure = unmapped | undefined
        given = fields.model_dump(exclude_unset=True) if fields else {}
        self.named = {name: str(path) for name, path in given.items()}
        own = self._default_paths(self.named.keys() | unmapped)
        taken = {name: path for name, path in own.items() if name not in unmapped}
        self.paths = {**taken, **self.named} if fields else {}
        self.picks = self._pickers(self.paths)

    def with_renamed_columns(self, first: Line) -> "CaseMapper":
        """Return the mapper for a file with this first line: columns of other names understood.

        With ``fields`` only if these map nothing but the id.
        """
        found = {} if self.named.keys() - {"id"} else understood_columns(first)
        if not found:
            return self
        made = copy(self)
        made.renamed = found
        if self.fields is not None:
            made.paths = {**self.paths, **{name: column for column, name in found.items()}}
            made.picks = self._pickers(made.paths)
        return made

    def _pickers(self, paths: Mapping[str, str]) -> list[tuple[str, Pick, bool]]:
        return [(name, picker(path), name in self.named) for name, path in paths.items()]

    @staticmethod
    def _default_paths(named: Collection[str]) -> dict[str, str]:
        own = {name: name for name in (*CaseFields.model_fields, "metadata")}
        if "prompt" in named:
            del own["messages"]
        elif "messages" in named:
            del own["prompt"]
        return own

    def unknown_fields(self, values: Mapping[str, Any], gaps: Sequence[Gap]) -> frozenset[str]:
        """The fields of a line's case that are absent only because something was refused."""
        if not self.unsure and not gaps:
            return self.unsure
        return frozenset({gap.name for gap in gaps} | (self.unsure - values.keys()))

    def values(self, line: Line, number: int) -> tuple[dict[str, Any], Sequence[Gap]]:
        """Return the values of a case, and the missing fields."""
        if self.fields is None:
            own = {
                self.renamed.get(name, name): value
                for name, value in line.items()
                if value is not None
            }
            return self._with_defaults(own), ()
        values: dict[str, Any] = {}
        gaps: list[Gap] = []
        for name, get, is_named in self.picks:
            value = get(line, number)
            if value is MISSING:
                if is_named:
                    gaps.append(Gap(name, *explain_missing(line, self.paths[name])))
            elif value is not None:
                values[name] = value
        return self._with_defaults(values), gaps

    def _with_defaults(self, values: dict[str, Any]) -> dict[str, Any]:
        return {**self.defaults, **values} if self.defaults else values

    def text_at(self, read: Callable[[], Line], number: int) -> Callable[[Path], str]:
        """Return a function from a case's field to the source text of its number.

        ``read`` returns the line with the source text of its numbers.
        """

        def text(path: Path) -> str:
            value: Any = self.values(read(), number)[0]
            for step in path:
                value = value[step]
            return as_text(value)

        return text

    def location(self, path: Path, line: Line) -> Path:
        """Return the path in the line of a value of the case."""
        if not path:
            return path
        if self.fields is None:
            columns = (column for column, name in self.renamed.items() if name == path[0])
            return (next(columns, path[0]), *path[1:])
        return (*location(self.paths.get(str(path[0]), str(path[0])), line), *path[1:])


def answers_from_line(
    line: Line, fields: AnswerFields, *, number: int = 0
) -> Iterator[tuple[str, Any]]:
    """Yield each model with an answer in a line, with the raw answer.

    A wide line (``fields.models``) yields one pair for each model with a field in it. SpecError for
    a missing model or output, or an invalid model name.
    """
    if fields.models:
        for model, path in fields.models.items():
            value = picker(path)(line, number)
            if value is not MISSING:
                yield model, value
        return
    output = pick(line, fields.output, number=number)
    yield model_of(line, fields, number=number), output


def model_of(line: Line, fields: AnswerFields, *, number: int = 0) -> str:
    """The model whose answer a line holds; SpecError where it names none."""
    model = pick(line, fields.model, number=number)
    if not isinstance(model, (str, int, float)) or not str(model).strip():
        raise SpecError(
            f"no model in {fields.model!r}.", hint="Add the name of a model to each line."
        )
    return as_text(model)
