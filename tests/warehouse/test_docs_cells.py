"""Words of upstream in the tables of generated pages: text, never markup, a cell or a line of their own."""

import pytest

from warehouse.docs import _cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("&lt;img src=x onerror=alert(1)>", "&amp;lt;img src=x onerror=alert(1)>"),
        ("a | b", "a \\| b"),
        ("one\n\n# a heading", "one # a heading"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("https://a.example/b", "<https://a.example/b>"),
    ],
)
def test_words_of_upstream_are_text(text, cell):
    assert _cell(text) == cell
