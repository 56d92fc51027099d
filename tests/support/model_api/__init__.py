"""A server that speaks the protocols of models over real HTTP and behaves as a test says.

It stands in for what a household's owner has: OpenAI's chat completions (and whatever is compatible) and responses, and
Anthropic's messages. Its shapes are those of the providers' reference pages, checked in tests/contract/providers.
"""

from tests.support.model_api.behaviour import BEHAVIOURS, Answer, Asked, Behaviour, Call
from tests.support.model_api.server import ModelServer

__all__ = ["BEHAVIOURS", "Answer", "Asked", "Behaviour", "Call", "ModelServer"]
