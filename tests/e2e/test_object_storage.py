"""Payloads in an object store: builds read them there."""

import pytest


@pytest.mark.xdist_group("landed")
def test_a_second_build_from_the_store_builds_nothing(landed):
    assert "Published generation" in landed.page[1] and "Nothing new" in landed.again
