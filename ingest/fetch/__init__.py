"""Fetch what a source plans, and bring it into the landing store: lists and pages by their plan, MLPerf rounds."""
