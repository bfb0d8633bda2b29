"""Frameworks that are called by a command and write a report or print it."""

import tempfile
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.verify.finding import Finding, error, failed
from benchmaker.arenas.agentic.verify.frameworks.go import read_go
from benchmaker.arenas.agentic.verify.frameworks.jest import read_jest
from benchmaker.arenas.agentic.verify.frameworks.junit import read_junit
from benchmaker.arenas.agentic.verify.frameworks.tap import read_tap
from benchmaker.arenas.agentic.verify.frameworks.tests import BadReport, settled
from benchmaker.arenas.agentic.verify.place import READ_BYTES, Place, not_clean, shown
from benchmaker.sandbox import Ended, Outputs
from benchmaker.spec.criterion import TestsPass

_READERS: Final = {
    "pytest": read_junit,
    "unittest": read_junit,
    "junit": read_junit,
    "tap": read_tap,
    "jest": read_jest,
    "go": read_go,
}
_JEST_REPORT: Final = "benchmaker-jest.json"
_OWN: Final = {
    "jest": ("npx", "--no-install", "jest", "--ci", "--json", f"--outputFile={_JEST_REPORT}"),
    "go": ("go", "test", "-json", "-count=1"),
}


async def run_command_tests(criterion: TestsPass, place: Place) -> Finding:
    """Run the command, and check its report against its status and against what is wanted.

    Whatever runs inside could have written the report: ids, counts and status must agree, and
    more is not promised.
    """
    argv = criterion.run or _own(criterion)
    if argv is None:
        return error(f"for {criterion.framework} the criterion needs run, the command to call")
    report = criterion.report or (_JEST_REPORT if criterion.framework == "jest" else None)
    with tempfile.TemporaryDirectory(prefix="benchmaker-report-") as folder:
        outputs = Outputs(Path(folder), (report,)) if report else None
        ended = await place.run(argv, seconds=criterion.timeout_s, outputs=outputs)
        if (finding := not_clean(ended, argv)) is not None:
            return finding
        text = _report(ended, Path(folder, report) if report else None)
    if text is None:
        return failed(f"no report {report} was written\n{shown(ended)}")
    try:
        tests = _READERS[criterion.framework](text)
    except BadReport as exc:
        return failed(f"{exc}\n{shown(ended)}")
    found = settled(tests, criterion)
    if found.state == "pass" and ended.exit_status:
        return failed(f"the report says {found.evidence}, and the command failed\n{shown(ended)}")
    return found


def _own(criterion: TestsPass) -> tuple[str, ...] | None:
    own = _OWN.get(criterion.framework)
    if own is None:
        return None
    return (*own, *(criterion.paths or (("./...",) if criterion.framework == "go" else ())))


def _report(ended: Ended, path: Path | None) -> bytes | None:
    if path is None:
        return None if ended.truncated else ended.stdout
    if path.is_symlink() or not path.is_file() or path.stat().st_size > READ_BYTES:
        return None
    return path.read_bytes()
