"""Specifications of accelerators, as their sources state them: one parser a source, one reader for all tables."""
