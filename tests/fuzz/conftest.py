"""Hostile input: a few cases of each test, always the same, or as many as `--cases` says, from `--hypothesis-seed`."""

import pytest
from hypothesis import HealthCheck, settings


def pytest_addoption(parser):
    parser.addoption("--cases", type=int, help="of each test of hostile input")


def pytest_collection_modifyitems(config, items):
    """The number of cases is that of each test, whatever the profile of the other tests says."""
    cases = config.getoption("--cases", default=None)
    how = settings(
        max_examples=cases or 12, derandomize=cases is None, database=None, suppress_health_check=list(HealthCheck)
    )
    hostile = [item for item in items if "tests/fuzz/" in item.nodeid]
    for test in {item.obj for item in hostile}:
        how(test)
    for item in hostile:
        item.add_marker(pytest.mark.whole)
