"""Judges of known quality, by script: what each gives to a sample is known."""

import json
import re
from collections.abc import Callable

from benchmaker.judging.samples import SampleSet
from benchmaker.providers.base import Request
from benchmaker.providers.scripted import Scripted

JUDGE = "judge"
_NONCE = re.compile(r"nonce: the text ([0-9a-f]{16})")

Give = Callable[[float, Request], float]
"""From what is expected, 0 to 1, to what the judge gives, 0 to 1."""


def reply(request: Request, **judgement: object) -> str:
    nonce = _NONCE.search(request.messages[0].content)
    said = {"evidence": "", "rationale": "because", **judgement}
    return json.dumps({**said, "confidence": 0.9, "cannot_judge": False, "nonce": nonce[1]})


def judge(samples: SampleSet, give: Give, *, verdict: str = "tie", name: str = JUDGE) -> Scripted:
    """A judge that gives each answer what ``give`` makes of its worth, and pairs one verdict."""
    return Scripted(script(samples, give, verdict=verdict), models=(name,))


def script(samples: SampleSet, give: Give, *, verdict: str = "tie") -> Callable[[Request], str]:
    """What such a judge replies."""
    worth = {it.id: it.expected for it in samples.samples}

    def answer(request: Request) -> str:
        if "+" in request.case_id:
            return reply(request, verdict=verdict)
        of = re.sub(r"-(doubled|clean)$", "", request.case_id)
        return reply(request, score=10 * give(worth.get(of, 0.0), request))

    return answer


def failing(error: Exception) -> Scripted:
    return Scripted(lambda _: error, models=(JUDGE,))
