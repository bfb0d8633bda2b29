"""A run being configured on a page: the form's values, and their faults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import ImmutableMultiDict

from benchmaker.engine.requests.option_declaration import (
    Calls,
    Option,
    OptionKind,
    Surfaces,
    declared_in,
)
from benchmaker.engine.requests.run_options import OPTIONS, RunOptions, SelectionOptions
from benchmaker.engine.runs.setups import models_named
from benchmaker.errors import SpecError
from benchmaker.spec import Parameters, Suite
from benchmaker.spec.suites.parameters import EFFORTS, NEUTRAL
from benchmaker.spec.suites.prompts import ModelSpec

EXAMPLE = "example"
"""The suite that ships with the package."""

SAMPLING = ("temperature", "frequency_penalty", "presence_penalty", "top_p", "max_tokens")
NONE = "none"
"""The value of a parameter that is not sent."""

LOCKED = frozenset(SAMPLING[:3])
"""The options that Benchmark Mode sets to 0."""

_SCORING = frozenset({"profile", "metric"})

FIELDS: Mapping[str, Option] = {
    name: declared
    for name, declared in OPTIONS.items()
    if Surfaces.PAGE in declared.surfaces and Calls.RUN in declared.calls
}
"""The options that have a field in the form, by name."""

SELECTION = tuple(
    sorted(
        (it for it in FIELDS if it in declared_in([SelectionOptions]) and it not in _SCORING),
        key=lambda it: FIELDS[it].kind is OptionKind.WHOLE,
    )
)
"""The options that select cases, numbers last."""

_NUMBERS = (OptionKind.WHOLE, OptionKind.NUMBER)
_MOST = 1_000_000_000

TIMES = (1, 3, 5, 10)
MOST_RUNS = 100
_DIGITS = 20
_NAMES_OF_PROGRAMS = ("command:", "python:")
_MOST_MODELS = 40
_LONGEST = 300

_USUAL = Parameters()
_IMPLICIT = frozenset({*NEUTRAL, "max_tokens"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The values of the form.

    ``sampling`` holds the entered values, even if Benchmark Mode locks them; ``chosen`` holds
    further options, by name; ``usual`` are the suite's parameters. Without ``prompts``, ``efforts``
    and ``models`` a run has those of its suite. ``times`` is the number of runs as entered.
    ``faults`` holds the faults by field.
    """

    suite: str = EXAMPLE
    answers: str = "live"
    models: tuple[str, ...] = ()
    q: str = ""
    endpoint: str = ""
    prompts: tuple[str, ...] = ()
    efforts: tuple[str, ...] = ()
    times: str = ""
    benchmark_mode: bool = False
    sampling: Mapping[str, str] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    no_judge: bool = False
    chosen: Mapping[str, str] = field(default_factory=dict)
    is_given: bool = False
    usual: Parameters = _USUAL
    faults: Mapping[str, str] = field(default_factory=dict)

    @property
    def judge(self) -> list[str] | None:
        """The judges; None for those of the suite, an empty list for none at all."""
        return [] if self.no_judge else list(self.judges) or None

    @property
    def selects(self) -> bool:
        """True if a field of the selection of cases is filled in."""
        return any(self.chosen.get(name) for name in SELECTION)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return int(self.times) if self.times and "runs" not in self.faults else 1

    @property
    def uses_example(self) -> bool:
        """True if the bundled answers are scored."""
        return self.answers == EXAMPLE

    def options(self) -> RunOptions:
        """The options of the run; empty and wrong fields leave theirs as usual."""
        chosen = {
            name: _option_value(FIELDS[name], text)
            for name, text in self.chosen.items()
            if text and FIELDS[name].form_name not in self.faults
        }
        return RunOptions(
            **chosen,
            runs=self.runs if self.runs > 1 else None,
            prompts=self.prompts,
            efforts=self.efforts,
            parameters=self.parameters(),
            benchmark_mode=self.benchmark_mode,
            judge=self.judge,
        )

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that differ from the suite's, and its defaults if entered."""
        return {
            name: _value(name, text)
            for name, text in self.sampling.items()
            if text
            and name not in self.faults
            and (is_implicit(self.usual, name) or _value(name, text) != getattr(self.usual, name))
        }

    def address(self, suite: Suite | None) -> str:
        """Return the page with this form filled in, without what the suite has by itself."""
        own = _own_choice(suite) if suite else {}
        words: list[tuple[str, str]] = [("suite", self.suite), ("answers", self.answers)]
        for name in ("models", "prompts", "efforts"):
            values = getattr(self, name)
            words += [] if values == own.get(name) else [(name, value) for value in values]
        words += [("judges", judge) for judge in self.judges]
        words += [("no_judge", "on")] if self.no_judge else []
        words += [("runs", self.times if self.times != "1" else "")]
        if self.benchmark_mode != self.usual.benchmark_mode:
            words += [("set", "1"), ("benchmark_mode", "on" if self.benchmark_mode else "")]
        words += [it for it in self.sampling.items() if it[1] != _usual_text(self.usual, it[0])]
        words += [(FIELDS[name].form_name, text) for name, text in self.chosen.items()]
        words += [("q", self.q), ("endpoint", self.endpoint)]
        kept = [(name, value) for name, value in words if value and value != _UNSAID.get(name)]
        return f"/arena?{urlencode(kept)}" if kept else "/arena"


