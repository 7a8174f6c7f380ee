"""Read the published warehouse from Python: open it, and choose accelerators within a budget.

This package reads only. It imports nothing of the pipeline that fills the warehouse.
"""

from accelmart.choosing import choose
from accelmart.published import NotPublishedError, QuestionError, connect

__all__ = ["NotPublishedError", "QuestionError", "choose", "connect"]
