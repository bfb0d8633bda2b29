"""What a model of OpenHands' SDK said and thought, as the events of its answers have it."""

import msgspec

from benchmaker.arenas.agentic.options import Options
from benchmaker.arenas.agentic.tooltext import result_text


class Thinking(msgspec.Struct):
    """A block of thinking; one that is encrypted has no text."""

    thinking: str | None = None


class Reasoned(msgspec.Struct):
    """An item of reasoning of OpenAI's responses."""

    summary: list[str] | None = None
    content: list[str] | None = None


class Answer(msgspec.Struct):
    """The fields that messages and actions share."""

    reasoning_content: str | None = None
    thinking_blocks: list[Thinking] | None = None
    responses_reasoning_item: Reasoned | None = None

    def reasoning(self, options: Options) -> str | None:
        """What was thought; the same stands in several fields, by provider."""
        item = self.responses_reasoning_item or Reasoned()
        blocks = [it.thinking for it in self.thinking_blocks or () if it.thinking]
        parts = blocks or [*(item.summary or ()), *(item.content or ())]
        return options.text(self.reasoning_content or "\n\n".join(parts) or None)


class Message(Answer):
    """A message as it was sent to the model, or came from it."""

    role: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"")


class Action(msgspec.Struct):
    """What is said by the tools that only say something."""

    message: str | None = None
    thought: str | None = None


def words(thought: msgspec.Raw, action: Action, options: Options) -> str | None:
    """What was said before an action, and by it."""
    said = (result_text(thought, options), options.text(action.message))
    return "\n\n".join(filter(None, said)) or None
