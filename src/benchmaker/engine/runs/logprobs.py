"""Log probabilities for scorers that read them: requested where unset, and checked before a run."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Literal

from benchmaker import plugins
from benchmaker.errors import SpecError
from benchmaker.record import Setup
from benchmaker.scoring.build import build
from benchmaker.spec import Parameters, ScorerSpec, Suite, profile
from benchmaker.spec.suites.parameters import MOST_LOGPROBS

Need = Literal["unused", "preferred", "required"]
_NEEDS: tuple[Need, ...] = ("required", "preferred")


def logprobs_need(suite: Suite) -> Need:
    """Return the strongest need for log probabilities among the scorers of a checked suite.

    A suite from the store, which names no scorers yet, is read.
    """
    found = {_need_of(spec, suite.profile) for spec in _scorers_of(suite)}
    return next((one for one in _NEEDS if one in found), "unused")


def _scorers_of(suite: Suite) -> Iterator[ScorerSpec]:
    if suite.named_scorers:
        yield from suite.named_scorers.values()
        return
    named = chain((suite.fixed_scorer,), map(suite.scorer_of, suite.cases))
    yield from {repr(spec): spec for spec in named if spec is not None}.values()


def _need_of(spec: ScorerSpec, profile_name: str) -> Need:
    if not hasattr(plugins.load("scorer", spec.id), "logprobs"):
        return "unused"
    need: Need = getattr(build(spec, profile(profile_name)), "logprobs", "unused")
    return need


def requested_parameters(suite: Suite) -> Parameters:
    """Return the suite's parameters; with log probabilities if a scorer reads them.

    Written parameters, including ``logprobs: null``, are not changed.
    """
    if "logprobs" in suite.parameters.model_fields_set or logprobs_need(suite) == "unused":
        return suite.parameters
    return suite.parameters.override({"logprobs": MOST_LOGPROBS})


def models_without_logprobs(provider: object, parameters: Mapping[str, Parameters]) -> list[str]:
    """Return the setups whose models give no log probabilities with these parameters, by name.

    Providers without a method ``gives_logprobs(model, parameters)`` are not checked.
    """
    gives = getattr(provider, "gives_logprobs", None)
    if gives is None:
        return []
    return [name for name, given in parameters.items() if not gives(name, given)]


def parameters_by_setup(
    models: tuple[str, ...], parameters: Parameters, setups: tuple[Setup, ...] = ()
) -> dict[str, Parameters]:
    """Return the parameters of each setup, by name; without setups those of the run."""
    own = {one.name: Parameters.of_record(one.parameters) for one in setups}
    return {name: own.get(name, parameters) for name in models}


def refuse_missing_logprobs(
    suite: Suite, provider: object, parameters: Mapping[str, Parameters]
) -> None:
    """Raise SpecError if a scorer requires log probabilities that a model does not give."""
    if logprobs_need(suite) != "required":
        return
    without = models_without_logprobs(provider, parameters)
    if without:
        raise SpecError(
            f"choice by likelihood needs log probabilities, but there are none from "
            f"{', '.join(without)}.",
            where=suite.source or "",
            hint="Use by: auto, which takes the generated letter of such models, or leave out "
            "these models.",
        )
