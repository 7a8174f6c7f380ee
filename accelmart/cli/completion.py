"""Words a shell completes: keys of the published warehouse. A completion never fails."""

from __future__ import annotations

from collections.abc import Callable

from accelmart.errors import ReaderError
from accelmart.published import reading


def _published(statement: str) -> Callable[[str], list[str]]:
    def words(incomplete: str) -> list[str]:
        try:
            with reading() as reader:
                return [word for word in reader.words(statement) if word.startswith(incomplete)]
        except ReaderError:
            return []  # no warehouse yet, or one of another version

    return words


_accelerators = _published("select accelerator_id from dim_accelerator order by all")
_benchmarks = _published("select distinct benchmark_id from mart_token_throughput order by all")
_mlperf_scenarios = _published("select distinct scenario from mart_token_throughput order by all")
_ownership_scenarios = _published("select distinct scenario_id from mart_tco order by all")
_pricing_models = _published("select distinct pricing_model from mart_price_current order by all")
_providers = _published("select distinct provider from mart_price_current order by all")
_releases = _published("select distinct release from fct_inference_result order by all")

# by the name of an argument
WORDS = {
    **dict.fromkeys(("a", "b", "accelerator"), _accelerators),
    "model": _benchmarks,
    "mlperf_scenario": _mlperf_scenarios,
    "owner": _ownership_scenarios,
    "pricing": _pricing_models,
    "provider": _providers,
    "release": _releases,
}
