"""The messages sent to a judge.

A suite's own judge prompt replaces the instructions. The scale with its criteria, the rule that
marked text is data, and the form of the reply with its nonce are kept.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmaker.scoring.judge.criteria import JudgeCriterion
from benchmaker.scoring.judge.expect import Expect
from benchmaker.scoring.judge.nonce import LIMIT, FencedText, fence
from benchmaker.scoring.judge.reply import UnparsedReply, complaint
from benchmaker.scoring.judge.texts import VERSION, fill_text, text
from benchmaker.spec import Message

_NONCE_PLACE = "{nonce}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages with the nonce inserted.

    ``given`` are the data texts as shown, for :func:`parse`. ``notes`` list changes to them
    ("answer: 2 look-alike markers replaced"). ``hash`` identifies the instructions without the data
    and the nonce: it is the same for all cases with the same form of question.
    """

    messages: tuple[Message, ...]
    nonce: str
    given: tuple[str, ...]
    hash: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Instructions:
    """A bundled text by its name, with ``values`` of one check in its places, such as its rubric.

    The hash of a prompt covers the text with the names of the places instead, and not if a
    reference is shown: it is the same for every rubric, with a reference and without.
    """

    name: str
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The words for the judge."""
        return fill_text(self.name, self.values)

    @property
    def form(self) -> str:
        """The same for every value."""
        return fill_text(self.name, {name: f"{{{name}}}" for name in self.values})


OwnInstructions = Instructions | str | None
"""A judge's instructions; None for the bundled ones of the mode."""


def prompt_hash(mode: str, texts: Sequence[str], *, version: str = VERSION) -> str:
    """SHA-256 over version, mode and texts; 64 hex digits."""
    said = json.dumps([version, mode, *texts], ensure_ascii=True)
    return hashlib.sha256(said.encode()).hexdigest()


def absolute_prompt(
    question: str,
    answer: str,
    *,
    nonce: str,
    expect: Expect,
    reference: str | None = None,
    context: str | None = None,
    judge_prompt: OwnInstructions = None,
    limit: int = LIMIT,
) -> Prompt:
    """Score one answer on the scale, by criteria, categories or a checklist, as expected.

    ``context`` is the material on which the answer must rest. Each text is shown up to ``limit``
    characters.

    Raises:
        ValueError: two answers are expected, or a text holds the nonce.
    """
    if expect.mode == "pairwise":
        raise ValueError("a pair needs two answers; use pairwise_prompt")
    data = {
        "QUESTION": question,
        "CONTEXT": context,
        "REFERENCE": reference,
        "ANSWER": answer,
    }
    system, form = _system(expect, judge_prompt, nonce)
    return _prompt(expect.mode, system, data, nonce=nonce, limit=limit, form=form)


def pairwise_prompt(
    question: str,
    answer_a: str,
    answer_b: str,
    *,
    nonce: str,
    expect: Expect,
    reference: str | None = None,
    judge_prompt: OwnInstructions = None,
    limit: int = LIMIT,
) -> Prompt:
    """Build the prompt for a choice between two answers, in the given order.

    Raises:
        ValueError: no pair is expected, or a text holds the nonce.
    """
    if expect.mode != "pairwise":
        raise ValueError("one answer is expected; use absolute_prompt")
    data = {
        "QUESTION": question,
        "REFERENCE": reference,
        "ANSWER A": answer_a,
        "ANSWER B": answer_b,
    }
    system, form = _system(expect, judge_prompt, nonce)
    return _prompt("pairwise", system, data, nonce=nonce, limit=limit, form=form)


def reference_prompt(question: str, *, nonce: str, limit: int = LIMIT) -> Prompt:
    """Write the judge's own reference; read it with :func:`parse_reference`."""
    system = _join_paragraphs(text("reference"), text("data"))
    return _prompt("reference", system, {"QUESTION": question}, nonce=nonce, limit=limit)


def false_reference_prompt(
    question: str, *, nonce: str, reference: str | None = None, limit: int = LIMIT
) -> Prompt:
    """Write a plausible, wrong reference for the counterfactual check.

    An answer that is accepted by the true and by the false reference has won by something else
    than being right.
    """
    system = _join_paragraphs(text("false_reference"), text("data"))
    data = {"QUESTION": question, "REFERENCE": reference}
    return _prompt("false_reference", system, data, nonce=nonce, limit=limit)


