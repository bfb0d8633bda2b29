"""``benchmaker vacuum``: reclaim the disk space of deleted runs."""

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say, say_json


@declare("vacuum", examples=("benchmaker vacuum",))
def command(context: Context) -> None:
    """Reclaim disk space from deleted runs.

    Suites that no run uses are deleted too.
    """
    from benchmaker.cli.database import open_store

    with open_store(context, read_only=False) as store:
        done = store.vacuum()
    from benchmaker.spec.documents.sizes import readable_size

    if context.use_json:
        say_json(done)
    else:
        freed = done.bytes_before - done.bytes_after
        dropped = f", {done.suites} unused suites dropped" if done.suites else ""
        say(f"{readable_size(freed)} freed, {readable_size(done.bytes_after)} in use{dropped}")
