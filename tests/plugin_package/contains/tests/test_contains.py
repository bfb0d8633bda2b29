"""What the author of a plug-in writes: the contracts, with examples."""

from benchmaker_contains import Contains, Parrot

from benchmaker.testing import Example, ProviderContract, ScorerContract, a_request


class TestContains(ScorerContract):
    scorer = Contains
    examples = (
        Example("It is 42.", expected="42", score=1.0),
        Example("I don't know.", expected="42", score=0.0),
    )


class TestParrot(ProviderContract):
    provider = Parrot
    answerable = (a_request(),)
