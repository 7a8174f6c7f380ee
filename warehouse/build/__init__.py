"""A build: its driver, its folder, dbt as a child process, and what it publishes."""
