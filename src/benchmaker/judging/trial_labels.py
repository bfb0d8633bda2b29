"""Labels of single answers whose author and score the person has seen."""

from benchmaker.errors import SpecError
from benchmaker.judging.labelling import raw_score, scale_of
from benchmaker.record import Trial
from benchmaker.record.label import Label, blind_id
from benchmaker.scoring.judge import Scale
from benchmaker.store import Store


def trial_scale(store: Store, trial: Trial) -> Scale:
    """The scale of labels of a trial, which is that of its run's judge; SpecError for pairs."""
    run = store.run(trial.run_id)
    return scale_of(store.suite(run.suite_hash), run)


def trial_labels(store: Store, trial: Trial) -> tuple[Label, ...]:
    """Return the labels of the answer of a trial, the oldest first."""
    name = _blind_id(trial)
    return tuple(one for one in store.labels([trial.run_id]) if one.blind_id == name)


def label_trial(store: Store, trial: Trial, entered: str, *, by: str, note: str = "") -> Label:
    """Store a person's label of a trial; it replaces an earlier one.

    Its source is ``targeted``: the answer was chosen, not drawn. A label that was drawn for the
    person stays ``random``.

    Raises:
        SpecError: the trial has no score, or the text is no score on the scale.
    """
    if trial.score is None or trial.score.score is None:
        raise SpecError("the answer has no score.", hint="Score it before labelling it.")
    scale = trial_scale(store, trial)
    raw = raw_score(entered, scale)
    own = [one for one in trial_labels(store, trial) if one.actor == by]
    label = Label(
        run_id=trial.run_id,
        case_id=trial.case_id,
        blind_id=_blind_id(trial),
        source=own[0].source if own else "targeted",
        score=scale.to_unit(raw),
        model=trial.model,
        raw_score=raw,
        scale=(scale.minimum, scale.maximum),
        actor=by,
        note=note,
    )
    kept = store.add_labels([label])
    return kept[0] if kept else label


def _blind_id(trial: Trial) -> str:
    return blind_id(trial.run_id, trial.model, trial.case_id, trial.text)
