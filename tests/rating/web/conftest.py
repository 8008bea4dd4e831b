"""The pages of a rater, over HTTP."""

from tests.kit.rater_pages import app, statements, study, visitor
from tests.kit.web_app import data_folder, reports_of_all_workers, visit

__all__ = ["app", "data_folder", "reports_of_all_workers", "statements", "study", "visit", "visitor"]
