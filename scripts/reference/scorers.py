"""The page of scorers, from the registry."""

import dataclasses
import re
from collections.abc import Iterator
from typing import get_args, get_type_hints

from benchmaker import plugins
from scripts.reference.docstring import inline, markdown

HEAD = """\
# Scorers

A scorer is named in a suite by its id, alone or with parameters beside it:

```yaml
scorer: {id: numeric, tolerance: 0.02}
```

[Scoring](../explanation/scoring.md) explains the definitions. `benchmaker plugins` lists the
installed scorers, plug-ins included; [add a scorer](../how-to/add-a-scorer.md) shows how to write
one.
"""


def page() -> str:
    """The page's Markdown."""
    return "\n".join([HEAD, *(_scorer(it) for it in ours())])


def ours() -> list[plugins.Plugin]:
    """The scorers that ship with the package."""
    return [it for it in plugins.list_plugins("scorer") if it.distribution == "benchmaker"]


def _scorer(plugin: plugins.Plugin) -> str:
    cls = plugins.load("scorer", plugin.id)
    title = f"## `{plugin.id}`\n\nVersion {plugin.version}."
    return "\n\n".join([title, _text(cls), *_parameters(plugin.id, cls)]) + "\n"


def _text(cls: type) -> str:
    """The docstring, its examples beginning with the import that they need."""
    needed = f">>> from {cls.__module__} import {cls.__name__}"
    return markdown(cls).replace("```pycon\n", f"```pycon\n{needed}\n")


def _parameters(scorer: str, cls: type) -> Iterator[str]:
    fields = [it for it in dataclasses.fields(cls) if it.init and it.name != "family"]
    if not fields:
        yield "It has no parameters."
    for field in fields:
        yield f"### `{scorer}` `{field.name}`"
        yield f"Type: `{_type(cls, field.name)}`. Default: `{_default(field)}`."


def _type(cls: type, name: str) -> str:
    hint = get_type_hints(cls)[name]
    text = hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
    return re.sub(r"Optional\[(.*)\]$", r"\1 | None", text.replace("typing.", ""))


def _default(field: "dataclasses.Field[object]") -> str:
    if field.default_factory is not dataclasses.MISSING:
        return inline(repr(field.default_factory()))
    if field.default is dataclasses.MISSING:
        return "none, it must be given"
    return inline(repr(field.default))
