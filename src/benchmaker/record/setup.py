"""A setup: the model, prompt, effort and parameters that a table compares."""

from typing import Any

import msgspec

_SEPARATOR = " · "


class Setup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Model × prompt × effort × parameters, under one name.

    ``model`` is the name that the provider gets, ``label`` the model's name in the suite if it has
    another one there. ``prompt_id`` and ``effort`` are None where the suite has no prompts or no
    efforts. ``parameters`` are those of all levels merged, as sent.
    """

    name: str
    model: str
    label: str = ""
    prompt_id: str | None = None
    effort: str | None = None
    parameters: dict[str, Any] = {}

    @property
    def model_label(self) -> str:
        """The name of the model in tables by model."""
        return self.label or self.model


def setup_name(model_label: str, prompt_id: str | None = None, effort: str | None = None) -> str:
    """Return the name of a setup; without prompt and effort it is the model's.

    >>> setup_name("openai/a", "plain", "high")
    'openai/a · plain · high'
    """
    return _SEPARATOR.join(part for part in (model_label, prompt_id, effort) if part is not None)
