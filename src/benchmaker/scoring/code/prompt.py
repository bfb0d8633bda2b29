"""The prompt for judges of pages: question, code and the page's behaviour."""

from collections.abc import Sequence
from typing import NamedTuple

from benchmaker.record import Artifact
from benchmaker.record.counts import count
from benchmaker.scoring.code.evidence import Evidence, evidence_lines
from benchmaker.scoring.judge import Expect, JudgeCriterion, Prompt, Scale, fence
from benchmaker.scoring.judge.prompt import prompt_hash
from benchmaker.scoring.judge.texts import fill_text, text
from benchmaker.spec import Message

QUICK = 5_000
"""The published cut: the number of characters of code shown to a quick judge."""

VISUAL, CODE = "visual", "code"

EXPECT = Expect(
    scale=Scale(0.0, 100.0),
    criteria=(
        JudgeCriterion(
            VISUAL,
            "how the page looks beside what was asked: everything that was asked for is there, in "
            "its place, legible and of a piece",
            40.0,
        ),
        JudgeCriterion(
            CODE,
            "how the code is made: structure, names, semantics, accessibility, nothing that is "
            "dead or repeated, easy to change",
            30.0,
        ),
    ),
)
"""The scale and criteria of the judge; function and layout of the page are measured instead."""


class PictureList(NamedTuple):
    """The pictures sent to a judge: screenshots by their widths, then steps of checks.

    A step is given by the numbers of its check and of itself, both from 1.
    """

    widths: tuple[int, ...] = ()
    steps: tuple[tuple[int, int], ...] = ()


NO_PICTURES = PictureList()


class CodeExcerpt(NamedTuple):
    """The code as a judge is shown it; ``left_out`` counts the characters that it is not."""

    text: str
    left_out: int


def excerpt_code(artifact: Artifact, *, limit: int) -> CodeExcerpt:
    """The files one after the other, each under its path, up to the limit."""
    files = (f"--- {file.path}\n{file.text.rstrip()}\n" for file in artifact.files)
    whole = "\n".join(files)
    return CodeExcerpt(whole[:limit], max(0, len(whole) - limit))


def code_prompt(
    question: str,
    code: CodeExcerpt,
    evidence: Evidence,
    *,
    nonce: str,
    limit: int,
    judge_prompt: str | None = None,
    pictures: PictureList = NO_PICTURES,
) -> Prompt:
    """Return the messages to a judge, with all foreign text between markers.

    Args:
        question: the case's prompt.
        code: the excerpt of the code.
        evidence: the facts of the report.
        nonce: the nonce that the judge has to repeat.
        limit: maximum number of characters shown of the question and of the report.
        judge_prompt: replaces the default instructions.
        pictures: the pictures sent along.
    """
    system = "\n\n".join(
        (
            (judge_prompt or "").strip() or text("code"),
            _measure(),
            text("data"),
            fill_text("reply_code", {"scale": str(EXPECT.scale), "nonce": nonce}),
        )
    )
    data = {"QUESTION": question, "ANSWER": code.text, "REPORT": evidence_lines(evidence)}
    fenced = {label: fence(words, nonce, label=label, limit=max(limit, len(code.text)) or 1)
              for label, words in data.items()}  # fmt: skip
    closing = text("closing_code")
    notes = [note for label, it in fenced.items() for note in it.notes(label.lower())]
    if code.left_out:
        notes.append(f"answer: the last {code.left_out:,} characters of the code were not shown")
    said = [it.text for it in fenced.values()]
    paragraphs = [*said, *_notes_on(code, pictures), closing]
    return Prompt(
        messages=(
            Message(role="system", content=system),
            Message(role="user", content="\n\n".join(paragraphs)),
        ),
        nonce=nonce,
        given=tuple(it.inner for it in fenced.values()),
        hash=prompt_hash("code", [system.replace(nonce, "{nonce}"), closing, *fenced]),
        notes=tuple(notes),
    )


def _measure() -> str:
    listed = (f"- {it.id}: {it.question}" for it in EXPECT.criteria)
    return "\n".join(
        (f"The scale goes from {EXPECT.scale}, higher is better.", "Criteria, by their ids:",
         *listed)
    )  # fmt: skip


def _notes_on(code: CodeExcerpt, pictures: PictureList) -> list[str]:
    notes = []
    if code.left_out:
        notes.append(f"The code goes on for {code.left_out:,} characters that are not shown.")
    if not pictures.widths:
        notes.append("There are no screenshots; judge the looks by the code and the report.")
        return notes
    widths = ", ".join(map(str, pictures.widths))
    notes.append(
        f"{count(len(pictures.widths), 'screenshot')} of the page are sent along, the narrowest "
        f"first, in windows {widths} pixels wide. The page should look right in each of them."
    )
    if pictures.steps:
        notes.append(_note_on_film(pictures.steps))
    return notes


def _note_on_film(steps: Sequence[tuple[int, int]]) -> str:
    """Return the numbers of the steps in the order of their pictures."""
    listed = ", ".join(f"checks.{check}.steps.{step}" for check, step in steps)
    return (
        f"{count(len(steps), 'picture')} of the page in use follow, each taken after a step of the "
        f"report: {listed}."
    )
