"""Reliability uses the same reference results and random ratings as agreement."""

from tests.stats.agreement.conftest import oracle

__all__ = ["oracle"]
