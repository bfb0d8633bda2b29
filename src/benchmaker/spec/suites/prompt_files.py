"""Prompts out of files: templates, conversations, and examples chosen by seed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from pydantic import TypeAdapter, ValidationError

from benchmaker.errors import Finding, SpecError
from benchmaker.spec.documents.files import existing_inside, read_text, resolve_inside
from benchmaker.spec.documents.findings import Findings, refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import read_rows
from benchmaker.spec.documents.source_map import SourceLocation, SourceMap
from benchmaker.spec.documents.strict_json import read_json
from benchmaker.spec.documents.yaml import read_yaml
from benchmaker.spec.suites.case import Message
from benchmaker.spec.suites.prompts import FewShot, Prompt
from benchmaker.spec.suites.templates import TemplateError, TemplateFault, render

_GLOB = re.compile(r"[*?\[]")
_CONVERSATIONS = {".json": read_json, ".yaml": read_yaml, ".yml": read_yaml}
_DOCUMENTS = (*_CONVERSATIONS, ".jsonl", ".csv", ".gz", "")
_MOST_FILES = 1_000
_TURNS: TypeAdapter[tuple[Message, ...]] = TypeAdapter(tuple[Message, ...])

Origin = int | SourceLocation
"""The place of a prompt: its index in the document, or its own file."""


@dataclass(slots=True)
class PromptFiles:
    """Replaces files in the prompts of a suite by their content; faults become findings."""

    folder: Path
    places: SourceMap
    limits: Limits
    findings: Findings
    origins: list[Origin] = field(default_factory=list)

    def read(self, prompts: Sequence[Prompt], places: Sequence[int]) -> tuple[Prompt, ...]:
        """Return the prompts with their texts; ``origins`` then has the place of each.

        ``places`` are their indexes in the document.
        """
        found: list[Prompt] = []
        for index, prompt in zip(places, prompts, strict=True):
            try:
                for one, origin in self._texts(index, prompt):
                    found.append(self._with_examples(index, one))
                    self.origins.append(origin)
            except SpecError as exc:
                self.findings.take(exc.findings)
        return tuple(found)

    def _texts(self, index: int, prompt: Prompt) -> Iterator[tuple[Prompt, Origin]]:
        if prompt.file is None:
            yield prompt, index
            return
        place = self.places.locate(("prompts", index, "file"))
        for path in self._files(prompt.file, place):
            named = prompt.id if prompt.id and not _GLOB.search(prompt.file) else path.stem
            made = {"id": named, "file": None, **self._content(path)}
            yield prompt.model_copy(update=made), SourceLocation(str(path), 1, 1)

    def _files(self, name: str, place: SourceLocation) -> list[Path]:
        """The files of a name or a glob, each inside the folder of the suite."""
        if not _GLOB.search(name):
            return [existing_inside(self.folder, name, place)]
        resolve_inside(self.folder, _GLOB.split(name)[0] + "x", place)
        if ".." in Path(name).parts:
            raise refusal(place, f"{name!r} leaves the folder of the suite.", "Remove the '..'.")
        names = sorted(str(it.relative_to(self.folder)) for it in self.folder.glob(name))
        files = [resolve_inside(self.folder, one, place) for one in names[: _MOST_FILES + 1]]
        files = [path for path in files if path.is_file()]
        if not files:
            raise refusal(place, f"no file matches {name!r}.", "Check the pattern.")
        if len(files) > _MOST_FILES:
            raise refusal(place, f"more than {_MOST_FILES:,} files match {name!r}.")
        return files

    def _content(self, path: Path) -> dict[str, Any]:
        """The template or the conversation in a file."""
        text = read_text(path, limits=self.limits, cap=self.limits.document_bytes)
        read = _CONVERSATIONS.get(path.suffix.lower())
        if read is None:
            return {"prompt": text.replace("\r\n", "\n").rstrip("\n")}
        document = read(text, str(path), limits=self.limits, findings=self.findings)
        data = document.data.get("messages") if isinstance(document.data, dict) else document.data
        try:
            messages = _TURNS.validate_python(data)
        except ValidationError as exc:
            hint = "Use a list of {role, content}."
            raise refusal(SourceLocation(str(path), 1, 1), "not a conversation.", hint) from exc
        if not messages:
            hint = "Add a message of the user."
            raise refusal(SourceLocation(str(path), 1, 1), "the conversation is empty.", hint)
        return {"messages": messages}

    def _with_examples(self, index: int, prompt: Prompt) -> Prompt:
        """The prompt with its examples read."""
        few = prompt.few_shot
        if few is None or few.examples or few.file is None:
            return prompt
        place = self.places.locate(("prompts", index, "few_shot", "file"))
        path = resolve_inside(self.folder, few.file, place)
        found = read_rows(path, limits=self.limits, report=self.findings.take)
        rows = [row.values for row in found]
        if len(rows) < few.n:
            message = f"{few.file} has {len(rows)} of {few.n} examples."
            raise refusal(place, message, "Lower n, or add examples.")
        chosen = Random(few.seed).sample(rows, few.n)  # noqa: S311  a choice to repeat, no secret
        examples = [turn for row in chosen for turn in self._example(index, few, row)]
        return prompt.model_copy(
            update={"few_shot": few.model_copy(update={"examples": tuple(examples)})}
        )

    def _example(self, index: int, few: FewShot, row: dict[str, Any]) -> Iterator[Message]:
        """The two turns of one example."""
        yield Message(role="user", content=self._render(index, "user", few.user, row))
        answer = self._render(index, "assistant", few.assistant, row)
        yield Message(role="assistant", content=answer)

    def _render(self, index: int, name: str, template: str, row: dict[str, Any]) -> str:
        try:
            return render(template, row)
        except TemplateError as exc:
            place = self.places.locate(("prompts", index, "few_shot", name))
            raise SpecError.of([finding_of(one, place) for one in exc.faults]) from exc


def finding_of(fault: TemplateFault, place: SourceLocation, about: str = "") -> Finding:
    """Return a fault of a template as a finding; ``about`` names the case that it concerns.

    In a text file of its own, the place is that of the fault; in a suite that of the template.
    """
    if place.file and _is_text_file(place):
        message = f"{fault.message.rstrip('.')}{about}."
        return Finding(place.file, fault.line, fault.column, message, fault.hint)
    where = "" if fault.line == 1 else f" (line {fault.line} of the template)"
    message = f"{fault.message.rstrip('.')}{where}{about}."
    return Finding(place.file, place.line, place.column, message, fault.hint)


def _is_text_file(place: SourceLocation) -> bool:
    """True if the place is the beginning of a prompt's own file, which holds only its text."""
    return place.line == 1 and Path(place.file).suffix.lower() not in _DOCUMENTS
