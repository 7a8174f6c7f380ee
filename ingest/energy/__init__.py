"""Sources of measured energy: one module each."""
