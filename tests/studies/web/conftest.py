"""The pages of a lead, over HTTP."""

from tests.kit.lead_pages import client, lead, password_hash, sign_in
from tests.kit.web_app import app, data_folder, reports_of_all_workers, visit, visitor

__all__ = [
    "app",
    "client",
    "data_folder",
    "lead",
    "password_hash",
    "reports_of_all_workers",
    "sign_in",
    "visit",
    "visitor",
]
