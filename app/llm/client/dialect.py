"""What a server was found not to take: each request is sent without it, instead of failing."""

from dataclasses import dataclass, field, replace

from app.llm.client.answers import thinks_untagged
from app.llm.client.endpoint import AnswerFormat, Parameters, Reply

# The alternatives to each token that are asked for. Most servers allow twenty, some five, some no log-probabilities.
N_ALTERNATIVES = (20, 5, 0)
_FORMATS: tuple[AnswerFormat, ...] = ("schema", "json", "words")
# How servers name the format of the answer when they refuse it.
_OF_FORMAT = ("response_format", "json_schema", "json_object", "schema", "json mode", "grammar", "structured output")
_ONLY_STREAMS = ("only supports stream", "only stream", "stream must be", "stream=true", "requires stream")


@dataclass(slots=True)
class Dialect:
    """How one server wants its requests, learned from what it refused.

    `alternatives`: the numbers of alternatives that may still be asked for. `formats`: the formats that may be. A log-
    probability may have to be asked for by a number, and the limit of an answer by another name. `thinks_untagged`:
    whether thoughts begin without a tag, so that only their end tells them from the answer; None before the first one.
    """

    alternatives: list[int] = field(default_factory=lambda: [*N_ALTERNATIVES])
    formats: list[AnswerFormat] = field(default_factory=lambda: [*_FORMATS])
    has_temperature: bool = True
    has_seed: bool = True
    has_other_limit: bool = False
    has_integer_logprobs: bool = False
    only_streams: bool = False
    has_streams: bool = True
    has_stream_usage: bool = True
    thinks_untagged: bool | None = None

    def adapted(self, asked: Parameters) -> Parameters:
        """The parameters as this server takes them."""
        wanted = asked.answer_format
        return replace(
            asked,
            n_alternatives=min(asked.n_alternatives, self.alternatives[0]),
            answer_format=wanted if wanted in self.formats else self.formats[0],
            temperature=asked.temperature if self.has_temperature else None,
            seed=asked.seed if self.has_seed else None,
            has_other_limit=asked.has_other_limit or self.has_other_limit,
            has_integer_logprobs=self.has_integer_logprobs,
            is_stream=self.only_streams or (asked.is_stream and self.has_streams),
            has_stream_usage=self.has_stream_usage,
        )

    def read(self, reply: Reply) -> Reply:
        """A reply as this model writes them; whether its thoughts have no opening tag is learned from complete ones."""
        if not reply.is_cut_off:
            if reply.raw:
                self.thinks_untagged = self.thinks_untagged or thinks_untagged(reply.raw)
        elif self.thinks_untagged and not reply.thoughts:
            return replace(reply, text="", thoughts=reply.raw)
        return reply

    def learn(self, refusal: str, sent: Parameters) -> bool:
        """Whether a refusal, in the server's words, names something that can be left out or sent in another way."""
        words = refusal.lower()
        if "logprob" in words and sent.n_alternatives:
            if "integer" in words and not self.has_integer_logprobs:
                self.has_integer_logprobs = True
            elif sent.n_alternatives == self.alternatives[0]:
                del self.alternatives[0]
            return True
        if any(mark in words for mark in _ONLY_STREAMS) and not sent.is_stream:
            self.only_streams = True
            return True
        if "stream" in words and sent.is_stream and not self.only_streams:
            if "stream_options" in words and sent.has_stream_usage:
                self.has_stream_usage = False
            else:
                self.has_streams = False
            return True
        if "max_completion_tokens" in words and not sent.has_other_limit:
            self.has_other_limit = True
            return True
        return self._leaves_out(words, sent)

    def _leaves_out(self, words: str, sent: Parameters) -> bool:
        if "temperature" in words and sent.temperature is not None:
            self.has_temperature = False
            return True
        if "seed" in words and sent.seed is not None:
            self.has_seed = False
            return True
        if any(mark in words for mark in _OF_FORMAT) and sent.schema is not None and sent.answer_format != "words":
            self.formats = [*self.formats[self.formats.index(sent.answer_format) + 1 :]]
            return True
        return False
