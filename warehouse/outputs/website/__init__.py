"""The website: the report under addresses that can be shared, three answers, and SQL in the browser."""

from warehouse.outputs.website.pages import DOCS_THEME, has_console, write_website

__all__ = ["DOCS_THEME", "has_console", "write_website"]
