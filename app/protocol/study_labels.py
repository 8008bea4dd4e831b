"""The labels of a whole study."""

from __future__ import annotations

from app.base.words import readable
from app.protocol.labels import Labels, unique
from app.protocol.study_parts import ProtocolParts


def labels_of(protocol: ProtocolParts) -> Labels:
    """Every label of a study: as declared, otherwise made from the key."""
    composites = protocol.analysis.composites
    questions = {question.key: question.label for question in protocol.questions}
    return Labels(
        sources=unique({key: source.label for key, source in protocol.sources.items()}),
        questions=unique({**questions, **{key: one.label for key, one in composites.items()}}),
        codes={
            question.key: {code: words or readable(code) for code, words in question.code_words().items()}
            for question in protocol.questions
            if question.code_words()
        },
        factors=unique({name: factor.label for name, factor in protocol.conditions.items()}),
        levels={name: _levels(protocol, name) for name in protocol.conditions},
        pools=unique({name: pool.label for name, pool in protocol.design.pools.items()}),
        attributes={name: attribute.label for name, attribute in protocol.attributes.items() if attribute.label},
    )


def _levels(protocol: ProtocolParts, name: str) -> dict[str, str]:
    factor = protocol.conditions[name]
    if factor.kind != "source":
        return dict(factor.level_labels)
    sources = unique({key: source.label for key, source in protocol.sources.items()})
    return {level: factor.level_labels.get(level) or sources[level] for level in factor.levels if level in sources}
