"""``--otel-endpoint``: the spans of a run, sent to a collector."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

otel_option = click.option(
    "--otel-endpoint",
    metavar="URL",
    help="Send spans of trials and requests to this OTLP/HTTP collector (requires the otel extra).",
)


@contextmanager
def span_export(endpoint: str | None, say: Callable[[str], object]) -> Iterator[None]:
    """Send each durable trial in the block; at the end report undelivered ones.

    Raises:
        SpecError: an invalid address of a collector.
        PrerequisiteError: the extra is not installed.
    """
    if endpoint is None:
        yield
        return
    from benchmaker.engine.trials.log_context import ON_TRIAL
    from benchmaker.report.telemetry.otlp import Sender, exporter

    sender = Sender(exporter(endpoint))
    token = ON_TRIAL.set(sender.enqueue)
    try:
        yield
    finally:
        ON_TRIAL.reset(token)
        sender.close()
        if sender.lost:
            say(f"{sender.lost:,} of {sender.lost + sender.sent:,} spans were not delivered.")
