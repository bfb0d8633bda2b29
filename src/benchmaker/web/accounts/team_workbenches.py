"""The workbenches of teams, loaded if there are accounts."""

from typing import TYPE_CHECKING

from benchmaker.web.workbench import Workbench

if TYPE_CHECKING:
    from benchmaker.web.accounts.workbenches import Benches


def open_team_workbenches(root: Workbench) -> "Benches":
    """The workbenches of all teams, by that of ``main``."""
    from benchmaker.web.accounts.workbenches import Benches  # noqa: PLC0415  where there are accounts

    return Benches(root)
