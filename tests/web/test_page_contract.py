"""The contract of pages holds for ours; one page of each kind is enough: all are drawn alike."""

from benchmaker.testing import PageContract
from benchmaker.web.pages.results.run_list import RunListPage
from benchmaker.web.pages.settings.prices import PricesPage


class TestPrices(PageContract):
    page = PricesPage


class TestRunList(PageContract):
    page = RunListPage
