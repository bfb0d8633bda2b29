"""The text and the reasoning of a model's answers in the events of OpenHands' SDK."""

import msgspec

from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.tooltext import result_text


class Thinking(msgspec.Struct):
    """A block of thinking; an encrypted one has no text."""

    thinking: str | None = None


class Reasoned(msgspec.Struct):
    """A reasoning item of OpenAI's Responses API."""

    summary: list[str] | None = None
    content: list[str] | None = None


class Answer(msgspec.Struct):
    """The fields that messages and actions share."""

    reasoning_content: str | None = None
    thinking_blocks: list[Thinking] | None = None
    responses_reasoning_item: Reasoned | None = None

    def reasoning(self, options: Options) -> str | None:
        """The reasoning, which is in different fields depending on the provider."""
        item = self.responses_reasoning_item or Reasoned()
        blocks = [it.thinking for it in self.thinking_blocks or () if it.thinking]
        parts = blocks or [*(item.summary or ()), *(item.content or ())]
        return options.text(self.reasoning_content or "\n\n".join(parts) or None)


class Message(Answer):
    """A message to or from the model."""

    role: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"")


class Action(msgspec.Struct):
    """The arguments of the tools ``finish`` and ``think``, which are text alone."""

    message: str | None = None
    thought: str | None = None


def words(thought: msgspec.Raw, action: Action, options: Options) -> str | None:
    """Return the text before an action, and that of the action itself."""
    said = (result_text(thought, options), options.text(action.message))
    return "\n\n".join(filter(None, said)) or None
