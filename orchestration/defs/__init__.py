"""Dagster definitions by domain: the assets, checks, schedules and sensors of a domain stand side by side."""
