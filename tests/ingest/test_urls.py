"""What a published row says of where its payload came from."""

import pytest

from ingest.core.urls import published_origin


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (
            "https://github.com/mlcommons/inference_results_v5.1.git",
            "https://github.com/mlcommons/inference_results_v5.1.git",
        ),
        ("git+https://git.example/x", "https://git.example/x"),
        ("ssh://git@git.example/x.git", "ssh://git@git.example/x.git"),
        ("git@github.com:mlcommons/x.git", "git@github.com:mlcommons/x.git"),
        ("/home/somebody/summary_results.json", "file:summary_results.json"),
        ("file:///home/somebody/a%20list.csv", "file:a%20list.csv"),
        ("file:///home/somebody/clone.git", "file:clone.git"),
        ("git+/home/somebody/clone", "file:clone"),
        ("/home/somebody/folder/", "file:folder"),
        ("somebody's list.csv", "file:somebody%27s%20list.csv"),
    ],
)
def test_a_remote_address_stays_and_of_a_local_one_only_the_name_does(address, shown):
    assert published_origin(address) == shown
