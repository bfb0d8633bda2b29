"""Test support: builders, the scripted provider and contracts for plug-ins.

The contracts are plain classes that pytest collects if a test module inherits from them; pytest
itself is not required here.
"""

from benchmaker.providers.scripted import Scripted
from benchmaker.testing.adapter_contract import AdapterContract
from benchmaker.testing.builders import (
    a_case,
    a_completion,
    a_request,
    a_run,
    a_score,
    a_suite,
    a_transcript,
    a_trial,
)
from benchmaker.testing.importer_contract import ImporterContract
from benchmaker.testing.page_contract import PageContract
from benchmaker.testing.provider_contract import ProviderContract
from benchmaker.testing.report_format_contract import ReportFormatContract
from benchmaker.testing.scorer_contract import Example, ScorerContract

__all__ = [
    "AdapterContract",
    "Example",
    "ImporterContract",
    "PageContract",
    "ProviderContract",
    "ReportFormatContract",
    "ScorerContract",
    "Scripted",
    "a_case",
    "a_completion",
    "a_request",
    "a_run",
    "a_score",
    "a_suite",
    "a_transcript",
    "a_trial",
]
