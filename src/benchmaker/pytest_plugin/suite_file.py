"""Suites collected as tests: an item for each case and setup."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from benchmaker.arenas.standard.answers import open_answers
from benchmaker.arenas.standard.request import requested_setups
from benchmaker.cli.output.key_redaction import redactor_of
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.errors import BenchmakerError
from benchmaker.pytest_plugin.case_result import CaseResult, read_case_result
from benchmaker.pytest_plugin.session_runs import (
    NO_SOURCE,
    AnswerSource,
    RunRequest,
    SessionRuns,
    runs_of,
)
from benchmaker.record import Setup
from benchmaker.scoring.check import load_checked
from benchmaker.spec import Case, Suite
from benchmaker.spec.suites.located_cases import case_places


class SuiteFile(pytest.File):
    """A suite in a file; its cases are run together, once for the session."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each case and setup, or for each case if no option names a model.

        Raises:
            CollectError: an invalid suite or file of answers; all faults with line and column.
        """
        source = AnswerSource.of(self.config)
        try:
            self.suite = load_checked(self.path)
            self.setups = _setups(self.suite, source)
            places = case_places(self.suite)
            self.cases = tuple(self.suite)
        except BenchmakerError as exc:
            raise self.CollectError(str(exc)) from exc
        for case in self.cases:
            line = places[case.id].line if case.id in places else 0
            for setup in self.setups or (None,):
                yield SuiteItem.of(self, case, setup, line=line)

    @cached_property
    def requests(self) -> dict[str, RunRequest]:
        """The request that answers each setup's cases, by the name of the setup.

        The requests have exactly the cases and setups that the session selected: it is a single one
        if each setup has the same cases. Recorded answers cost nothing, so that one suffices.
        """
        chosen, source = self._chosen_cases(), AnswerSource.of(self.config)
        together = self._in_order(set().union(*chosen.values()))
        is_even = len(chosen) == len(self.setups) and set(chosen.values()) == {together}
        if is_even or source.recorded:
            one = RunRequest(self.suite, source, self._unless_all(together))
            return dict.fromkeys(chosen, one)
        by_name = {setup.name: setup for setup in self.setups}
        return {
            name: _request_of_setup(self.suite, source, by_name[name], self._unless_all(cases))
            for name, cases in chosen.items()
        }

    def _chosen_cases(self) -> dict[str, tuple[str, ...]]:
        """The ids of the cases that the session selected, by setup."""
        found: dict[str, set[str]] = {}
        for item in self.session.items:
            if isinstance(item, SuiteItem) and item.parent is self:
                found.setdefault(item.setup_name, set()).add(item.case.id)
        return {name: self._in_order(ids) for name, ids in found.items()}

    def _in_order(self, ids: set[str]) -> tuple[str, ...]:
        return tuple(case.id for case in self.cases if case.id in ids)

    def _unless_all(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        return () if len(ids) == len(self.cases) else ids


def _setups(suite: Suite, source: AnswerSource) -> tuple[Setup, ...]:
    """The setups of the session; empty without an option."""
    if not source:
        return ()
    if not source.recorded:
        found = requested_setups(suite, source.models, RunOptions())
        return found or tuple(Setup(name=it, model=it) for it in dict.fromkeys(source.models))
    answers = open_answers(source.recorded, models=source.models)
    answers.provider.close()  # type: ignore[attr-defined]  # recorded answers hold a file
    return answers.setups or tuple(Setup(name=it, model=it) for it in answers.models)


def _request_of_setup(
    suite: Suite, source: AnswerSource, setup: Setup, cases: tuple[str, ...]
) -> RunRequest:
    alone = AnswerSource((setup.model_label,), None, source.max_cost_usd)
    prompts = () if setup.prompt_id is None else (setup.prompt_id,)
    efforts = () if setup.effort is None else (setup.effort,)
    return RunRequest(suite, alone, cases, prompts, efforts)


class SuiteItem(pytest.Item):
    """A case with a setup: passes if the answer is right, or if its checks pass."""

    def __init__(
        self,
        *,
        case: Case,
        setup_of_case: Setup | None,
        line: int,
        **others: Any,  # noqa: ANN401  handed on
    ) -> None:
        super().__init__(**others)
        self.case = case
        self.setup_name = setup_of_case.name if setup_of_case else ""
        self._line = line
        self._result = CaseResult()
        self.add_marker("benchmaker")
        self.extra_keyword_matches.update(case.tags, [case.category] if case.category else [])
        if setup_of_case is None:
            self.add_marker(pytest.mark.skip(reason=NO_SOURCE))

    @classmethod
    def of(cls, parent: SuiteFile, case: Case, setup: Setup | None, *, line: int) -> "SuiteItem":
        """Return the item; it is named after the case, and the setup in brackets."""
        name = case.id if setup is None else f"{case.id}[{setup.name}]"
        made: SuiteItem = cls.from_parent(
            parent, name=name, case=case, setup_of_case=setup, line=line
        )
        return made

    @property
    def suite_file(self) -> SuiteFile:
        """The file of the case."""
        assert isinstance(self.parent, SuiteFile)  # noqa: S101  for types: see SuiteItem.of
        return self.parent

    def setup(self) -> None:
        """Run the suite, if that has not happened; an answer without a score is an error."""
        runs = runs_of(self.config)
        try:
            result = runs.result(self.suite_file.requests[self.setup_name])
            self._result = read_case_result(result, self.case.id, self.setup_name, runs.context)
        except BenchmakerError as exc:
            pytest.fail(_clean(str(exc), runs), pytrace=False)
        if self._result.is_missing:
            pytest.fail(self._with_place(self._result.text), pytrace=False)

    def runtest(self) -> None:
        """Fail with the answer and its checks unless it is right."""
        result = self._result
        if result.is_wrong:
            if not self.case.weight:
                pytest.skip(f"weight 0, can't fail: {result.headline}")
            pytest.fail(self._with_place(result.text), pytrace=False)

    def _with_place(self, text: str) -> str:
        """The text of a failure, with the line of the case below, as in failures of functions."""
        here = self.config.invocation_params.dir
        path = self.path.relative_to(here) if self.path.is_relative_to(here) else self.path
        line = f":{self._line}" if self._line else ""
        return f"{text}\n\n{path}{line}: Failed"

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The line of the case in the file of the suite."""
        return self.path, self._line - 1 if self._line else None, self.name


def _clean(text: str, runs: SessionRuns) -> str:
    """The text without keys."""
    return redactor_of(runs.context).text(text)
