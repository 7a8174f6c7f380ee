"""Measured serving outside of MLPerf: landing and parsing, and its schedule."""
