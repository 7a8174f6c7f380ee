"""The warehouse: dbt models, publication, rebuilds, and runs whose process is gone."""
