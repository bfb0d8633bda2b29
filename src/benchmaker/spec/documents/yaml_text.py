"""Plain data as YAML that a person can read and edit, and that reads back unchanged."""

import io
import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import SafeRepresenter

_PLAIN = re.compile(r"[A-Za-z][\w ./-]*(?<! )", re.ASCII)
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_STRANGE = re.compile(r"[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]|[\u2028\u2029]")


class _Representer(SafeRepresenter):
    """Represents texts as blocks for several lines, as plain words if unambiguous, else quoted."""

    def ignore_aliases(self, _data: Any) -> bool:  # noqa: ANN401  anything
        """Nothing is referred to, everything is written out."""
        return True


def _text(representer: _Representer, text: str) -> ScalarNode:
    return representer.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))


def _style(text: str) -> str | None:
    if "\n" in text and not _STRANGE.search(text) and not _has_edges(text):
        return "|"
    return None if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else '"'


def _has_edges(text: str) -> bool:
    """True if a block would lose or misread blanks at the ends of lines or of the text."""
    lines = text.split("\n")
    return not lines[0].strip() or any(line != line.rstrip() for line in lines)


_Representer.add_representer(str, _text)


def _yaml() -> YAML:
    made = YAML(typ="safe", pure=True)
    made.Representer = _Representer
    made.default_flow_style = False
    made.allow_unicode = True
    made.width = 100_000
    made.representer.sort_base_mapping_type_on_output = False
    return made


def block_of(data: Any) -> str:  # noqa: ANN401  plain data
    """Plain data as YAML."""
    stream = io.StringIO()
    _yaml().dump(data, stream)
    return stream.getvalue()
