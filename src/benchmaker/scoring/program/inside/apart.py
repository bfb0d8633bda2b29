"""The program in another process, as the tests use it."""

import builtins
import sys
from types import ModuleType
from typing import Any

from benchmaker.scoring.program.inside.client import Client
from benchmaker.scoring.program.inside.remote import number_of
from benchmaker.scoring.program.inside.source_names import MODULE


class RemoteProgram(Client):
    """The program behind the link."""

    is_exact = True

    def load(self, source: str) -> list[str]:
        """Let the program's process run the code; return its names."""
        return [str(name) for name in self.request("load", source)]

    def value(self, name: str) -> Any:  # noqa: ANN401  any value
        """The value of one of the program's names."""
        return self.request("name", name)

    def bind(self, names: dict[str, Any], public: list[str], looked_up: dict[str, Any]) -> None:
        """Make names available to the tests: by themselves, as a module, and in ``globals()``."""
        self._looked_up = looked_up
        for name, value in names.items():
            setattr(builtins, name, value)
        module = _ProgramModule(self)
        module.__all__ = public
        kept = {name: it for name, it in looked_up.items() if number_of(it) is not None}
        module.__dict__.update(kept)  # for vars(); other values may change
        sys.modules[MODULE] = module

    def prepare(self, tests: ModuleType) -> None:
        """Put the names into ``globals()`` of a module of tests; all modules see the others."""
        tests.__dict__.update(self._looked_up)

    def watch(self) -> None:
        """Do nothing: every request is counted."""


class _ProgramModule(ModuleType):
    """The program as the module ``solution``."""

    def __init__(self, client: Client) -> None:
        super().__init__(MODULE)
        self.__dict__["_client"] = client

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any value
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__["_client"].request("name", name)

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("__"):
            raise self.__dict__["_client"].refuse(f"replace {name} of the program")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise self.__dict__["_client"].refuse(f"replace {name} of the program")
