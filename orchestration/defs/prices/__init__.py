"""Prices: landing and folding of price lists and exchange rates, and their schedules."""
