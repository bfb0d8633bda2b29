"""Answers from a program: one process a request, JSON in, text or JSON out."""

import asyncio
import os
import shlex
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from benchmaker.errors import BadResponse, PrerequisiteError, ProviderError, SpecError, Timeout
from benchmaker.plugins import provider
from benchmaker.processes import tree
from benchmaker.providers.base import Request
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.providers.protocols.classify import excerpt
from benchmaker.providers.protocols.finish import finish_of
from benchmaker.providers.protocols.tool_calls import chat_steps, chat_tools
from benchmaker.providers.protocols.usage import read_usage
from benchmaker.providers.protocols.wire_json import encode_json, turns
from benchmaker.record import Completion, FinishReason, ToolCall
from benchmaker.redact import Redactor
from benchmaker.spec.documents.sizes import readable_limit
from benchmaker.structs import resolve_type

_TAIL_BYTES = 4096
_CHUNK_BYTES = 2**16
_END_S = 2.0
"""How long a program's end is waited for once it was killed."""


class _Answer(msgspec.Struct):
    """A program's structured answer, instead of plain text."""

    output: str
    usage: Any = None  # read by read_usage, which expects anything
    finish: str | None = None
    model: str | None = None
    cost_usd: float | None = None
    tool_calls: list[ToolCall] = []


