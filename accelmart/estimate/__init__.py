"""What training a model or serving it would cost, and whether to rent or own: time, money, energy, memory.

Formulas and assumptions are macros and seeds of the published file (``estimate_training``, ``estimate_serving``,
``seeds.estimate_constants``); here the measured result, the price and the power that go into them are chosen, and
every choice and every extrapolation is stated in a sentence.
"""

from accelmart.estimate.ownership import estimate_ownership
from accelmart.estimate.request import Estimate, parse_count
from accelmart.estimate.serving import estimate_serving
from accelmart.estimate.training import estimate_training

__all__ = ["Estimate", "estimate_ownership", "estimate_serving", "estimate_training", "parse_count"]
