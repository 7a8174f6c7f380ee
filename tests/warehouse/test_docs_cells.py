"""Words of upstream in the tables of generated pages: text, never markup, a cell or a line of their own."""

from warehouse.outputs.docs import _cell


def test_words_of_upstream_are_text():
    for text, cell in (
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("a | b", "a \\| b"),
        ("one\n\n# a heading", "one # a heading"),
        ("https://a.example/b", "<https://a.example/b>"),
    ):
        assert _cell(text) == cell
