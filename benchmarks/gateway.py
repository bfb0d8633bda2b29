"""What the gateway adds to the first byte of a streamed answer, and the start of its relay.

    python benchmarks/gateway.py [--requests N] [--starts N] [--json]

A model server in its own process sends the first event after 20 ms. Requests go to it directly and
through the gateway's socket, by turns, in one run; the median of the differences is the result.

The relay is started in bubblewrap by the Python that the sandbox uses, and becomes ``true``. In
turns with it, the same Python becomes ``true`` at once, and ``true`` is started without Python,
whose time is subtracted from both.
"""

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import aiohttp
from aiohttp import web

from benchmaker.arenas.agentic.gateway.caps import TrialCaps
from benchmaker.arenas.agentic.gateway.gateway import open_gateway
from benchmaker.record.agent_trial import TrialKey
from benchmaker.sandbox import relay
from benchmaker.sandbox.command import GATEWAY_PORT, GATEWAY_SOCKET
from benchmaker.sandbox.interpreter import base_interpreter, script_file
from benchmaker.store import Store

MODEL = "openai/gpt-4o-mini"
FIRST_S = 0.02
WARM = 5
WORD = b'data: {"choices": [{"index": 0, "delta": {"content": "word "}}]}\n\n'
END = (
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    b'data: {"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 20}}\n\n'
    b"data: [DONE]\n\n"
)
BODY = {
    "model": "any",
    "stream": True,
    "messages": [{"role": "user", "content": "Tidy up the folder. " * 2000}],
}


async def answer(asked: web.Request) -> web.StreamResponse:
    """Send twenty words, the first after a while."""
    await asked.read()
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(asked)
    await asyncio.sleep(FIRST_S)
    for _ in range(20):
        await response.write(WORD)
    await response.write(END)
    return response


async def serve() -> None:
    """Be the model server; print the address."""
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    sys.stdout.write(f"http://127.0.0.1:{runner.addresses[0][1]}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


@contextmanager
def served() -> Iterator[str]:
    """The address of a model server in its own process."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # noqa: S101  a pipe was asked for
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


async def first_byte_s(session: aiohttp.ClientSession, url: str, token: str) -> tuple[float, float]:
    """Seconds to the first byte of the body, and to its end."""
    began = time.perf_counter()
    headers = {"Authorization": f"Bearer {token}"}
    async with session.post(f"{url}/v1/chat/completions", json=BODY, headers=headers) as reply:
        await reply.content.readany()
        first = time.perf_counter() - began
        await reply.read()
        return first, time.perf_counter() - began


async def measure(url: str, requests: int) -> dict[str, float]:
    """The figures in milliseconds."""
    environ = {"OPENAI_API_KEY": "sk-none-0123456789", "OPENAI_BASE_URL": f"{url}/v1"}
    direct, through = [], []
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder, "b.db")) as store:
        async with open_gateway(store, [MODEL], series="s", environ=environ) as gateway:
            grant = gateway.grant(TrialKey("s", "t", "y", 1), MODEL, TrialCaps(cost_usd=100.0))
            socket = aiohttp.UnixConnector(path=str(grant.socket))
            async with (
                aiohttp.ClientSession() as plain,
                aiohttp.ClientSession(connector=socket) as behind,
            ):
                for at in range(requests + 10):
                    pair = (
                        await first_byte_s(plain, url, "x"),
                        await first_byte_s(behind, "http://gateway", grant.token),
                    )
                    if at >= 10:  # noqa: PLR2004  the first ones load and connect
                        direct.append(pair[0])
                        through.append(pair[1])
    added = [b[0] - a[0] for a, b in zip(direct, through, strict=True)]
    whole = [b[1] - a[1] for a, b in zip(direct, through, strict=True)]
    return {
        "requests": requests,
        "direct_first_ms": 1000 * statistics.median(first for first, _ in direct),
        "gateway_first_ms": 1000 * statistics.median(first for first, _ in through),
        "added_first_ms": 1000 * statistics.median(added),
        "added_end_ms": 1000 * statistics.median(whole),
    }


def relay_starts(number: int) -> dict[str, float]:
    """The start of the relay, and that of its Python alone, in milliseconds."""
    python = [base_interpreter(), "-I", "-S", "-B"]
    ports = [str(GATEWAY_PORT), GATEWAY_SOCKET, relay.END]
    arms = {
        "relay": [*python, str(script_file(relay.__file__)), *ports, "/bin/true"],
        "python": [*python, "-c", "import posix; posix.execv('/bin/true', ['true'])"],
        "none": ["/bin/true"],
    }
    took: dict[str, list[Start]] = {name: [] for name in arms}
    for at in range(number + WARM):
        for name, command in arms.items():
            one = timed_start(command)
            if at >= WARM:
                took[name].append(one)
    return {"starts": number} | {
        f"{name}_start_{what}_ms": 1000 * (median_of(took[name], what) - median_of(none, what))
        for what in Start._fields
        for none in [took["none"]]
        for name in ("relay", "python")
    }


class Start(NamedTuple):
    """Seconds to start a command in bubblewrap without a network, and to its end."""

    wall: float
    cpu: float


def timed_start(command: Sequence[str]) -> Start:
    walls = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all"]
    own = ["--as-pid-1"]  # so that the time of the command counts as that of bubblewrap
    began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["bwrap", *walls, *own, *command], check=True, env={"PATH": os.defpath})
    ended, later = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = later.ru_utime + later.ru_stime - used.ru_utime - used.ru_stime
    return Start(ended - began, cpu_s)


def median_of(starts: Sequence[Start], what: str) -> float:
    return statistics.median(getattr(one, what) for one in starts)


def main() -> None:
    """Run the benchmark, or the server that it needs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--starts", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    with served() as url:
        found = asyncio.run(measure(url, options.requests))
    found |= relay_starts(options.starts)
    if options.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    for name, value in found.items():
        sys.stdout.write(f"{name:22}{value:8.2f}\n")


if __name__ == "__main__":
    main()
