"""The program in the process of its tests, as with plain pytest.

Nothing keeps the program from forging the report, so that a success here is not proof of anything.
"""

import builtins
import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import FrameType, ModuleType
from typing import Any

from benchmaker.scoring.program.inside.places import FILE, write_program
from benchmaker.scoring.program.inside.source_names import MODULE


class LocalProgram:
    """The program as the module ``solution``.

    It has the attributes of a :class:`~benchmaker.scoring.program.inside.client.Client` that the
    report needs. ``uses`` counts the watched parts of the tests in which code of the program ran.
    """

    problem = unsendable = ""
    own_words = 0
    is_exact = False

    def __init__(self) -> None:
        self.uses = 0
        self._names: dict[str, Any] = {}
        self._looked_up: dict[str, Any] = {}

    def load(self, source: str) -> list[str]:
        """Run the program's code as a module; return its names."""
        path = write_program(source)
        spec: Any = spec_from_file_location(MODULE, path)
        module = sys.modules[MODULE] = module_from_spec(spec)
        sys.path.append(os.path.dirname(path))  # noqa: PTH120  see start.py
        sys.argv = [FILE]
        exec(compile(source, FILE, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  its purpose
        return [name for name in list(module.__dict__) if type(name) is str]

    def value(self, name: str) -> Any:  # noqa: ANN401  any value
        """The value of one of the program's names."""
        return sys.modules[MODULE].__dict__[name]

    def bind(
        self,
        names: dict[str, Any],
        public: list[str],  # noqa: ARG002  as apart
        looked_up: dict[str, Any],
    ) -> None:
        """Keep the names that the tests use without an import, and those in ``globals()``."""
        self._names, self._looked_up = names, looked_up

    def prepare(self, tests: ModuleType) -> None:
        """Let a module of tests use the names, which other modules do not see."""
        tests.__dict__["__builtins__"] = {**vars(builtins), **self._names}
        tests.__dict__.update(self._looked_up)

    def watch(self) -> None:
        """Count a use when code of the program runs next."""
        sys.setprofile(self._see)

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename == FILE:
            self.uses += 1
            sys.setprofile(None)
