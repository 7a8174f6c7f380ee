"""How wrong price levels were, in a sentence (table mart_calibration)."""

from __future__ import annotations

from accelmart.published import Reader

_LEVELS = """
select 'How wrong are price levels? Of ' || string_agg(
    format(
        '{} past prices of {} half were within {:.0f} % and the ranges held {:.0f} %',
        n_cases, split_part(case_kind, ', ', 2), median_error_pct, inside_pct
    ), '; of ' order by n_cases desc
) || '.' as sentence
from mart_calibration
where estimator = 'price level' and starts_with(case_kind, 'level')
"""


def level_errors(reader: Reader) -> tuple[str, ...]:
    """Return how far price levels were from held-out prices; nothing where there are no cases."""
    sentence = reader.one(_LEVELS)["sentence"]
    return (str(sentence),) if sentence else ()
