"""What training a model or serving it would cost, and whether to rent or own: time, money, energy, memory.

Each is a function of the published file: ``estimate_training``, ``estimate_serving``, ``rent_or_own``.
"""

from accelmart.estimate.ownership import estimate_ownership
from accelmart.estimate.request import Estimate, parse_count
from accelmart.estimate.serving import estimate_serving
from accelmart.estimate.training import estimate_training

__all__ = ["Estimate", "estimate_ownership", "estimate_serving", "estimate_training", "parse_count"]
