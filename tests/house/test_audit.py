"""The audit of packages: what it says about the output of pip-audit."""

import json

from tests.kit.audit import verdict


def of(*packages: object) -> str:
    return json.dumps({"dependencies": packages})


def test_audit_without_vulnerability_data_is_skipped_with_message() -> None:
    assert verdict("") == verdict(of({"name": "a", "skip_reason": "not found"}))
    assert verdict("")[0] == 0


def test_a_vulnerable_package_fails_the_audit() -> None:
    bad = {"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2", "3"]}]}
    assert verdict(of(bad)) == (1, "a 1: CVE-1, fixed in 2 or 3")


def test_packages_without_vulnerabilities_pass() -> None:
    assert verdict(of({"name": "a", "version": "1", "vulns": []})) == (0, "1 packages, no known vulnerability.")
