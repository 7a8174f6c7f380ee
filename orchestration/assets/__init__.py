"""Assets, by layer: landing, raw, dbt models, published."""
