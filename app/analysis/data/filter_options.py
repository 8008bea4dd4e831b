"""The filters that a study allows, and its protocol when filtered; loads no library."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.analysis.data.report_filters import Filters
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """The available options: values with their labels; attributes by name, with their label and values."""

    sources: Mapping[str, str]
    conditions: Mapping[str, str]
    pools: Mapping[str, str]
    items: Mapping[str, tuple[str, tuple[str, ...]]]
    raters: Mapping[str, tuple[str, tuple[str, ...]]]
    has_times: bool


def filtered_protocol(protocol: Protocol, filters: Filters) -> Protocol:
    """Return the protocol with the sources that are kept; a reference that is not kept is reset to the default.

    A declared primary contrast keeps its test: that of one source alone would be another one.
    """
    if not filters.sources:
        return protocol
    sources = {key: source for key, source in protocol.sources.items() if key in filters.sources}
    analysis = protocol.analysis
    if analysis.primary:
        analysis = analysis.model_copy(update={"primary": primary_contrasts(protocol)})
    if analysis.reference not in sources:
        analysis = analysis.model_copy(update={"reference": None})
    kept = protocol.model_copy(update={"sources": sources, "analysis": analysis})
    # contrasts may name a source that is left out
    kept.__dict__["labels"] = protocol.labels
    return kept
