"""A scorer of answers that are made ready first, and what makes them ready, without a browser.

``python -m tests.engine.rendered HOME LOG`` runs a suite with it, each render taking a while; a
line in LOG tells of each that begins and ends.
"""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import benchmaker
from benchmaker import RunOptions
from benchmaker.engine.requests.preparing import ExtractedAnswer, RenderResult
from benchmaker.errors import RenderError
from benchmaker.plugins import scorer
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Artifact, ArtifactKind, ProbeOutcome, ProbeReport, Score, Shot
from benchmaker.record.prepared_answer import Rendering
from benchmaker.scoring.base import Question
from benchmaker.spec import Case, Message, ScorerSpec, Suite
from benchmaker.spec.suites.judge import Jurors
from benchmaker.store.runs.renders import Blob

CASES, MODELS = 6, ("a", "b")
SCORER = ScorerSpec(id="tests.engine.rendered:Lit")


@scorer(id="lit")
@dataclass(frozen=True)
class Lit:
    """Scores an answer by the length of the title that its page has."""

    asks: ClassVar[bool] = True
    prepares: ClassVar[str] = "tests.engine.rendered:Slow"
    may_lack_judges: ClassVar[bool] = True
    models: tuple[str, ...] = ()

    async def score(self, case, trial, ask):
        try:
            ready = await ask.prepared_answer(case, trial)
        except RenderError as exc:
            return Score.unscored(exc.message, flags=("not_rendered", "judge_failed"))
        if ready.rendering is None:
            return Score.of(0.0, notes=ready.artifact.reason)
        return Score.of(len(ready.report.title) / 100, detail={"key": ready.rendering.key})


@scorer(id="lit_and_judged")
@dataclass(frozen=True)
class LitAndJudged:
    """Scores a rendered answer by a judge's reply, a number."""

    asks: ClassVar[bool] = True
    prepares: ClassVar[str] = "tests.engine.rendered:Slow"
    models: Jurors = ()

    async def score(self, case, trial, ask):
        await ask.prepared_answer(case, trial)
        turn = Message(role="user", content=trial.text)
        question = Question(model=self.models[0].model, messages=(turn,), case_id=case.id)
        return Score.of(float((await ask.ask(question)).text))


class Slow:
    """Renders nothing, slowly; ``log`` tells of every render, ``fails`` is a file with an error,
    which is raised while it exists."""

    def __init__(self, *, log=None, seconds=0.0, version="1", concurrency=2, fails=""):
        self.options = {
            "log": log, "seconds": seconds, "version": version, "concurrency": concurrency,
            "fails": fails,
        }  # fmt: skip
        self._fails = fails
        self.concurrency = concurrency
        self._log, self._seconds, self._version = log, seconds, version
        self.flying = 0

    async def begin(self, wish):
        if wish.trial.text == "nothing":
            return ExtractedAnswer(
                Artifact(kind=ArtifactKind.NONE, reason="nothing", sha256="0"), None
            )
        sha = wish.trial.text
        return ExtractedAnswer(
            Artifact(kind=ArtifactKind.HTML, sha256=sha), f"{sha} {self._version}"
        )

    async def place(self):
        return "here"

    async def make(self, wish, begun, *, key, place):
        self.flying += 1
        self._tell(f"begun {begun.content} {self.flying}")
        await asyncio.sleep(self._seconds)
        self.flying -= 1
        self._refuse()
        report = ProbeReport(
            sha=begun.artifact.sha256,
            outcome=ProbeOutcome.RENDERED,
            title="t" * 50,
            screenshots=(Shot(viewport=375, width=1, height=1, sha256=key),),
        )
        rendering = Rendering(
            key=key, content=begun.content, place=place, report=report,
            artifact_sha=begun.artifact.sha256,
        )  # fmt: skip
        return RenderResult(rendering, {key: Blob("image/png", wish.trial.text.encode())})

    async def close(self):
        self._tell("closed")

    def _refuse(self):
        if self._fails and Path(self._fails).exists():
            raise RenderError(Path(self._fails).read_text())

    def _tell(self, line):
        if self._log:
            with Path(self._log).open("a") as log:
                log.write(f"{line}\n")


def a_suite(cases=CASES):
    return Suite("pages", [Case(id=f"c{i}", prompt="A page.") for i in range(cases)], scorer=SCORER)


def answers(cases=CASES):
    return Scripted({(m, f"c{i}"): f"{m}{i}" for i in range(cases) for m in MODELS})


if __name__ == "__main__":
    benchmaker.run(
        a_suite(),
        provider=answers(),
        home=sys.argv[1],
        options=RunOptions(judge={"models": []}, prepare={"log": sys.argv[2], "seconds": 0.15}),
    )
