"""The logs of harbor's agents: read as they are, else by the trajectory that the adapter makes."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.running.harbor.library import HarborAdapter, convert_logs

_MOST_BYTES: Final = 256 << 20
TRAJECTORY: Final = "trajectory.json"


@contextmanager
def converted_logs(adapter: HarborAdapter, logs: Path) -> Iterator[Path | None]:
    """The trajectory (ATIF) that the adapter writes from its logs; None if it writes none.

    It reads a copy of the plain files, so that no link of the agent leads out of them.
    """
    with tempfile.TemporaryDirectory(prefix="benchmaker-atif-") as name:
        copy = Path(name, "logs")
        copy.mkdir()
        _copy_plain(logs, copy)
        made = copy / TRAJECTORY
        made.unlink(missing_ok=True)
        is_made = convert_logs(adapter, copy)
        yield made if is_made and made.is_file() and not made.is_symlink() else None


def _copy_plain(source: Path, into: Path) -> None:
    left = _MOST_BYTES
    for path in sorted(source.rglob("*")):
        is_plain = path.is_file() and not path.is_symlink()
        if not is_plain or path.stat().st_size > left:
            continue
        left -= path.stat().st_size
        place = into / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
