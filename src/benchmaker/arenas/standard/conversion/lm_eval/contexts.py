"""The prompts of a task: description, examples, question and the beginning of the answer.

Source: ``fewshot_context`` and ``build_qa_turn`` in lm_eval/api/task.py, and the samplers in
lm_eval/api/samplers.py of lm-evaluation-harness 0.4.13. Examples are drawn as the harness draws
them with its default seed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from benchmaker.arenas.standard.conversion.draft_suite import NotTranslated
from benchmaker.arenas.standard.conversion.lm_eval.document_fields import (
    field_values,
    literal_or_text,
)
from benchmaker.arenas.standard.conversion.lm_eval.documents import Document, documents_of
from benchmaker.arenas.standard.conversion.lm_eval.task_files import TaskFile

SEED = 1234
"""The seed of examples in the harness unless ``--seed`` says otherwise."""


class Question(NamedTuple):
    """A document as a question: its prompt, its choices, its target, and the document."""

    prompt: str
    choices: list[str] | None
    target: Any
    document: Document


class _Fields(NamedTuple):
    """The fields of a document, and the texts between its parts."""

    text: str
    target: Any
    choice: Any
    prefix: str | None
    target_delimiter: str
    delimiter: str


class _Turn(NamedTuple):
    text: Any
    target: Any
    choices: list[str] | None
    prefix: str | None
    description: str


@dataclass(frozen=True, slots=True)
class ContextBuilder:
    """Builds the prompts of a task."""

    task: TaskFile

    def questions(self) -> Iterator[Question]:
        """Yield the questions of the split that is evaluated.

        Raises:
            NotTranslated: a template fails, or a prompt depends on its choices.
            SpecError: the data can't be read.
        """
        values = self.task.values
        split = values.get("test_split") or values.get("validation_split")
        if not split:
            raise NotTranslated("the task names no split of documents to evaluate")
        documents = documents_of(self.task, str(split))
        fields = self._fields({})
        turns = _turns(documents, fields, values.get("description"))
        examples = self._examples(documents, str(split))
        for document, turn, shots in zip(documents, turns, examples, strict=True):
            if not isinstance(turn.text, str):
                raise NotTranslated("doc_to_text gives no text: a prompt for each choice")
            prompt = turn.description + shots + _question_text(turn, fields)
            yield Question(prompt, turn.choices, turn.target, document)

    def _fields(self, own: Mapping[str, Any]) -> _Fields:
        values = {**self.task.values, **{key: it for key, it in own.items() if it is not None}}
        return _Fields(
            values.get("doc_to_text") or "",
            values.get("doc_to_target"),
            values.get("doc_to_choice"),
            values.get("gen_prefix"),
            values.get("target_delimiter", " "),
            values.get("fewshot_delimiter", "\n\n"),
        )

    def _examples(self, documents: Sequence[Document], split: str) -> Iterator[str]:
        """The text of the examples before each question."""
        number = int(self.task.values.get("num_fewshot") or 0)
        if not number:
            yield from ("" for _ in documents)
            return
        own = self.task.values.get("fewshot_config") or {}
        pool, pool_split = self._pool(own, split)
        fields = self._fields(own)
        texts = [_example_text(it, fields) for it in _turns(pool, fields, None)]
        excludes = pool_split == self.task.values.get("test_split")
        draw = _Draw(pool, own.get("sampler", "default"), Random(SEED))  # noqa: S311  the harness's draws
        for document in documents:
            chosen = draw.places(number, document if excludes else None)
            yield "".join(texts[it] for it in chosen)

    def _pool(self, own: Mapping[str, Any], split: str) -> tuple[list[Document], str | None]:
        """The documents that examples are drawn from, and their split if the task names it."""
        values = self.task.values
        named = own.get("split") or values.get("fewshot_split")
        samples = own.get("samples")
        if named:
            found = documents_of(self.task, str(named))
        elif isinstance(samples, list):
            found = [dict(it) for it in samples]
        else:
            usual = values.get("training_split") or values.get("validation_split") or split
            found = documents_of(self.task, str(usual))
        if indices := own.get("fewshot_indices"):
            found = [found[it] for it in indices]
        return found, named


@dataclass(slots=True)
class _Draw:
    """The draws of a sampler, one after the other as in the harness."""

    pool: Sequence[Document]
    sampler: str
    random: Random

    def places(self, number: int, excluded: Document | None) -> list[int]:
        """The places of the examples for one question."""
        if self.sampler == "first_n":
            places = [it for it in range(len(self.pool)) if self.pool[it] != excluded]
            return self._enough(places[:number], number)
        if self.sampler != "default":
            raise NotTranslated(f"unknown sampler {self.sampler!r}")
        size = number if excluded is None else number + 1
        if size > len(self.pool):
            raise NotTranslated(f"{size} examples are needed, and there are {len(self.pool)}")
        drawn = self.random.sample(range(len(self.pool)), size)
        found = [it for it in drawn if self.pool[it] != excluded][:number]
        if len(found) < number:
            rest = [it for it in range(len(self.pool)) if self.pool[it] != excluded]
            found = self.random.sample(rest, min(number, len(rest)))
        return self._enough(found, number)

    @staticmethod
    def _enough(places: list[int], number: int) -> list[int]:
        if len(places) < number:
            raise NotTranslated(f"{number} examples are needed, and there are {len(places)}")
        return places


def _turns(documents: Sequence[Document], fields: _Fields, description: str | None) -> list[_Turn]:
    given = {
        "doc_to_text": fields.text,
        "doc_to_target": fields.target,
        "doc_to_choice": fields.choice,
        "gen_prefix": fields.prefix,
        "description": description,
    }
    named = {name: it for name, it in given.items() if isinstance(it, str) and it}
    texts = field_values(named, documents)
    return [
        _Turn(
            _text(it.get("doc_to_text", fields.text), fields),
            _target(it.get("doc_to_target", fields.target), fields, document),
            _choices(it.get("doc_to_choice", fields.choice), fields, document),
            it.get("gen_prefix"),
            str(it.get("description") or ""),
        )
        for it, document in zip(texts, documents, strict=True)
    ]


def _text(value: Any, fields: _Fields) -> Any:  # noqa: ANN401  a text, or a number of several prompts
    is_number = isinstance(value, str) and value.isdigit() and fields.choice is not None
    return int(value) if is_number else value


def _target(value: Any, fields: _Fields, document: Document) -> Any:  # noqa: ANN401  any target
    is_template = isinstance(fields.target, str) and fields.target not in document
    if is_template and isinstance(value, str):
        return literal_or_text(value, has_choices=fields.choice is not None)
    return value


def _choices(value: Any, fields: _Fields, document: Document) -> list[str] | None:  # noqa: ANN401  any list
    if value is None:
        return None
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, str) and isinstance(fields.choice, str) and fields.choice not in document:
        value = literal_or_text(value, has_choices=False)
    if not isinstance(value, (list, tuple)) or not value:
        raise NotTranslated("doc_to_choice gives no list")
    return list(map(str, value))


def _question_text(turn: _Turn, fields: _Fields) -> str:
    """The question, and the beginning of its answer."""
    if not turn.prefix:
        return str(turn.text)
    return f"{turn.text}{_gap(turn.text, turn.prefix, fields.target_delimiter)}{turn.prefix}"


def _example_text(turn: _Turn, fields: _Fields) -> str:
    if not isinstance(turn.text, str):
        raise NotTranslated("doc_to_text of an example gives no text")
    answer = _answer(turn)
    if answer == "":
        return _question_text(turn, fields)
    between = fields.target_delimiter
    if turn.prefix:
        between = _gap(turn.text, turn.prefix, fields.target_delimiter)
        answer = f"{turn.prefix}{_gap(turn.prefix, answer, ' ')}{answer}"
    return f"{turn.text}{between}{answer}{fields.delimiter}"


def _answer(turn: _Turn) -> str:
    target = turn.target
    if turn.choices is not None and isinstance(target, int):
        return turn.choices[target]
    if isinstance(target, list):
        target = target[0]
    if target is None or target == "":
        return ""
    if not isinstance(target, str):
        raise NotTranslated("the answer of an example is no text")
    return target


def _gap(before: str, after: str, delimiter: str) -> str:
    """The delimiter, unless white space or nothing stands before."""
    if not before or not after or before[-1].isspace() or after[0].isspace():
        return ""
    return delimiter
