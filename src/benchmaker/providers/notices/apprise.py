"""Notices by mail, chat and the like, through Apprise."""

import asyncio
from importlib import import_module
from typing import Any

from benchmaker.errors import PrerequisiteError, ProviderError, SpecError


class Apprise:
    """One address of Apprise (``mailto://…``, ``slack://…``).

    Raises:
        PrerequisiteError: the package is not installed.
        SpecError: Apprise doesn't know such an address.
    """

    def __init__(self, url: str, *, timeout_s: float = 30.0) -> None:
        self.name = f"apprise {url.partition(':')[0]}"
        self._timeout_s = timeout_s
        self._target: Any = _package().Apprise()  # the package has no types
        if not self._target.add(url):
            raise SpecError(f"Apprise does not support the address of {self.name}.")

    async def send(self, notice_id: str, body: bytes) -> None:
        """Deliver the notice.

        Raises:
            ProviderError: Apprise reports a failed delivery.
        """
        sending = self._target.async_notify(title=notice_id, body=body.decode())
        try:
            async with asyncio.timeout(self._timeout_s):
                is_taken = await sending
        except TimeoutError as exc:
            raise ProviderError(
                f"{self.name} did not finish within {self._timeout_s:g} s."
            ) from exc
        if not is_taken:
            raise ProviderError(f"{self.name} was not delivered.")

    async def close(self) -> None:
        """Do nothing: no resources are held."""


def _package() -> Any:  # noqa: ANN401  it has no types
    try:
        return import_module("apprise")
    except ModuleNotFoundError as exc:
        raise PrerequisiteError(
            "Apprise is not installed.", hint="pip install 'benchmaker[notify]'"
        ) from exc
