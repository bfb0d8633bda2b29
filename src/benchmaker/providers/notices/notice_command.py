"""Notices handed to a program: one process a notice, JSON on stdin."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress

from benchmaker.errors import ProviderError
from benchmaker.providers.protocols.classify import excerpt
from benchmaker.redact import Redactor

_TAIL_BYTES = 4096


class NoticeCommand:
    """Runs a program for each notice, without a shell; it has taken it when it ends with 0.

    Its environment has the notice's id as ``BENCHMAKER_NOTICE_ID``. It and everything it started
    is killed when its time is over.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float = 30.0,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.name = f"command {argv[0]}"
        self._argv = tuple(argv)
        self._timeout_s = timeout_s
        self._environ = dict(environ or {})

    async def send(self, notice_id: str, body: bytes) -> None:
        """Run it.

        Raises:
            ProviderError: it can't be started, is too slow, or ends with another code than 0.
        """
        process = await self._start(notice_id)
        try:
            async with asyncio.timeout(self._timeout_s):
                _, output = await process.communicate(body)
        except TimeoutError as exc:
            raise ProviderError(
                f"{self.name} did not finish within {self._timeout_s:g} s."
            ) from exc
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if process.returncode:
            text = Redactor().text(output[-_TAIL_BYTES:].decode("utf-8", "replace"))
            raise ProviderError(f"{self.name} ended with {process.returncode}: {excerpt(text)}")

    async def close(self) -> None:
        """Do nothing: no resources are held."""

    async def _start(self, notice_id: str) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self._argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                env={**self._environ, "BENCHMAKER_NOTICE_ID": notice_id},
                start_new_session=True,
            )
        except OSError as exc:
            raise ProviderError(f"{self.name} can't be started: {exc.strerror}.") from exc
