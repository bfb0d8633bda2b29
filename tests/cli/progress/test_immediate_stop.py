"""An immediate stop says what is stored."""

import pytest

from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.progress.live import perform


def stopped(**_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("action", "kept"),
    [("run.start", "nothing was stored."), ("run.resume", "stored answers are kept.")],
)
def test_a_stop_before_the_run_offers_no_resume(action, kept, tmp_path, capsys):
    code = perform(Context(home=tmp_path), stopped, action=action, quiet=False)
    assert code is ExitCode.INTERRUPTED
    assert capsys.readouterr().err == f"Stopped before the first request; {kept}\n"
