"""The pages of a rater, over HTTP."""

from tests.kit.rater_pages import app, statements, study, visitor

__all__ = ["app", "statements", "study", "visitor"]
