"""Electricity grids: where their carbon intensity comes from."""
