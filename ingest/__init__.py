"""Fetch, land and parse public sources. Pure Python: knows neither Dagster nor DuckDB nor dbt."""
