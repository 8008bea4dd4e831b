"""The points of a question's scale, and the width of that of a question or composite: what the axes of charts span."""

from app.protocol.study import Protocol


def scale_points(key: str, protocol: Protocol) -> tuple[float, ...]:
    """Return the points of a question's scale from low to high; empty for a question without a scale."""
    return tuple(getattr(protocol.question(key), "values", ()))


def scale_width(key: str, protocol: Protocol) -> float:
    """Return the last point minus the first of a question or composite; 1 for a score without a scale."""
    composite = protocol.analysis.composites.get(key)
    parts = composite.questions if composite else (key,)
    scales = [scale_points(part, protocol) for part in parts]
    spans = [values[-1] - values[0] for values in scales if values]
    is_sum = composite is not None and composite.score == "sum"
    return (sum(spans) / (1 if is_sum else len(spans))) if spans else 1.0
