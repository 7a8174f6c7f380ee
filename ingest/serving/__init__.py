"""Sources of measured serving outside of MLPerf: one module each."""
