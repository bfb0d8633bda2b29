"""Cases as they were sent: with the messages of a setup's prompt."""

from benchmaker.record import Run
from benchmaker.spec import Case
from benchmaker.spec.suites.rendering import case_with_prompt
from benchmaker.store import Store


def case_of_setup(store: Store, run: Run, setup: str, case: Case) -> Case:
    """Return a case of a run with the messages that were sent with the setup of that name."""
    prompt_id = run.setup(setup).prompt_id
    if prompt_id is None:
        return case
    return case_with_prompt(store.suite(run.suite_hash), case, prompt_id)