_UNSAID = {"suite": EXAMPLE, "answers": "live"}
"""Values that an address does not repeat."""


def _own_choice(suite: Suite) -> dict[str, tuple[str, ...]]:
    """The models, prompts and efforts that a suite has by itself."""
    return {
        "models": tuple(one.name for one in suite.models),
        "prompts": tuple(str(one.id) for one in suite.prompts),
        "efforts": tuple(suite.efforts),
    }


def read_setup(given: "ImmutableMultiDict[str, Any]", *, defaults: Parameters = _USUAL) -> Setup:
    """Return the setup in a query or a form.

    ``defaults`` are the suite's own parameters. They initialise a new form, and replace those of a
    form for another suite (its field ``parameters_of``).
    """
    suite = _text(given, "suite") or EXAMPLE
    is_given = bool(given.get("set"))
    is_other = is_given and (_text(given, "parameters_of") or suite) != suite
    sampling = {
        name: _parameter_text(given, name, defaults, is_other=is_other) for name in SAMPLING
    }
    chosen = {
        name: _text(given, declared.form_name, declared.longest + 1)
        for name, declared in FIELDS.items()
    }
    is_answered = is_given and not is_other
    mode = "benchmark_mode" in given if is_answered else defaults.benchmark_mode
    models = tuple(dict.fromkeys((*_names(given, "models"), *_names(given, "add"))))
    judges = _names(given, "judges")
    prompts = () if is_other else _checked_values(given, "prompts")
    efforts = () if is_other else _names(given, "efforts")
    times = _text(given, "runs", _DIGITS)
    faults = {
        **_runs_faults(times),
        **_number_faults(sampling),
        **_option_faults(chosen),
        **_model_faults("models", models),
        **_model_faults("judges", judges),
        **_effort_faults(efforts),
    }
    if judges and "no_judge" in given:
        faults["judges"] = "No judge is selected, but judges are named. Remove one of them."
    answers = "live" if is_other else _text(given, "answers") or "live"
    if answers == EXAMPLE and suite != EXAMPLE:
        faults["answers"] = "The bundled answers belong to the example suite. Choose live models."
    return Setup(
        suite=suite,
        answers=answers,
        models=models,
        judges=judges,
        no_judge="no_judge" in given,
        q=_text(given, "q"),
        endpoint=_text(given, "endpoint"),
        prompts=prompts,
        efforts=efforts,
        times=times,
        benchmark_mode=mode,
        sampling=sampling,
        chosen=chosen,
        is_given=is_given,
        usual=defaults,
        faults=faults,
    )


def text_of(value: float | None) -> str:
    """A parameter as the form shows it; ``none`` where none is sent."""
    return NONE if value is None else f"{value:.15g}"


def _value(name: str, text: str) -> float | int | None:
    if text == NONE:
        return None
    return int(float(text)) if name == "max_tokens" else float(text)


def _parameter_text(
    given: "ImmutableMultiDict[str, Any]", name: str, defaults: Parameters, *, is_other: bool
) -> str:
    """Return a parameter's text in its field: the entered one, or the suite's."""
    typed = "" if is_other else _text(given, name)
    return typed or _usual_text(defaults, name)


def _usual_text(usual: Parameters, name: str) -> str:
    """Return the text of a suite's parameter; "" for a default that differs if it is entered."""
    return "" if is_implicit(usual, name) else text_of(getattr(usual, name))


def is_implicit(usual: Parameters, name: str) -> bool:
    """True for a default that the suite does not write, and that differs from an entered value.

    A neutral value is sent only if it is entered, and an entered ``max_tokens`` is not raised by an
    effort.
    """
    return name in _IMPLICIT and name not in usual.model_fields_set


def _text(given: "ImmutableMultiDict[str, Any]", name: str, longest: int = _LONGEST) -> str:
    value = given.get(name, "")
    return value.strip()[:longest] if isinstance(value, str) else ""


def _names(given: "ImmutableMultiDict[str, Any]", field_name: str) -> tuple[str, ...]:
    """Return the names without repeats; a field may hold several, separated by lines or commas."""
    parts = (
        part.strip()
        for value in given.getlist(field_name)
        if isinstance(value, str)
        for line in value.splitlines()
        for part in line.split(",")
    )
    return tuple(dict.fromkeys(part[:_LONGEST] for part in parts if part))


