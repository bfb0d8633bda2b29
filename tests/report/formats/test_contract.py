"""Every report format of ours keeps the contract that those of others must keep."""

import pytest

from benchmaker.plugins import list_plugins, load
from benchmaker.testing import ReportFormatContract

BINARY = {"inspect", "lm-eval", "parquet"}
OURS = [
    plugin.id
    for plugin in list_plugins("format")
    if plugin.distribution == "benchmaker" and plugin.id not in BINARY
]


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("check", [it for it in dir(ReportFormatContract) if it[:5] == "test_"])
def test_each_of_our_formats_keeps_the_contract(name, check):
    made = type("Contract", (ReportFormatContract,), {"report_format": load("format", name)})()
    getattr(made, check)()
