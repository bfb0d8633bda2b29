"""Receivers of notices, from the data folder's file and the given environment."""

from collections.abc import Mapping
from pathlib import Path

from benchmaker.engine.jobs.notices import Receiver
from benchmaker.errors import PrerequisiteError
from benchmaker.spec.notices import NOTICES_FILE, NoticeTargets, load_notices


def receivers_of(
    home: Path, environ: Mapping[str, str] | None = None, *, targets: NoticeTargets | None = None
) -> tuple[Receiver, ...]:
    """Return the receivers in ``notices.yaml``, or the given ones.

    Args:
        home: the data folder.
        environ: the variables with addresses and secrets.
        targets: replaces those of the file.

    Raises:
        SpecError: the file is invalid.
        PrerequisiteError: a required variable is not set, or a package is missing.
    """
    wanted = load_notices(home) if targets is None else targets
    if wanted.is_empty:
        return ()
    from benchmaker.providers.notices.apprise import Apprise  # noqa: PLC0415  only where somebody is told
    from benchmaker.providers.notices.notice_command import NoticeCommand  # noqa: PLC0415
    from benchmaker.providers.notices.webhooks import Webhook  # noqa: PLC0415  loads aiohttp

    known = dict(environ or {})
    return (
        *(
            Webhook(
                one.url or _value(known, one.url_env),
                secret=_value(known, one.secret_env),
                timeout_s=one.timeout_s,
                environ=known,
            )
            for one in wanted.webhooks
        ),
        *(
            NoticeCommand(
                one.command, timeout_s=one.timeout_s, environ=_without_secrets(known, wanted)
            )
            for one in wanted.commands
        ),
        *(
            Apprise(one.url or _value(known, one.url_env), timeout_s=one.timeout_s)
            for one in wanted.apprise
        ),
    )


def _value(environ: Mapping[str, str], name: str | None) -> str:
    value = environ.get(name or "", "")
    if not value:
        raise PrerequisiteError(
            f"{name} is not set.", where=NOTICES_FILE, hint=f"Set it: export {name}=…"
        )
    return value


def _without_secrets(environ: Mapping[str, str], wanted: NoticeTargets) -> dict[str, str]:
    """The environment of a command: without the secrets of the other receivers."""
    addressed = (*wanted.webhooks, *wanted.apprise)
    secret = {one.secret_env for one in wanted.webhooks} | {one.url_env for one in addressed}
    return {name: value for name, value in environ.items() if name not in secret}
