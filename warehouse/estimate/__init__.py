"""What training a model or serving it would cost: time, money, energy, memory.

Formulas and assumptions are macros and seeds of the published file (``estimate_training``, ``estimate_serving``,
``seeds.estimate_constants``); here the measured result, the price and the power that go into them are chosen, and
every choice and every extrapolation is put into words.
"""

from warehouse.estimate.options import Estimate, EstimateError, Price, Site, parse_count
from warehouse.estimate.serving import estimate_serving
from warehouse.estimate.training import estimate_training

__all__ = [
    "Estimate",
    "EstimateError",
    "Price",
    "Site",
    "estimate_serving",
    "estimate_training",
    "parse_count",
]
