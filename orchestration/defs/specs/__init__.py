"""Specifications of accelerators: landing and parsing, and their schedule."""
