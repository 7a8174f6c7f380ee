"""What is shown of an address: no credential, and of a local one only the name."""

import pytest

from accelmart.urls import public_url, published_origin

# the example of RFC 7519
TOKEN = (
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODB9."
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://tok@h.org/a?b=1", "https://h.org/a?b=1"),
        ("https://u:p@ss@h.org/", "https://h.org/"),
        ("https://h.org/a?api_key=x&b=2&sig=z", "https://h.org/a?api_key=***&b=2&sig=***"),
        (
            "https://h.org/?author=me&X-Amz-Signature=t#id_token=u",
            "https://h.org/?author=me&X-Amz-Signature=***#id_token=***",
        ),
        ("ssh://git:pw@h.org/a", "ssh://git@h.org/a"),
        ("git@h.org:a/b.git", "git@h.org:a/b.git"),
        ("cannot reach http://u:p@h.org/?token=t now", "cannot reach http://h.org/?token=*** now"),
        ("https://h.org/?$filter=a eq 'b'", "https://h.org/?$filter=a eq 'b'"),
        (f"refused {TOKEN} now", "refused *** now"),
    ],
)
def test_what_is_shown_of_a_url(text, shown):
    assert public_url(text) == shown


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://github.com/mlcommons/x.git", "https://github.com/mlcommons/x.git"),
        ("git+https://git.example/x", "https://git.example/x"),
        ("git@github.com:mlcommons/x.git", "git@github.com:mlcommons/x.git"),
        ("/home/somebody/summary_results.json", "file:summary_results.json"),
        ("file:///home/somebody/a%20list.csv", "file:a%20list.csv"),
        ("git+/home/somebody/clone", "file:clone"),
        ("/home/somebody/folder/", "file:folder"),
        ("somebody's list.csv", "file:somebody%27s%20list.csv"),
    ],
)
def test_a_remote_address_stays_and_of_a_local_one_only_the_name_does(address, shown):
    assert published_origin(address) == shown
