"""Search over the text of sessions: the time of a search, and the size of its index.

Sessions of made-up text go into a fresh store: words of a real kind of frequency (Zipf), with
identifiers and numbers that stand once. ``--megabytes`` says how much of it, ``--database`` where;
default is SQLite in a folder of its own. Each search is done ten times; the median of its processor
time is given, which on an idle machine is that of the clock.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import func, select

from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.arenas.agentic.traces.text_search import TextQuery, search_texts
from benchmaker.store import Store
from benchmaker.store.database.tables import traces
from benchmaker.store.home import Home

BAR_S = 0.1
MOST_OF_TEXT = 0.5
SESSION_BYTES = 4 * 2**20
RARE, NEVER = "quetzalcoatl", "xylograph"
PAIR = ("leftmost", "rightmost")
"""Two words that stand in many pieces, and in no text together."""

TIMES = 10
ONCE = 0.02
"""So many words stand once."""

RARE_AT = 7


def text(rng: random.Random, words: list[str], size: int) -> str:
    """About so many bytes: common words, rarer ones, and some that stand once."""
    said: list[str] = []
    length = 0
    while length < size:
        word = words[min(int(rng.paretovariate(0.9)) - 1, len(words) - 1)]
        if rng.random() < ONCE:
            word = f"{word}_{rng.getrandbits(32):x}"
        said.append(word)
        length += len(word) + 1
    return " ".join(said)


def write_session(path: Path, rng: random.Random, words: list[str], number: int) -> int:
    """One session; the bytes of its text."""
    session = f"{number:08x}-0000-4000-8000-000000000000"
    size = 0
    with (path / f"{session}.jsonl").open("w") as stream:
        for at in range(SESSION_BYTES // 4096):
            said = f"{text(rng, words, 4096)} {PAIR[at % 2]}"
            if number == 0 and at == RARE_AT:
                said += f" {RARE}"
            size += len(said)
            row = {
                "type": "assistant", "uuid": f"{session}-{at}", "sessionId": session,
                "timestamp": f"2026-03-{1 + number % 28:02}T12:{at // 60 % 60:02}:{at % 60:02}Z",
                "message": {
                    "id": f"msg_{number:08}_{at:012}", "role": "assistant",
                    "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": said}],
                    "usage": {"input_tokens": 1, "output_tokens": 1},
                },
            }  # fmt: skip
            stream.write(json.dumps(row) + "\n")
    return size


def filled(folder: Path, place: Home, megabytes: int) -> tuple[int, float]:
    """The bytes of text that were stored, and the seconds that reading them in took."""
    rng = random.Random(7)  # noqa: S311  not a secret
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(60_000)]
    size, took_s = 0, 0.0
    for number in range(max(1, megabytes * 2**20 // SESSION_BYTES)):
        logs = folder / f"logs-{number}"
        logs.mkdir()
        size += write_session(logs, rng, words, number)
        began = time.process_time()
        import_logs(logs, home=place.home, store=place.url)
        took_s += time.process_time() - began
        for path in logs.iterdir():
            path.unlink()
    return size, took_s


def index_bytes(store: Store) -> int:
    """The bytes of all filters."""
    own = select(func.sum(func.length(traces.c.body))).where(traces.c.part == "words")
    with store.database.read() as connection:
        return connection.scalar(own) or 0


def searches(store: Store) -> Iterator[tuple[str, str, float, int]]:
    """Each kind of search: its name, its words, the median of its seconds, its hits."""
    asked = {
        "a word that stands once": RARE,
        "a word that is nowhere": NEVER,
        "a word of every piece": PAIR[0],
        "two words that are never together": " ".join(PAIR),
        "a phrase": f'"{RARE}"',
    }
    for name, words in asked.items():
        taken, hits = [], 0
        for _ in range(TIMES):
            began = time.process_time()
            hits = len(search_texts(store, TextQuery(words)).hits)
            taken.append(time.process_time() - began)
        yield name, words, statistics.median(taken), hits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--database", help="the address of an empty database")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        place = Home(Path(scratch) / "home", given.database)
        size, took_s = filled(Path(scratch), place, given.megabytes)
        with place.open_store() as store:
            index = index_bytes(store)
            rows = list(searches(store))
    print(f"`python benchmarks/text_search.py` · {size / 2**20:,.0f} MB of text\n")
    print("| measurement | figure | bar |\n|---|--:|--:|")
    print(f"| read in | {size / 2**20 / took_s:.1f} MB/s | |")
    print(f"| index of the text | {index / size:.1%} | ≤ {MOST_OF_TEXT:.0%} |")
    for name, _, taken, hits in rows:
        print(f"| {name}, {hits} hits | {taken * 1e3:.0f} ms | ≤ {BAR_S * 1e3:.0f} ms |")


if __name__ == "__main__":
    main()
