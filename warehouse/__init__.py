"""Raw tables, the build of the DuckDB file, its publication, and the snapshot shipped with the code."""
