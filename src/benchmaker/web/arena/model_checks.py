"""The check of a model from the page: one small question."""

import asyncio
from dataclasses import replace

from benchmaker.arenas.standard.live import LiveOptions
from benchmaker.arenas.standard.model_check import ModelCheck, check_model
from benchmaker.engine.runs.setups import models_named
from benchmaker.spec import Suite
from benchmaker.web.arena.setup import program_fault
from benchmaker.web.fault_words import advice_of
from benchmaker.web.workbench import Workbench

_PATIENCE_S = 60.0


def check_named_model(bench: Workbench, suite: Suite | None, name: str) -> ModelCheck:
    """Ask a model, by its name or by its label in the suite; messages are without keys."""
    if not name:
        return ModelCheck(model="", error="No model chosen. Enter its name and press Test.")
    model = models_named(suite, (name,))[0].model if suite else name
    if fault := program_fault((model,)):
        return ModelCheck(model=name, error=fault)
    options = LiveOptions(
        environ=bench.settings.environ,
        dotenv=bench.settings.dotenv,
        home=bench.home,
        timeouts=_PATIENCE_S,
    )
    made = asyncio.run(check_model(model, options))
    hide = bench.redactor.text
    error = hide(made.error)
    return replace(made, model=name, text=hide(made.text), error=advice_of(error) or error)
