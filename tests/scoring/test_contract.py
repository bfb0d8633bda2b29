"""Every scorer of ours keeps the contract that those of others must keep, in both families."""

from functools import partial
from importlib import import_module
from importlib.util import find_spec

import pytest

from benchmaker.plugins import list_plugins, load
from benchmaker.record import Artifact, ArtifactKind, ProbeOutcome, ProbeReport
from benchmaker.record.prepared_answer import PreparedAnswer, Rendering
from benchmaker.spec import Family, Juror
from benchmaker.testing import Example, ScorerContract
from benchmaker.testing.judges import ScriptedAsk

OURS = {
    plugin.id: plugin.target
    for plugin in list_plugins("scorer")
    if plugin.distribution == "benchmaker"
}

EXAMPLES = {
    "exact": (
        Example("42", expected="42", score=1.0),
        Example(" 42\n", expected="42", score=1.0),
        Example("entirely wrong", expected="42", score=0.0),
    ),
    "regex": (
        Example("It is 42.", expected="/[0-9]+/", score=1.0),
        Example("It is nothing.", expected="/[0-9]+/g", score=0.0),
        Example("caf\u00e9", expected="\u00e9$", score=1.0),
    ),
    "numeric": (
        Example("The answer is 42", expected="42", score=1.0),
        Example("#### 1,042.50", expected="1042.5", score=1.0),
        Example("The answer is 100", expected="42", score=0.0),
        Example("No number at all.", expected="42", score=0.0),
    ),
    "choice": (
        Example("The answer is (B).", expected="B", score=1.0),
        Example("Option A", expected="B", score=0.0),
        Example("No letter.", expected="B", score=0.0),
    ),
    "llm_judge": (
        Example("It is 42.", expected="42", score=0.9),
        Example("No idea.", expected="42", score=0.1),
    ),
    "code_judge": (
        # (40 × 50 + 30 × 50 by the judge + 20 × 100 + 10 × 100 by the probe) / 100
        Example("<p>42</p>", score=0.65),
        Example("No page.", score=0.0),
    ),
}


def judged(_, shown):
    return {"score": 9 if "42" in shown["answer"] else 1, "rationale": "by a rule"}


def judged_page(_, _shown):
    marks = [{"id": name, "evidence": "", "level": 50} for name in ("visual", "code")]
    return {"criteria": marks, "rationale": "so", "confidence": 1, "cannot_judge": False}


class Ready(ScriptedAsk):
    """Whatever holds a tag is a page without faults."""

    async def prepared_answer(self, _case, trial):
        if "<" not in trial.text:
            return PreparedAnswer(artifact=Artifact(kind=ArtifactKind.NONE, reason="no tag"))
        report = ProbeReport(
            sha="a",
            outcome=ProbeOutcome.RENDERED,
            lang="en",
            title="t",
            broken_images=0,
            viewport_meta=True,
        )
        rendering = Rendering(key="k", content="c", place="p", artifact_sha="a", report=report)
        return PreparedAnswer(artifact=Artifact(kind=ArtifactKind.HTML), rendering=rendering)


ASKING = {"llm_judge": ScriptedAsk(judged), "code_judge": Ready(judged_page)}


def scorer_of(name, family):
    cls = load("scorer", name)
    if name in ASKING:
        return partial(cls, models=(Juror("judge"),))
    return partial(cls, family=family) if family else cls


def families_of(name):
    """Those that a scorer tells apart; none for one that scores the same in each."""
    return Family if "family" in load("scorer", name).__dataclass_fields__ else (None,)


def contracts_in_its_own_test(target):
    """The classes of the contract in the test module beside a scorer's, without leading rooms."""
    *rooms, module = target.partition(":")[0].split(".")[1:]
    name = ".".join(("tests", *rooms, f"test_{module}"))
    found = vars(import_module(name)).values() if find_spec(name) else ()
    return [
        one
        for one in found
        if isinstance(one, type) and issubclass(one, ScorerContract) and one is not ScorerContract
    ]


@pytest.mark.parametrize("name", OURS)
def test_every_scorer_has_examples_here_or_in_its_own_test(name):
    assert EXAMPLES.get(name) or any(one.examples for one in contracts_in_its_own_test(OURS[name]))


for _name, _family in ((name, family) for name in EXAMPLES for family in families_of(name)):
    _title = f"Test{_name.title()}In{_family.title()}" if _family else f"Test{_name.title()}"
    _body = {
        "scorer": scorer_of(_name, _family),
        "examples": EXAMPLES[_name],
        "ask": ASKING.get(_name),
    }
    _body["limit_s"] = 60.0  # hundredths of a second on a machine that has nothing else to do
    globals()[_title] = type(_title, (ScorerContract,), _body)
