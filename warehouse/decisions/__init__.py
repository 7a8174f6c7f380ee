"""The operator's and the user's decisions: rows of CSV in `overrides/`."""
