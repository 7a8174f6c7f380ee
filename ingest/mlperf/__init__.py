"""MLPerf releases: from published bytes to typed rows."""
