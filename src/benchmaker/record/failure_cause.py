"""The most frequent reason for the failed or unscored trials of a model."""

import msgspec

from benchmaker.record.failure import failure_words


class FailureCause(msgspec.Struct, frozen=True, kw_only=True):
    """A reason, and the number of a model's trials with it.

    ``trials`` of the model's ``of`` trials that ended the same way have this reason; ``message`` is
    that of the first. ``is_example`` is true if the messages differ, for instance by their case.
    ``error_type`` is empty for the note of a missing score.
    """

    model: str
    error_type: str
    message: str
    trials: int
    of: int
    is_example: bool = False

    @property
    def words(self) -> str:
        """The message; an exception that is not ours keeps its name before it."""
        return failure_words(self.error_type, self.message)