def checklist_making_prompt(
    question: str, *, nonce: str, reference: str | None = None, limit: int = LIMIT
) -> Prompt:
    """Make a checklist for a case; read it with :func:`parse_checklist`."""
    reply = fill_text("reply_items", {"nonce": nonce})
    system = _join_paragraphs(text("checklist_making"), text("data"), reply)
    data = {"QUESTION": question, "REFERENCE": reference}
    return _prompt("checklist_making", system, data, nonce=nonce, limit=limit)


def with_complaint(prompt: Prompt, unparsed: UnparsedReply) -> Prompt:
    """Return the prompt with the fault of the last reply appended to the last message.

    Build the prompt again with a fresh nonce first. The last reply itself is not repeated: it may
    contain text from the answer.
    """
    *before, last = prompt.messages
    message = Message(role=last.role, content=_join_paragraphs(last.content, complaint(unparsed)))
    return replace(prompt, messages=(*before, message))


def transcript(messages: Sequence[Message]) -> str:
    """Return a conversation as one text: a single user turn unchanged, several with their roles.

    >>> print(transcript([Message(role="user", content="What is 6 times 7?")]))
    What is 6 times 7?
    """
    if len(messages) == 1 and messages[0].role == "user":
        return messages[0].content
    return _join_paragraphs(*(f"{turn.role}: {turn.content}" for turn in messages))


def _prompt(
    mode: str,
    system: str,
    data: Mapping[str, str | None],
    *,
    nonce: str,
    limit: int,
    form: str | None = None,
) -> Prompt:
    """Put instructions first, then the data between markers, then the task again."""
    fenced = {
        label: fence(words, nonce, label=label, limit=limit)
        for label, words in data.items()
        if words is not None
    }
    closing = text(f"closing_{mode}")
    request = _join_paragraphs(*(it.text for it in fenced.values()), closing)
    hashed = [system, closing, *fenced] if form is None else [form, closing]
    return Prompt(
        messages=(Message(role="system", content=system), Message(role="user", content=request)),
        nonce=nonce,
        given=tuple(it.inner for it in fenced.values()),
        hash=prompt_hash(mode, [said.replace(nonce, _NONCE_PLACE) for said in hashed]),
        notes=tuple(_notes(fenced)),
    )


def _notes(fenced: Mapping[str, FencedText]) -> list[str]:
    return [note for label, it in fenced.items() for note in it.notes(label.lower())]


def _system(expect: Expect, judge_prompt: OwnInstructions, nonce: str) -> tuple[str, str | None]:
    """Return the system message, and its form for the hash if that is another text."""
    rest = (_measure(expect), text("data"), _reply_form(expect, nonce))
    if isinstance(judge_prompt, Instructions):
        form = _join_paragraphs(judge_prompt.form, *rest)
        return _join_paragraphs(judge_prompt.text, *rest), form
    words = (judge_prompt or "").strip() or text(expect.mode)
    return _join_paragraphs(words, *rest), None


def _measure(expect: Expect) -> str:
    """The scale with its anchors or the categories, and the criteria."""
    lines = []
    if expect.categories:
        lines.append("The verdict is one of these:")
        lines += [f"- {it.id}: {it.meaning}" for it in expect.categories]
    elif expect.mode == "absolute":
        lines.append(f"The scale goes from {expect.scale}, higher is better.")
        lines += [f"- {level}: {meaning}" for level, meaning in expect.scale.meanings().items()]
        if expect.scale.step is not None:
            lines.append(f"Scores are in steps of {expect.scale.step:g}.")
    if expect.criteria:
        lines.append("Criteria, by their ids:")
        lines += [line for it in expect.criteria for line in _criterion(it)]
    return "\n".join(lines)


def _criterion(criterion: JudgeCriterion) -> list[str]:
    about = f": {criterion.question}" if criterion.question else ""
    levels = (
        f"  - level {level:g}: {meaning}" if meaning else f"  - level {level:g}"
        for level, meaning in sorted(criterion.levels.items())
    )
    return [f"- {criterion.id}{about}", *levels]


def _reply_form(expect: Expect, nonce: str) -> str:
    if expect.mode == "pairwise":
        choice = "A, B or tie" if expect.ties else "A or B"
        return fill_text("reply_pairwise", {"choice": choice, "nonce": nonce})
    if expect.mode == "checklist":
        return fill_text("reply_checklist", {"nonce": nonce})
    if expect.categories:
        names = " or ".join(it.id for it in expect.categories)
        return fill_text("reply_category", {"categories": names, "nonce": nonce})
    name = "reply_criteria" if expect.criteria else "reply_score"
    return fill_text(name, {"scale": str(expect.scale), "nonce": nonce})


def _join_paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
