"""The application over HTTP."""

from tests.kit.web_app import app, data_folder, reports_of_all_workers, visit, visitor

__all__ = ["app", "data_folder", "reports_of_all_workers", "visit", "visitor"]