def _checked_values(given: "ImmutableMultiDict[str, Any]", field_name: str) -> tuple[str, ...]:
    """Return the values of the checked boxes, each a whole text."""
    texts = (value for value in given.getlist(field_name) if isinstance(value, str))
    return tuple(dict.fromkeys(text for text in texts if text))


def _effort_faults(efforts: tuple[str, ...]) -> dict[str, str]:
    unknown = next((one for one in efforts if one not in EFFORTS), None)
    if unknown is None:
        return {}
    return {"efforts": f"“{unknown[:40]}” is not one of {', '.join(EFFORTS)}."}


def _runs_faults(times: str) -> dict[str, str]:
    fault = times and _number_fault(times, 1, MOST_RUNS, is_whole=True, range_words="")
    return {"runs": fault} if fault else {}


def program_fault(models: tuple[str, ...]) -> str:
    """Return the fault of models that are programs, which a server does not start."""
    programs = [model for model in models if model.startswith(_NAMES_OF_PROGRAMS)]
    return f"{programs[0]} starts a program. Run it from the command line." if programs else ""


def _model_faults(name: str, models: tuple[str, ...]) -> dict[str, str]:
    if fault := program_fault(models):
        return {name: fault}
    if len(models) > _MOST_MODELS:
        return {name: f"{len(models)} models are too many; the maximum is {_MOST_MODELS}."}
    return {}


def requested_models(suite: Suite, setup: Setup) -> tuple[ModelSpec, ...]:
    """Return the models of the form, else those of the suite; labels stand for their models.

    Raises:
        SpecError: a model of the suite is a program, which a server does not start.
    """
    models = models_named(suite, setup.models)
    if faults := _model_faults("models", tuple(one.model for one in models)):
        raise SpecError(faults["models"], where="body.models")
    return models


_BOUNDS: Mapping[str, tuple[float, float, bool]] = {
    "temperature": (0, 2, False),
    "frequency_penalty": (-2, 2, False),
    "presence_penalty": (-2, 2, False),
    "top_p": (1e-9, 1, False),
    "max_tokens": (1, 10_000_000, True),
}
_RANGES = {"top_p": "above 0 and up to 1"}


def _number_faults(sampling: Mapping[str, str]) -> dict[str, str]:
    return {
        name: fault for name, text in sampling.items() if text and (fault := _fault(name, text))
    }


def _fault(name: str, text: str) -> str:
    low, high, is_whole = _BOUNDS[name]
    if text == NONE:
        return ""
    return _number_fault(text, low, high, is_whole=is_whole, range_words=_RANGES.get(name, ""))


def _option_faults(chosen: Mapping[str, str]) -> dict[str, str]:
    """Return faults by field name of the form."""
    return {
        FIELDS[name].form_name: fault
        for name, text in chosen.items()
        if text and (fault := _option_fault(FIELDS[name], text))
    }


def _option_fault(declared: Option, text: str) -> str:
    if declared.kind is OptionKind.CHOICE:
        known = ", ".join(declared.choices)
        return "" if text in declared.choices else f"“{text[:40]}” is not one of {known}."
    if declared.kind not in _NUMBERS:
        words = f"The text is too long; the maximum is {declared.longest:,} characters."
        return words if len(text) > declared.longest else ""
    low, high = declared.online or (declared.least or 0, _MOST)
    words = "in dollars, 0 or more" if declared.metavar == "USD" else ""
    is_whole = declared.kind is OptionKind.WHOLE
    return _number_fault(text, low, high, is_whole=is_whole, range_words=words)


def _number_fault(text: str, low: float, high: float, *, is_whole: bool, range_words: str) -> str:
    kind = "a whole number" if is_whole else "a number"
    wrong = f"“{text[:40]}” is not {kind} {range_words or f'from {low:,g} to {high:,.0f}'}."
    try:
        number = _number(text)
    except ValueError:
        return wrong
    is_fine = low <= number <= high and (not is_whole or number == int(number))
    return "" if is_fine else wrong


def _option_value(declared: Option, text: str) -> Any:  # noqa: ANN401  of the option's kind
    match declared.kind:
        case OptionKind.WHOLE:
            return int(_number(text))
        case OptionKind.NUMBER:
            return float(text)
        case OptionKind.SWITCH:
            return not declared.default
        case OptionKind.WORDS:
            return tuple(part for word in text.split(",") if (part := word.strip()))
        case _:
            return text


def _number(text: str) -> float:
    """The number that was typed; a whole one exactly, however large."""
    try:
        return int(text)
    except ValueError:
        return float(text)
