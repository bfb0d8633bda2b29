"""Judges answered only by stored replies: nothing is sent."""

from collections.abc import Callable

from benchmaker.engine.judges.replies import JudgmentContext, reply_of
from benchmaker.engine.judges.reply_keys import find_reply
from benchmaker.engine.judges.vectors import unpack, vector_key
from benchmaker.errors import StoreError
from benchmaker.record import Judgment, Run, Trial
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.scoring.base import AskingHalted, EmbeddingQuery, Question, Reply, Vector
from benchmaker.spec import Case
from benchmaker.store import Store


class StoredReplies:
    """An :class:`~benchmaker.scoring.base.Ask` limited to stored replies of a run and embeddings.

    ``is_missing`` is true if a question has no stored reply; then the result is inconclusive.
    ``on_found`` is called with each judgment used.
    """

    repeats_unreadable = True

    def __init__(
        self,
        store: Store,
        run: Run,
        model: str,
        *,
        on_found: Callable[[Judgment, Question], object] | None = None,
    ) -> None:
        self._on_found = on_found
        self._store = store
        self._run = run
        self._about = JudgmentContext(run.id, model)
        self.is_missing = False

    async def ask(self, question: Question) -> Reply:
        """Return the stored reply; AskingHalted if there is none."""
        description = self._run.judge.get("provider", {})
        known = find_reply(self._store, question, description, self._about)
        if known is not None:
            if self._on_found is not None:
                self._on_found(known, question)
            return reply_of(known, was_there=True)
        self.is_missing = True
        raise AskingHalted("no stored request")

    async def embed(self, query: EmbeddingQuery) -> tuple[Vector, ...]:
        """Return the stored embeddings; AskingHalted if one is missing."""
        description = self._run.judge.get("embeddings", {}).get("provider", {})
        keys = [vector_key(text, query, description) for text in query.texts]
        found = self._store.find_embeddings(keys)
        if any(key not in found for key in keys):
            self.is_missing = True
            raise AskingHalted("no stored embedding")
        return tuple(unpack(found[key]) for key in keys)

    async def prepared_answer(self, case: Case, trial: Trial) -> PreparedAnswer:  # noqa: ARG002  as in a run
        """Return the stored preparation of the answer; AskingHalted if there is none."""
        known = self._store.renders.find_prepared(trial.key)
        if known is None:
            self.is_missing = True
            raise AskingHalted("no stored preparation")
        return known

    async def answer_of(self, model: str, case_id: str) -> str | None:
        """The stored answer of another model of the run."""
        try:
            trial = self._store.trial(self._run.id, model, case_id)
        except StoreError:
            return None
        return trial.completion.text if trial.completion else None
