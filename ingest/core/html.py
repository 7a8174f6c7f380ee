"""Text of HTML elements as a person reads it, and attributes as strings."""

from __future__ import annotations

from bs4 import Tag
from bs4.element import NavigableString

_BLOCKS = {
    *("p", "div", "section", "header", "ul", "ol", "li", "table", "tr", "td", "th", "dl", "dt", "dd"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
}


def clean(text: str) -> str:
    """The text with all white space, no-break spaces too, as single spaces."""
    return " ".join(text.split())


def text_of(element: Tag | None) -> str:
    """What a person reads there: a space between blocks and none between inline parts.

    Scripts, styles and comments are not read, nor superscripts: on price pages these are footnote marks, and a
    count of 8 with footnote 1 must not become 81.
    """
    parts: list[str] = []
    last: Tag | None = None
    for node in element.descendants if element is not None else ():
        if isinstance(node, Tag):
            if node.name == "br":
                parts.append(" ")
        elif type(node) is NavigableString:  # its subclasses are comments, scripts, styles
            block, is_mark = node.parent, False
            while block is not None and block is not element and block.name not in _BLOCKS:
                is_mark = is_mark or block.name == "sup"
                block = block.parent
            if not is_mark:
                parts += [str(node)] if block is last else [" ", str(node)]
                last = block
    return clean("".join(parts))


def attribute(tag: Tag | None, name: str) -> str:
    """The attribute's text; "" without tag or attribute."""
    value = tag.get(name) if tag is not None else None
    return "" if value is None else value if isinstance(value, str) else " ".join(value)
