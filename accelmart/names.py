"""Names in questions: models, accelerators, sellers, regions and days, and what an answer for a region excludes.

Names are resolved by one rule, the macro ``resolve_name`` of the published file: SQL, Python, the command line and the
tools for agents read a word alike.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from accelmart.errors import QuestionError
from accelmart.spelling import did_you_mean, plain

if TYPE_CHECKING:
    from accelmart.published import Reader

ALL = "all"
# pricing model of every question where none is given
ON_DEMAND = "on_demand"

_IS_KNOWN_REGION = """
select exists(from fct_price_interval where is_comparable and in_region(region, country, $region)) as is_known
"""
_REGIONS = """
select 'groups' as kind, region_group as region, 0 as n
from seeds.region_groups
where country in (select country from fct_price_interval where is_comparable)
group by all
union all
select 'countries', country, 0 from fct_price_interval where is_comparable and country is not null group by all
union all
select 'regions', region, count(*) from fct_price_interval where is_comparable and region is not null group by all
order by kind, n desc, region
"""
_SILENT_SELLERS = """
select count(*) as n
from (
    select o.provider
    from price_on(coalesce(cast($day as date), newest_price_day())) as o
    where ($pricing is null or o.pricing_model = $pricing)
        and o.accelerator_id in (
            select t.accelerator_id from mart_token_throughput as t where t.benchmark_id = $benchmark_id
        )
    group by o.provider
    having count(o.region) = 0 and count(o.country) = 0
        and o.provider not in (select s.provider from sellers_in_region($region) as s)
)
"""
_MOST_REGIONS = 40


class Names:
    """Resolves the names of one question.

    Args:
        reader: the warehouse.

    Attributes:
        notes: a sentence for every word that is not the key itself: what it was taken for.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.notes: list[str] = []

    def key(self, thing: str, word: str) -> str:
        """Return the key that a word stands for.

        Args:
            thing: what it names, see the macro ``resolve_name``.
            word: as people write it.

        Raises:
            QuestionError: it stands for none or several; the message names candidates.
        """
        meaning = self._reader.one("from resolve_name($thing, $word)", {"thing": thing, "word": word})
        if meaning["problem"]:
            raise QuestionError(meaning["problem"])
        if meaning["note"] and meaning["note"] not in self.notes:
            self.notes.append(meaning["note"])
        return str(meaning["id"])

    def optional(self, thing: str, word: str | None) -> str | None:
        """Return the key that a word stands for, see `key`; None stays None."""
        return None if word is None else self.key(thing, word)

    def had(self, have: str | None) -> None:
        """Note what the accelerator of ``A100-80GB:64`` was taken for.

        Raises:
            QuestionError: it has no number, or its name stands for none or several.
        """
        if have is not None:
            (machines,) = self._reader.ask("accelerators_had", have=have).records()
            self.key("accelerator", machines["name"])

    def pricing_model(self, word: str | None) -> str | None:
        """Return the key of a pricing model, see `key`; None and ``all`` are None."""
        return None if word is None or plain(word) == ALL else self.key("pricing model", word)


def read_day(text: date | str | None) -> date | None:
    """Return the day that an argument ``as_of`` states.

    Raises:
        QuestionError: it is no day.
    """
    try:
        return date.fromisoformat(text) if isinstance(text, str) else text
    except ValueError as e:
        raise QuestionError(f"as_of is {text!r}: write a day as YYYY-MM-DD, such as 2026-10-24") from e


def check_region(reader: Reader, region: str | None) -> None:
    """Raise QuestionError if no comparable price of the warehouse is of the region; the message lists what there is."""
    if region is None or reader.one(_IS_KNOWN_REGION, {"region": region})["is_known"]:
        return
    known: dict[str, list[str]] = {"groups": [], "countries": [], "regions": []}
    for row in reader.rows(_REGIONS):
        known[row["kind"]].append(str(row["region"]))
    hint = did_you_mean(region, known["regions"])
    shown = known["regions"][:_MOST_REGIONS]
    more = len(known["regions"]) - len(shown)
    raise QuestionError(
        f'no region matches "{region}"; regions: {", ".join(known["groups"])}; countries: '
        f"{', '.join(known['countries'])}; regions of sellers: {', '.join(shown)}"
        f"{f' and {more} more' if more else ''}.{hint}"
    )


def region_note(
    reader: Reader, region: str | None, benchmark_id: str, pricing: str | None, day: date | None
) -> list[str]:
    """Return a sentence that counts the sellers without a region, excluded for a region; none without one."""
    if region is None:
        return []
    n = reader.one(
        _SILENT_SELLERS, {"day": day, "pricing": pricing, "benchmark_id": benchmark_id, "region": region}
    )["n"]
    return [
        f"Region {region}: offers that state a region in it, and sellers that have one price for all their sites and "
        f"a site in it; {n} more {'sellers state' if n != 1 else 'seller states'} no region."
    ]
