"""The least that asks models and loses nothing: aiohttp, and one durable row for each sample.

``python bare.py BASE_URL CASES STORE SAMPLES CONCURRENCY [stream] [held]`` takes as many cases,
asks so many at once, compares the number at the end of each reply, and inserts a row. Rows are
committed together, in a thread, to SQLite in WAL mode with full synchronisation: every 50 ms while
the loop goes on, so that a kill repeats what the last 50 ms brought; ``held``, as soon as the last
commit is through, and a place is free again once its row is durable, so that a kill repeats no
more than was being asked. It plans nothing, repeats nothing, limits nothing and keeps no
statistics.
"""

import asyncio
import itertools
import queue
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

COMMIT_EVERY_S = 0.05
TIMEOUT = aiohttp.ClientTimeout(total=120, sock_connect=10)
encode, decode = msgspec.json.encode, msgspec.json.decode
Row = tuple[str, str, float]
Put = tuple[Row, asyncio.Future | None]


class Rows:
    """A thread that commits what was put, every 50 ms or as soon as it can."""

    def __init__(self, path: str, *, held: bool) -> None:
        self._path, self._held = path, held
        self._waiting: queue.SimpleQueue[Put | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    async def put(self, row: Row) -> None:
        """Have it committed with the next; ``held``, wait for that."""
        durable = asyncio.get_running_loop().create_future() if self._held else None
        self._waiting.put((row, durable))
        if durable is not None:
            await durable

    def close(self) -> None:
        """Commit what waits."""
        self._waiting.put(None)
        self._thread.join()

    def _write(self) -> None:
        connection = sqlite3.connect(self._path, isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE trial (id TEXT PRIMARY KEY, output TEXT, score REAL)")
        pause = threading.Event()
        while (put := self._waiting.get()) is not None:
            if not self._held:
                pause.wait(COMMIT_EVERY_S)
            puts = [put]
            while not self._waiting.empty():
                if (put := self._waiting.get()) is None:
                    self._waiting.put(None)
                    break
                puts.append(put)
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO trial VALUES (?, ?, ?)", [row for row, _ in puts])
            connection.execute("COMMIT")
            if durable := [it for _, it in puts if it is not None]:
                durable[0].get_loop().call_soon_threadsafe(freed, durable)


def freed(durable: list[asyncio.Future]) -> None:
    for one in durable:
        one.set_result(None)


async def whole(reply: aiohttp.ClientResponse) -> str:
    return decode(await reply.read())["choices"][0]["message"]["content"]


async def streamed(reply: aiohttp.ClientResponse) -> str:
    text, rest = "", b""
    async for chunk in reply.content.iter_any():
        *events, rest = (rest + chunk).split(b"\n\n")
        for event in events:
            if event.startswith(b"data: {") and (choices := decode(event[6:])["choices"]):
                text += choices[0]["delta"].get("content", "")
    return text


async def work(
    session: aiohttp.ClientSession, url: str, cases: Iterator[Any], rows: Rows, *, stream: bool
) -> None:
    headers = {"Authorization": "Bearer none", "Content-Type": "application/json"}
    options = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
    for line in cases:
        case = decode(line)
        body = {
            "model": "gpt-4o-mini",
            "messages": [{"role": "user", "content": case["prompt"]}],
            "temperature": 0.7,
            "top_p": 1.0,
            "max_completion_tokens": 2048,
            **options,
        }
        async with session.post(url, data=encode(body), headers=headers) as reply:
            text = await (streamed if stream else whole)(reply)
        right = float(text.endswith(f" {case['expected']}."))
        await rows.put((case["id"], text, right))


async def ask(base_url: str, path: str, rows: Rows, *, samples: int, most: int, stream: bool):
    url = f"{base_url}/chat/completions"
    connector = aiohttp.TCPConnector(limit=0)
    with Path(path).open("rb") as file:  # noqa: ASYNC230  a local file, read line by line
        cases = itertools.islice(file, samples)
        async with aiohttp.ClientSession(connector=connector, timeout=TIMEOUT) as session:
            await asyncio.gather(
                *(work(session, url, cases, rows, stream=stream) for _ in range(most))
            )


if __name__ == "__main__":
    base_url, cases, store, samples, most, *options = sys.argv[1:]
    rows = Rows(store, held="held" in options)
    asyncio.run(
        ask(base_url, cases, rows, samples=int(samples), most=int(most), stream="stream" in options)
    )
    rows.close()
