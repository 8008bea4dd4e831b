"""Every table of the rating path leads its keys with the study, so that the schema can be distributed by study."""

import pytest
from sqlalchemy import Table, UniqueConstraint

from app.schema import metadata

# Tables whose rows belong to no single study, and why.
SHARED = {
    "studies": "the study itself; its slug and its token are unique among all",
    "leads": "an account may belong to several studies",
    "lead_sessions": "of an account",
    "sign_in_links": "of an account",
    "lead_identities": "of an account",
    "study_invitations": "found by a token before the study is known; written by leads only",
    "audit_log": "outlives the study",
    "attempts": "counts attempts of an address, not of a study",
    "secrets": "of the installation",
    "api_tokens": "of an account",
    "snapshots": "found by a random token in a link; written by leads only",
    "api_requests": "of a token of an account",
    "sheet_drafts": "of an account, before there is a study",
}
# Unique constraints that do not begin with the study, and why.
TOKENS = {
    ("assignments", "token"): "a random UUID; the rating page finds its study by it",
    ("assignments", "rating_session_id"): "the rating page reads a rater's list; see `test_hot_plans.py`",
    ("rating_sessions", "token_hash"): "a random token in a cookie",
    ("invites", "token_hash"): "a random token in a link",
    ("session_moves", "token_hash"): "a random token in a cookie",
    ("images", "token"): "a random UUID; the image is found by it",
    ("walk_throughs", "copy_id"): "a study itself; written by leads only",
}
# References to another study, with the name of its key.
OF_OTHER_STUDIES = {"reused_texts": "origin_study_id"}
OF_STUDY = [table for table in metadata.sorted_tables if table.name not in SHARED]


@pytest.mark.parametrize("table", OF_STUDY, ids=lambda table: table.name)
def test_the_primary_key_leads_with_the_study(table: Table) -> None:
    assert next(iter(table.primary_key.columns)).name == "study_id"


@pytest.mark.parametrize("table", OF_STUDY, ids=lambda table: table.name)
def test_uniqueness_is_within_a_study(table: Table) -> None:
    unique = [tuple(c.name for c in one.columns) for one in table.constraints if isinstance(one, UniqueConstraint)]
    unique += [tuple(c.name for c in index.columns) for index in table.indexes if index.unique]
    assert [one for one in unique if one[0] != "study_id" and (table.name, one[0]) not in TOKENS] == []


@pytest.mark.parametrize("table", OF_STUDY, ids=lambda table: table.name)
def test_references_stay_within_a_study(table: Table) -> None:
    allowed = {"studies", "leads"}
    loose = {
        key.referred_table.name
        for key in table.foreign_key_constraints
        if not {"study_id", OF_OTHER_STUDIES.get(table.name)} & set(key.column_keys)
        and key.referred_table.name not in allowed
    }
    assert loose == set()
