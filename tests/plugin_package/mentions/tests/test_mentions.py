"""What the author of a plug-in writes: the contracts, with examples."""

from benchmaker_mentions import Mentions, Outcomes, Parrot, says_please
from benchmaker_mentions.run_count import RunCount

from benchmaker.testing import (
    Example,
    PageContract,
    ProviderContract,
    ReportFormatContract,
    ScorerContract,
    a_request,
)


class TestContains(ScorerContract):
    scorer = Mentions
    examples = (
        Example("It is 42.", expected="42", score=1.0),
        Example("I don't know.", expected="42", score=0.0),
    )


class TestPolite(ScorerContract):
    scorer = says_please
    examples = (Example("Please wait.", score=1.0), Example("Wait.", score=0.0))


class TestParrot(ProviderContract):
    provider = Parrot
    answerable = (a_request(),)


class TestOutcomes(ReportFormatContract):
    report_format = Outcomes


class TestRunCount(PageContract):
    page = RunCount
