"""A plain function as a scorer."""

import dataclasses
import inspect
from collections.abc import Callable
from copy import copy
from functools import cache
from typing import Any, cast

from benchmaker.errors import SpecError
from benchmaker.record import Score, Trial
from benchmaker.scoring.checks.function_result import case_data, score_of_result
from benchmaker.scoring.checks.python_work import plain_result
from benchmaker.spec import Case

_ARGUMENTS = 2
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class _FunctionScorer:
    """Scores answers with the function of its class; its fields are keywords of that function."""

    __slots__ = ()

    async def score(self, case: Case, trial: Trial) -> Score:
        """The function's score; a verdict is in ``detail["passed"]``.

        Raises:
            ScorerError: the function returns something that is no score.
        """
        cls = type(self)
        keywords = {it.name: getattr(self, it.name) for it in dataclasses.fields(cast("Any", self))}
        result = cls.function(trial.text, case_data(case), **keywords)  # type: ignore[attr-defined]  # set below
        if inspect.isawaitable(result):
            result = await result
        name = f"{cls.__module__}:{cls.__qualname__}"
        return score_of_result(plain_result(result), name, {"function": name})

    def explain(self, score: Score) -> list[str]:
        """The function and its result."""
        lines = [f"{score.detail['function']}(output, case)"]
        if "passed" in score.detail:
            lines.append(f"passed: {'yes' if score.detail['passed'] else 'no'}")
        return [*lines, f"{score.notes}: {score.score:g}"]


@cache
def scorer_class(function: Callable[..., Any]) -> type:
    """Return the scorer class of ``function(output, case)``.

    ``output`` is the text of the answer, ``case`` a dictionary, as for the check ``python``.
    Keyword-only parameters become parameters of the scorer. The function returns a boolean, a
    number from 0 to 1, or a dictionary with ``passed``, ``score`` and ``reason``; it may be a
    coroutine function.

    Raises:
        SpecError: it can't be called with two arguments.

    >>> def mentions(output, case, *, word: str = "Lima"): return word in output
    >>> scorer_class(mentions)(word="Peru")
    mentions(word='Peru')
    """
    parameters = list(inspect.signature(function).parameters.values())
    taken = [one for one in parameters if one.kind in _POSITIONAL]
    keywords = [one for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]
    if len(taken) != _ARGUMENTS or len(taken) + len(keywords) != len(parameters):
        message = f"{function.__qualname__} must take two arguments: output and case."
        raise SpecError(message, hint="Make parameters of the scorer keyword-only.")
    hints = inspect.get_annotations(function)
    made = dataclasses.make_dataclass(
        function.__name__,
        [_field(one, hints.get(one.name, Any)) for one in keywords],
        bases=(_FunctionScorer,),
        namespace={"function": staticmethod(function), "__doc__": function.__doc__},
        frozen=True,
    )
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made


def _field(parameter: inspect.Parameter, kind: Any) -> Any:  # noqa: ANN401  a field of any type
    if parameter.default is inspect.Parameter.empty:
        return (parameter.name, kind)
    default = parameter.default
    if type(default).__hash__ is None:  # a list or a mapping, of which each scorer has its own
        return (parameter.name, kind, dataclasses.field(default_factory=lambda: copy(default)))
    return (parameter.name, kind, dataclasses.field(default=default))
