"""The page of public names, from ``benchmaker.__all__``."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import TypeGuard, get_type_hints

from pydantic import BaseModel

import benchmaker
from benchmaker import RunOptions
from benchmaker.engine.requests.option_declaration import Option, Surfaces, declared_in
from benchmaker.engine.requests.run_options import GROUPS
from benchmaker.tabular import Tabular
from scripts.reference.docstring import first_sentence, markdown

HEAD = """\
# Python

Everything public is imported from `benchmaker`; names are loaded when they are first used. The
examples on this page begin with:

```python
import benchmaker
from benchmaker import *
from benchmaker.tabular import Tabular
```

Functions that read or write results take `home=`, the data folder; Python code reads no
environment variable. Errors are on [their own page](errors.md).
"""


def page() -> str:
    """The page's Markdown."""
    return "\n".join([HEAD, *(_entry(name) for name in names())])


def names() -> list[str]:
    """The public names, errors and dunder names left out."""
    public = [name for name in benchmaker.__all__ if not name.startswith("_")]
    return [name for name in public if not _is_error(getattr(benchmaker, name))]


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def _entry(name: str) -> str:
    value = getattr(benchmaker, name)
    if _is_alias(name, value):
        other = value.__name__
        return f"## `{name}`\n\nThe published name of [`{other}`](#{other.lower()}).\n"
    parts = [f"## `{name}`", *_call(name, value), markdown(value)]
    if isinstance(value, type):
        parts += _members(value)
    if value is RunOptions:
        parts += map(_group, GROUPS)
    return "\n\n".join(parts) + "\n"


def _group(group: type) -> str:
    """A group of the options of a run, with the help of each."""
    named = [f"- `{name}`: {_sentence(it)}" for name, it in declared_in([group]).items()]
    return "\n".join([f"{first_sentence(group)}:\n", *named])


def _sentence(declared: Option) -> str:
    """What an option is for, and how it is written on the command line."""
    has_flag = Surfaces.COMMAND in declared.surfaces
    meaning = f"False: {declared.help}" if declared.default is True else declared.help
    return f"{meaning} (`{declared.command_flag}`)" if has_flag else meaning


def _call(name: str, value: object) -> Iterator[str]:
    if callable(value):
        yield f"```text\n{_signature(name, value)}\n```"


def _is_alias(name: str, value: object) -> TypeGuard[type]:
    return isinstance(value, type) and value.__name__ != name


def _signature(name: str, value: Callable[..., object]) -> str:
    """One line where it fits, else one parameter a line."""
    try:
        signature = _without_metadata(value)
    except ValueError:
        return name
    line = _plain(f"{name}{signature}")
    if len(line) <= 90:  # noqa: PLR2004  the width of a page
        return line
    shown = _with_marks(signature)
    returned = signature.return_annotation
    arrow = (
        "" if returned is inspect.Signature.empty else f" -> {inspect.formatannotation(returned)}"
    )
    inner = "".join(f"    {part},\n" for part in shown)
    return _plain(f"{name}(\n{inner}){arrow}")


def _without_metadata(value: Callable[..., object]) -> inspect.Signature:
    """The signature with plain types: what pydantic adds to them is on the page of the file."""
    signature = inspect.signature(value)
    if not (isinstance(value, type) and issubclass(value, BaseModel)):
        return signature
    hints = get_type_hints(value)
    shown = [
        it.replace(annotation=hints.get(it.name, it.annotation))
        for it in signature.parameters.values()
    ]
    return signature.replace(parameters=shown)


def _with_marks(signature: inspect.Signature) -> Iterator[str]:
    """The parameters with the ``*`` that makes the rest keyword-only."""
    marked = False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            marked = True
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not marked:
            marked = True
            yield "*"
        yield str(parameter)


def _plain(text: str) -> str:
    """Without module paths, quotes around types, and addresses."""
    text = re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text)
    text = re.sub(r"Optional\[((?:[^\[\]]|\[[^\[\]]*\])*)\]", r"\1 | None", text)
    text = text.removesuffix(" -> None").replace("~T", "T")
    text = re.sub(r"<factory>|<[^<>]* object at 0x[0-9a-f]+>", "…", text)
    text = re.sub(r"<([A-Za-z]+\.[A-Za-z]+): [^>]*>", r"\1", text)
    return re.sub(r"'([A-Z][A-Za-z\[\], |]*)'", r"\1", text)


def _members(cls: type) -> Iterator[str]:
    """Public methods and properties defined by us, with their first sentence."""
    if issubclass(cls, Enum):
        return
    held = [kind for kind in (cls, *cls.__bases__) if kind in (cls, Tabular)]
    found = [
        (name, value)
        for kind in held
        for name, value in vars(kind).items()
        if _is_member(kind, name, value)
    ]
    if found:
        yield "\n".join(_member(name, value) for name, value in found)


def _is_member(cls: type, name: str, value: object) -> bool:
    if name.startswith(("_", "model_")):
        return False
    if dataclasses.is_dataclass(cls) and name in {it.name for it in dataclasses.fields(cls)}:
        return False
    return isinstance(value, property | classmethod | staticmethod) or inspect.isfunction(value)


def _member(name: str, value: object) -> str:
    call = "" if isinstance(value, property) else "()"
    return f"- `{name}{call}`: {first_sentence(value)}."
