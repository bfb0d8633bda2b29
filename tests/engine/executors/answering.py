"""A provider that can be made anew, and counts what it is asked in this process."""

import asyncio
from collections import Counter

from benchmaker.errors import AuthError
from benchmaker.providers.recipe import Recipe
from benchmaker.record import Completion, Usage

ASKED = Counter()
FLYING = {"now": 0, "most": 0}


class Answering:
    """Answers the sums of ``tests.engine.run_data`` after a moment and records each request."""

    def __init__(self, *, latency_s=0.002, denied="", usd=0.0):
        self._arguments = {"latency_s": latency_s, "denied": denied, "usd": usd}

    def recipe(self):
        return Recipe(
            target="tests.engine.executors.answering:Answering", arguments=self._arguments
        )

    def most_usd(self, _):
        return 2 * self._arguments["usd"]

    async def complete(self, request):
        ASKED[request.model, request.case_id] += 1
        FLYING["now"] += 1
        FLYING["most"] = max(FLYING["most"], FLYING["now"])
        try:
            await asyncio.sleep(self._arguments["latency_s"])
        finally:
            FLYING["now"] -= 1
        if request.model == self._arguments["denied"]:
            raise AuthError("the key is wrong.", status=401)
        usage = Usage(input_tokens=5, output_tokens=5)
        return Completion(
            text=request.case_id.removeprefix("c"),
            usage=usage,
            cost_usd=self._arguments["usd"],
        )
