"""The warehouse: dbt models, publication, rebuilds, alerts, and runs whose process is gone."""
