"""Dagster assets, jobs and the command line: the one way things run."""
