"""Prompts of promptfoo as prompts of a suite."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated
from benchmaker.arenas.standard.conversion.original_file import read_original, read_utf8
from benchmaker.arenas.standard.conversion.promptfoo.local_files import FILE, files_at
from benchmaker.arenas.standard.conversion.promptfoo.nunjucks import to_jinja
from benchmaker.arenas.standard.conversion.promptfoo.providers import parameters_from

_TEXTS = frozenset({".txt", ".md", ".j2", ""})
_DATA = frozenset({".json", ".yaml", ".yml"})
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_SEPARATOR = "---"


class FoundPrompt(NamedTuple):
    """A prompt of a suite, its keys of ``config`` without a parameter, its format of answers."""

    prompt: dict[str, Any]
    unknown_keys: tuple[str, ...]
    response_format: Any


def prompts_from(given: Any, folder: Path) -> Iterator[FoundPrompt]:  # noqa: ANN401  any JSON
    """Yield the prompts of one entry under ``prompts``: a text, a file, or a mapping.

    Raises:
        NotTranslated: a prompt is a function, or has parts that suites do not have.
        SpecError: its file can't be read.
    """
    options = given if isinstance(given, Mapping) else {}
    raw = options.get("raw", options.get("id")) if options else given
    if isinstance(raw, (list, dict)):
        raw = json.dumps(raw)
    if not isinstance(raw, str):
        raise NotTranslated("the prompt has no text")
    name = (options.get("id") if "raw" in options else None) or options.get("label")
    parameters, unknown = parameters_from(options.get("config") or {})
    for text in _texts_of(raw, folder):
        made: dict[str, Any] = {"id": str(name)} if name else {}
        made |= _question(_around(text, options))
        if parameters:
            made["parameters"] = parameters
        yield FoundPrompt(made, unknown, (options.get("config") or {}).get("response_format"))


def _around(text: str, options: Mapping[str, Any]) -> str:
    return f"{options.get('prefix', '')}{text}{options.get('suffix', '')}"


def _texts_of(raw: str, folder: Path) -> Iterator[str]:
    """The texts of a prompt: itself, or those in its files."""
    is_path = raw.startswith(FILE) or (
        "\n" not in raw and Path(raw).suffix in {".txt", ".json", ".yaml", ".yml", ".j2", ".md"}
    )
    if not is_path:
        if raw.startswith(("exec:", "python:", "langfuse://", "portkey://", "helicone://")):
            raise NotTranslated("the prompt comes from a program or a service")
        yield raw
        return
    for path in files_at(raw, folder):
        yield from _texts_in(path)


def _texts_in(path: Path) -> Iterator[str]:
    if path.suffix in _TEXTS:
        yield from _split_prompts(read_utf8(path)) if path.suffix == ".txt" else [read_utf8(path)]
    elif path.suffix in _DATA:
        yield json.dumps(read_original(path).data, ensure_ascii=False)
    elif path.suffix == ".jsonl":
        yield from (it for it in read_utf8(path).split("\n") if it.strip())
    else:
        raise NotTranslated(f"a prompt in {path.suffix.lstrip('.')} is not run")


def _split_prompts(text: str) -> Iterator[str]:
    parts: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip() == _SEPARATOR:
            parts.append([])
        else:
            parts[-1].append(line)
    yield from (joined for part in parts if (joined := "\n".join(part).strip()))


def _question(text: str) -> dict[str, Any]:
    turns = _conversation(text)
    if turns is None:
        return {"prompt": to_jinja(text)}
    return {"messages": [_turn(one) for one in turns]}


def _conversation(text: str) -> list[Any] | None:
    """The messages of a prompt that is a conversation in JSON or YAML; None for a plain text."""
    stripped = text.strip()
    if stripped.startswith("- role:"):
        return _yaml_turns(text)
    try:
        found = json.loads(stripped)
    except ValueError:
        return None
    return found if isinstance(found, list) else None


def _yaml_turns(text: str) -> list[Any]:
    from ruamel.yaml import YAML  # noqa: PLC0415  slow to load
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415  as above

    try:
        found = YAML(typ="safe", pure=True).load(text)
    except YAMLError as exc:
        raise NotTranslated("the conversation is no YAML") from exc
    return list(found)


def _turn(given: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    content = given.get("content") if isinstance(given, dict) else None
    if isinstance(content, list):
        parts = [it.get("text") for it in content if isinstance(it, dict)]
        if len(parts) == len(content) == 1:
            content = parts[0]
    if not isinstance(content, str) or given.get("role") not in _ROLES:
        raise NotTranslated("a message is no text of the system, the user or the assistant")
    if given.keys() - {"role", "content"}:
        raise NotTranslated("a message has more than a role and a text")
    return {"role": _ROLES[given["role"]], "content": to_jinja(content)}