@provider
class Command:
    """Runs a program for every request, without a shell.

    It gets one JSON object on stdin: ``model``, ``case_id``, ``run``, ``messages`` and
    ``parameters``; in a case with tools also ``tools``, and earlier calls and results among the
    messages, as chat completions have them. Its stdout is the answer; a JSON object with a text
    ``output`` may also contain ``usage``, ``finish``, ``model``, ``cost_usd`` and ``tool_calls``, a
    list of ``{name, arguments}``. It must exit with 0. On timeout, it is killed
    with all its child processes.

    Args:
        command: the program and its arguments, or one line with them.
        models: its names; by default the command line itself.
        environ: the environment of the program; give it none of the keys.
        limits: ``total_s`` and ``body_bytes`` bound each call.
        redactor: removes secrets from the program's error output.

    Raises:
        PrerequisiteError: the program does not exist.

    >>> command = Command("cat", models=["echo"])
    >>> command.models
    ('echo',)
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        models: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        limits: HttpLimits | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self.argv = _argv(command)
        self.models = tuple(models) or (shlex.join(self.argv),)
        self._environ = None if environ is None else dict(environ)
        _check_there(self.argv[0], self._environ)
        self._limits = limits or HttpLimits()
        self._redactor = redactor or Redactor()

    def description(self) -> dict[str, Any]:
        """Return the provider's description for a run's record."""
        return {"kind": "command", "argv": [self._redactor.text(word) for word in self.argv]}

    async def complete(self, request: Request) -> Completion:
        """Return the program's answer.

        Raises:
            ProviderError: it cannot be started, or exits with another code than 0.
            Timeout: it takes longer than ``total_s``.
            BadResponse: its output is too large, or not UTF-8.
        """
        started = time.monotonic()
        process = await self._start()
        call = _Call(process, self._limits.body_bytes)
        try:
            async with asyncio.timeout(self._limits.total_s):
                output, complaints = await call.run(_encode_request(request))
        except TimeoutError as exc:
            limit = f"{self._limits.total_s:g} s (total limit)"
            raise Timeout(f"{self.argv[0]} did not finish within {limit}.") from exc
        finally:
            await call.end()
        if process.returncode:
            raise ProviderError(self._complaint(process.returncode, complaints))
        return self._completion(output, time.monotonic() - started)

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self.argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=self._environ,
                start_new_session=True,
            )
        except OSError as exc:
            raise ProviderError(
                f"{self.argv[0]} can't be started: {exc.strerror}.", is_sent=False
            ) from exc

    def _complaint(self, code: int, complaints: bytes) -> str:
        how = f"code {code}" if code > 0 else f"signal {signal.Signals(-code).name}"
        text = excerpt(self._redactor.text(complaints.decode("utf-8", "replace")))
        return (
            f"{self.argv[0]} failed with {how}: {text}"
            if text
            else (f"{self.argv[0]} failed with {how}.")
        )

    def _completion(self, output: bytes, seconds: float) -> Completion:
        try:
            text = output.decode()
        except UnicodeDecodeError as exc:
            raise BadResponse(f"the output of {self.argv[0]} is not UTF-8.") from exc
        answer = _parse_answer(text)
        if answer is None:
            return Completion(text=text.removesuffix("\n"), latency_s=seconds)
        usage = read_usage(answer.usage)
        cost = answer.cost_usd
        return Completion(
            text=answer.output,
            finish=finish_of(answer.finish) if answer.finish else FinishReason.STOP,
            usage=usage,
            latency_s=seconds,
            cost_usd=cost if cost is not None and 0 <= cost < float("inf") else None,
            model=answer.model,
            flags=usage.flags if usage else (),
            tool_calls=tuple(
                replace(call, id=call.id or f"call_{number}")
                for number, call in enumerate(answer.tool_calls, 1)
            ),
        )


class _Call:
    """One process being fed and listened to."""

    def __init__(self, process: asyncio.subprocess.Process, most: int) -> None:
        self._process, self._most = process, most

    async def run(self, question: bytes) -> tuple[bytes, bytes]:
        """Return its stdout, and the end of its stderr."""
        feed = asyncio.ensure_future(self._feed(question))
        output = asyncio.ensure_future(self._output())
        complaints = asyncio.ensure_future(self._complaints())
        try:
            await asyncio.gather(feed, output, complaints)
        finally:
            for part in (feed, output, complaints):
                part.cancel()
            await asyncio.gather(feed, output, complaints, return_exceptions=True)
        await self._process.wait()
        return output.result(), complaints.result()

    async def end(self) -> None:
        """Kill whatever of it still runs, and wait for it."""
        for pid in reversed(tree(self._process.pid)[1:]):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._wait_for_end()

    async def _wait_for_end(self) -> None:
        """Wait for its end.

        asyncio also waits for the end of the pipes, and stops reading one that is not drained, so
        remaining data is discarded. A pipe kept open by another process is abandoned.
        """
        pipes = (self._process.stdout, self._process.stderr)
        with suppress(TimeoutError):
            async with asyncio.timeout(_END_S):
                await asyncio.gather(self._process.wait(), *map(_empty, pipes))

    async def _feed(self, question: bytes) -> None:
        pipe = self._process.stdin
        if pipe is None:
            return
        with suppress(ConnectionError):  # it need not read all of it
            pipe.write(question)
            await pipe.drain()
        pipe.close()

    async def _output(self) -> bytes:
        pieces, size = [], 0
        while self._process.stdout and (piece := await self._process.stdout.read(_CHUNK_BYTES)):
            pieces.append(piece)
            size += len(piece)
            if size > self._most:
                limit = readable_limit(self._most)
                raise BadResponse(
                    f"the output of the program is larger than {limit}.", is_retryable=False
                )
        return b"".join(pieces)

    async def _complaints(self) -> bytes:
        tail = b""
        while self._process.stderr and (piece := await self._process.stderr.read(_CHUNK_BYTES)):
            tail = (tail + piece)[-_TAIL_BYTES:]
        return tail


async def _empty(pipe: asyncio.StreamReader | None) -> None:
    while pipe is not None and await pipe.read(_CHUNK_BYTES):
        pass


def _argv(command: str | Sequence[str]) -> tuple[str, ...]:
    try:
        argv = tuple(shlex.split(command) if isinstance(command, str) else command)
    except ValueError as exc:
        raise SpecError(f"the command {command!r} can't be read: {exc}.") from exc
    if not argv or not argv[0]:
        raise SpecError("the command is empty.", hint="Give a program and its arguments.")
    return argv


def _check_there(program: str, environ: Mapping[str, str] | None) -> None:
    path = None if environ is None else environ.get("PATH", os.defpath)
    if shutil.which(program, path=path) is None:
        raise PrerequisiteError(
            f"program {program!r} not found.", hint="Give its path, or add its folder to PATH."
        )


def _encode_request(request: Request) -> bytes:
    messages = [*turns(request.messages), *chat_steps(request.steps)]
    tools = {"tools": chat_tools(request.tools)} if request.tools else {}
    return encode_json(
        {
            "model": request.model,
            "case_id": request.case_id,
            "run": request.run,
            "messages": messages,
            "parameters": request.parameters.model_dump(),
            **tools,
        }
    )


def _parse_answer(text: str) -> _Answer | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return msgspec.json.decode(text, type=resolve_type(_Answer))
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
