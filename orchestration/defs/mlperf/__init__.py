"""MLPerf rounds: discovery, landing and parsing."""
