"""How the values of a Parquet column are decoded, and how each is written as text.

Dates, times and decimals are converted here: the conversions of fastparquet silently overflow or round.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from fastparquet.parquet_thrift import ConvertedType, Type

from app.design.numbers import number_text

if TYPE_CHECKING:
    from collections.abc import Callable

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PER_SECOND = {"MILLIS": 10**3, "MICROS": 10**6, "NANOS": 10**9}
# Decimals wider than 64 bits are read as floating-point numbers, which are exact up to here.
_MAX_EXACT = 2**53
_STAMPS = {ConvertedType.TIMESTAMP_MILLIS: 10**3, ConvertedType.TIMESTAMP_MICROS: 10**6}
_CLOCKS = {ConvertedType.TIME_MILLIS: 10**3, ConvertedType.TIME_MICROS: 10**6}
_TEXTS = frozenset({ConvertedType.UTF8, ConvertedType.ENUM, ConvertedType.JSON})
_UNSIGNED = {ConvertedType.UINT_32: 2**32, ConvertedType.UINT_64: 2**64}
BINARY = "binary values"


@dataclass(frozen=True, slots=True)
class ValueKind:
    """How the values of a column are decoded, and how each is written as text.

    `text` raises ValueError or OverflowError for a value that cannot be written.
    """

    dtype: str
    text: Callable[[Any], str]
    decoded_as: int | None = None


def kind_of(element: Any) -> ValueKind | str:  # noqa: ANN401 - fastparquet has no types
    """Return how to read a column, or what it holds that cannot be read."""
    match element.type:
        case Type.BOOLEAN:
            return ValueKind("boolean", lambda value: "true" if value else "false")
        case Type.FLOAT:
            # As many digits as tell the single-precision number from its neighbours: 0.1, not 0.10000000149011612.
            return ValueKind("float32", lambda value: number_text(float(str(np.float32(value)))))
        case Type.DOUBLE:
            return ValueKind("float64", number_text)
        case Type.INT96:
            return ValueKind("datetime64[ns]", lambda value: _moment_text(value.to_pydatetime(warn=False)))
        case Type.INT32 | Type.INT64:
            return ValueKind("Int32" if element.type == Type.INT32 else "Int64", _whole_number(element))
        case _:
            return _kind_of_bytes(element)


def _kind_of_bytes(element: Any) -> ValueKind | str:  # noqa: ANN401 - fastparquet has no types
    converted, is_any_length = element.converted_type, element.type == Type.BYTE_ARRAY
    if converted == ConvertedType.DECIMAL:
        return ValueKind("float64", _wide_decimal(element.scale or 0), ConvertedType.DECIMAL)
    if is_any_length and (converted in _TEXTS or _logical(element, "STRING", "ENUM", "JSON") is not None):
        return ValueKind("object", str, ConvertedType.UTF8)
    if is_any_length and converted is None:
        # Some programs do not say that their text is text.
        return ValueKind("object", lambda value: str(value.decode()))
    return BINARY


def _logical(element: Any, *names: str) -> Any:  # noqa: ANN401 - fastparquet has no types
    logical = element.logicalType
    found = (getattr(logical, name) for name in names) if logical is not None else ()
    return next((one for one in found if one is not None), None)


def _whole_number(element: Any) -> Callable[[Any], str]:  # noqa: ANN401 - fastparquet has no types
    """Return how a whole number is written, which may stand for a date, a time or a decimal number."""
    converted, scale = element.converted_type, element.scale or 0
    if converted == ConvertedType.DECIMAL:
        return lambda value: _decimal_text(Decimal(int(value)).scaleb(-scale))
    if converted == ConvertedType.DATE or _logical(element, "DATE") is not None:
        return lambda value: (_EPOCH + timedelta(days=int(value))).date().isoformat()
    stamp, clock = _logical(element, "TIMESTAMP"), _logical(element, "TIME")
    if stamp is not None or converted in _STAMPS:
        per_second = _per_second(stamp) if stamp is not None else _STAMPS[converted]
        is_utc = stamp is not None and bool(stamp.isAdjustedToUTC)
        return lambda value: _moment_text(_moment(value, per_second), is_utc=is_utc)
    if clock is not None or converted in _CLOCKS:
        per_second = _per_second(clock) if clock is not None else _CLOCKS[converted]
        return lambda value: _moment(value, per_second).time().isoformat()
    wrap = _UNSIGNED.get(converted)
    return (lambda value: str(int(value) % wrap)) if wrap else (lambda value: str(int(value)))


def _per_second(logical: Any) -> int:  # noqa: ANN401 - fastparquet has no types
    return next(n for unit, n in _PER_SECOND.items() if getattr(logical.unit, unit) is not None)


def _moment(value: int, per_second: int) -> datetime:
    """Return a time to the microsecond."""
    return _EPOCH + timedelta(microseconds=int(value) * 10**6 // per_second)


def _moment_text(moment: datetime, *, is_utc: bool = False) -> str:
    """Return a time as in an Excel file, where midnight is a date; with its zone if it has one."""
    if is_utc:
        return str(moment)
    return moment.date().isoformat() if moment.time() == time() else str(moment.replace(tzinfo=None))


def _decimal_text(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _wide_decimal(scale: int) -> Callable[[float], str]:
    def text(value: float) -> str:
        if abs(value) * 10**scale >= _MAX_EXACT:
            message = "more than 15 digits"
            raise ValueError(message)
        return number_text(round(float(value), scale))

    return text
