"""The targets of notices: the file ``notices.yaml`` in the data folder."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from benchmaker.spec.documents.files import read_text
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.messages import faults, kind
from benchmaker.spec.documents.source_map import SourceMap
from benchmaker.spec.documents.yaml import read_yaml
from benchmaker.spec.suites.value_errors import Objections

NOTICES_FILE = "notices.yaml"

Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,199}$")]
"""The name of an environment variable; its value is never stored."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _AddressTarget(_Part):
    """A target with an address, given directly or by the name of an environment variable."""

    url: Annotated[str, Field(min_length=1, max_length=4000)] | None = None
    url_env: Variable | None = None

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if (self.url is None) == (self.url_env is None):
            msg = "exactly one of url and url_env is needed"
            raise ValueError(msg)
        return self


class WebhookTarget(_AddressTarget):
    """A POST of JSON, signed by the secret that the variable ``secret_env`` holds."""

    secret_env: Variable
    timeout_s: float = Field(10.0, gt=0, le=300)


class CommandTarget(_Part):
    """A program that gets the notice as JSON on stdin; it took it when it ends with 0."""

    command: Annotated[tuple[str, ...], Field(min_length=1, max_length=200)]
    timeout_s: float = Field(30.0, gt=0, le=3600)


class AppriseTarget(_AddressTarget):
    """An address of Apprise: mail, chat and the like; needs the extra ``notify``."""

    timeout_s: float = Field(30.0, gt=0, le=300)


class NoticeTargets(_Part):
    """All targets of notices; each gets all notices."""

    webhooks: tuple[WebhookTarget, ...] = ()
    commands: tuple[CommandTarget, ...] = ()
    apprise: tuple[AppriseTarget, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if there is no target."""
        return not (self.webhooks or self.commands or self.apprise)


_PARTS: dict[str, type[BaseModel]] = {
    "webhooks": WebhookTarget,
    "commands": CommandTarget,
    "apprise": AppriseTarget,
}

Shape = Literal["webhooks", "commands", "apprise"]


def load_notices(home: Path) -> NoticeTargets:
    """Return the targets in the data folder's file; without a file, none.

    Raises:
        SpecError: the file is wrong, with every fault and its place.
    """
    path = home / NOTICES_FILE
    if not path.exists():
        return NoticeTargets()
    limits = Limits()
    findings = Findings(limits.findings)
    text = read_text(path, limits=limits, cap=limits.document_bytes)
    document = read_yaml(text, str(path), limits=limits, findings=findings)
    objections = Objections(SourceMap(str(path), document.root), findings)
    if document.data is None:
        return NoticeTargets()
    if not isinstance(document.data, dict):
        what = f"expected a mapping with webhooks, commands or apprise, not {kind(document.data)}."
        objections.add((), what, "Start with: webhooks:")
        raise findings.error()
    try:
        made = NoticeTargets.model_validate(document.data)
    except ValidationError as exc:
        objections.take(faults(exc, NoticeTargets, _PARTS))
        raise findings.error() from exc
    findings.raise_if_any()
    return made
