"""Sources of measured energy, and of the carbon intensity of electricity grids: one module each."""
