"""The secret scan: megabytes a second of one core's time, by what is scanned.

Clean text is scanned to its end without a pattern being tried; in the others words such as "key"
and keys themselves come up. The last figure is what the scan adds to an import that keeps no
content: names and ids alone.
"""

import random
import time
from collections.abc import Callable

from figures import Figure, arguments, show

from benchmaker.arenas.agentic.logs.events import LlmCall, ToolCall
from benchmaker.arenas.agentic.secrets.scan import clean_text
from benchmaker.arenas.agentic.sessions.cleaning import cleaner
from benchmaker.record.submissions.submission import TokenUsage

PROSE = "the agent reads a file, changes three lines and runs every test of it again; "
WORDS = PROSE.split()
CODE = (
    'def load(path, *, key=None):\n    token = tokens.get(path)\n    return read(path, key="id")\n'
)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def spent(work: Callable[[], object], *, rounds: int) -> float:
    """Seconds of processor time, the best of ``rounds``."""
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def prose(rng: random.Random, size: int) -> str:
    return " ".join(rng.choices(WORDS, k=size // 4))[:size]


def with_keys(rng: random.Random, size: int) -> str:
    """Prose with a key in every ten thousand characters."""
    key = "ghp_" + "".join(rng.choices(LETTERS, k=36))
    return f" {key}\n".join(prose(rng, 10_000) for _ in range(size // 10_000))


def events(rng: random.Random, number: int) -> list[LlmCall | ToolCall]:
    def name() -> str:
        return "".join(rng.choices(LETTERS, k=24))

    usage = TokenUsage(input_uncached=10, output=20)
    calls = [LlmCall(id=f"msg_{name()}", model="a-model", usage=usage) for _ in range(number // 2)]
    return [*calls, *(ToolCall(id=f"toolu_{name()}", name="Bash") for _ in calls)]


def main() -> None:
    given = arguments(__doc__, megabytes=4, events=100_000, rounds=3)
    rng, size = random.Random(7), given.megabytes * 1_000_000  # noqa: S311  not a secret
    texts = {
        "clean prose": prose(rng, size),
        "the same with characters beyond ASCII": prose(rng, size - 1) + "✓",
        "code that speaks of keys and tokens": CODE * (size // len(CODE)),
        "base64": "".join(rng.choices(LETTERS + "+/", k=size)),
        "a key in every 10 kB": with_keys(rng, size),
    }
    figures = []
    for what, text in texts.items():
        seconds = spent(lambda text=text: clean_text(text), rounds=given.rounds)
        figures.append(Figure(what, len(text) / 1e6 / seconds, "MB/s"))
    many = events(rng, given.events)
    seconds = spent(lambda: [*map(cleaner().event, many)], rounds=given.rounds)
    figures.append(Figure("events without content", seconds / len(many) * 1e6, "µs each"))
    show("python benchmarks/secret_scan.py", figures)


if __name__ == "__main__":
    main()
