"""Dagster assets, jobs and the command line: the one way things run."""

import gc

# Dagster and dbt are a million objects that live as long as their process. At Python's thresholds the collector walks
# through them all while they are imported, and again all through a build: a sixth of the time of loading.
gc.set_threshold(200_000, 50, 100)
