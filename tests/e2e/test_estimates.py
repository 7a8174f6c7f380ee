"""Estimates of training and of a served load, worked by hand from published figures and rows of the marts.

Which known run an estimate of training rests on is in test_calibration.
"""

import math
import re
import statistics
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pytest
from pytest import approx

H100, H200, B200 = "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "nvidia-b200-sxm-180gb"
GB300, GH200, A100_40, GROQ = "nvidia-gb300-288gb", "nvidia-gh200-96gb", "nvidia-a100-sxm-40gb", "groq-lpu-v1"
RATE = "usd_per_accelerator_hour"
HOUSEHOLD_KWH = 10_791  # of a year, EIA
RUN = {"params": 405.85e9, "tokens": 15e12, "accelerator": H100, "gpus": 2304, "price": 1.42}
RUNS = {
    "37B of 671B": {"params": 37e9, "total_params": 671e9, "mfu": 40},
    "671B": {"params": 671e9, "mfu": 40},
    "37B on 7": {"params": 37e9, "mfu": 40, "gpus": 7},
    "37B on 8": {"params": 37e9, "mfu": 40, "gpus": 8},
    "MFU": {"mfu": 54, "pue": 1.3, "electricity": "0.1", "grid": "us_2022", "capex": 31250},
    "level": {"price": None},
    "measured": {},
    "DeepSeek-V3": {"params": 671e9, "tokens": 14.8e12, "gpus": 2048},
    "Llama 3 70B": {"params": 70e9, "gpus": 2048},
    "70B on 1,024 H100": {"params": 70e9, "tokens": 2e12, "gpus": 1024},
    "8B on 8 A100": {"params": 8e9, "tokens": 100e9, "accelerator": "nvidia-a100-sxm-80gb", "gpus": 8},
    "405B on 8,192 B200": {"params": 405e9, "accelerator": B200, "gpus": 8192},
    "list price": {"mfu": 40, "accelerator": A100_40},
    "GB300": {"params": 405e9, "accelerator": GB300, "gpus": 512},
    "GB300 in FP8": {"params": 405e9, "accelerator": GB300, "gpus": 512, "number_format": "fp8"},
    "GB300 x 30": {"params": 8e9, "accelerator": GB300, "gpus": 30},
    "Finland": {"price": None, "region": "FI"},
    "replaced": {"region": "FI", "electricity": "0.1", "grid": "us_2022"},
    "seller": {"price": None, "provider": "hyperstack"},
    "owner": {"accelerator": B200, "price": None, "scenario": "hyperscaler"},
    "its site": {
        "accelerator": B200,
        "price": None,
        "scenario": "hyperscaler",
        "pue": 1.2,
        "electricity": "0",
    },
    "150B": {"params": 150e9},
    "100B": {"params": 100e9},
    "MI300X": {"accelerator": "amd-mi300x"},
    "long": {"gpus": 512, "layers": 126, "hidden": 16384, "sequence_length": 131072},
    # the ends of ranges are allowed
    "least": {"params": 1e6, "pue": 1, "electricity": "0"},
    "most": {"params": 1e15, "pue": 5, "mfu": 100},
}
LOAD = {"model": "llama3.1-405b", "tokens_per_day": 1e9, "accelerator": B200, "price": 3.6, "utilisation": 60}
LOAD |= {"kv_cache": "fp16", "context_length": 8192, "sequences": 16}
LOADS = {
    "405B": {"pue": 1.5},
    "level": {"price": None},
    "FP8": {"weights": "fp8", "kv_cache": "fp8", "sequences": 1, "utilisation": 100},
    "FP4 on H100": {"accelerator": H100, "weights": "fp4", "utilisation": 0.1},
    "MI300X": {"accelerator": "amd-mi300x"},
    "H200": {"model": "deepseek-r1", "accelerator": H200},
    "half of 405B": {"model": "my own", "params": 202.925e9},
    "32B": {"model": "my own", "params": 32e9},
    "GH200": {"model": "gptj-99.9", "accelerator": GH200, "price": None},
    "cheapest": {"model": "gptj-99.9", "accelerator": None, "price": None},
}


def ask(db, function, usual, questions):
    """Return the answer to each question from one query, as planning it takes a second and another question no time."""
    names = dict.fromkeys(name for question in (usual, *questions.values()) for name in question)
    asked = [dict.fromkeys(names) | usual | changes | {"question": n} for n, changes in questions.items()]
    db.register("asked", pa.Table.from_pylist(asked))
    given = ", ".join(f"{name} := asked.{name}" for name in names)
    query = f"select asked.question, a.* from asked, lateral {function}({given}) as a"
    return {answer.question: answer for answer in records(db.execute(query))}


def records(done):
    names = [column[0] for column in done.description]
    return [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in done.fetchall()]


def rows(db, table, **values):
    """Return the rows of a table that have these values."""
    conditions = "".join(f" and {name} is not distinct from ?" for name in values)
    return records(db.execute(f"from {table} where true{conditions}", [*values.values()]))


def row(db, table, **values):
    (found,) = rows(db, table, **values)
    return found


@pytest.fixture(scope="module")
def db(built_home):
    with duckdb.connect(str(built_home / "accelmart.duckdb"), read_only=True) as opened:
        opened.execute("set threads = 1")  # more of them take time from each other on so little data
        yield opened


@pytest.fixture(scope="module")
def runs(db):
    return ask(db, "estimate_training", RUN, RUNS)


@pytest.fixture(scope="module")
def loads(db):
    return ask(db, "estimate_serving", LOAD, LOADS)


def power(db, part):
    watts = "intermediate.int_energy__modelled_watts"
    return row(db, watts, accelerator_id=part, is_preferred=True, without_system_id=None)


def level(db, part):
    return row(db, "price_level(null)", accelerator_id=part)


def results(db, benchmark):
    """Return the best Server result of each accelerator."""
    return rows(
        db, "mart_token_throughput", benchmark_id=benchmark, scenario="Server", is_representative=True
    )


def ends(answer, name):
    """Return a value with its low and high."""
    return [getattr(answer, f"{name}{end}") for end in ("", "_low", "_high")]


def said(sentences, *words):
    return any(all(w in s for w in words) for s in sentences)


def test_memory_holds_all_experts_and_work_is_of_the_active_ones(runs):
    """DeepSeek-V3: 16 bytes for each of 671e9 parameters are 10,736 GB, 135 times 80; 37e9 work on a token."""
    mixed, named = runs["37B of 671B"], runs["671B"]
    assert (mixed.state_gb, mixed.fewest_accelerators) == (approx(10_736), 135)
    assert [mixed.weights_gb, mixed.gradients_gb, mixed.optimiser_gb] == approx([1342, 1342, 8052])
    assert mixed.flops_per_token == approx(6 * 37e9 + 12 * 61 * 7168 * 4096)
    # all parameters alone name the same model
    assert vars(named) | {"question": ""} == vars(mixed) | {"question": ""}
    assert named.model == "DeepSeek-V3 and R1"
    assert [runs[f"37B on {n}"].fits for n in (7, 8)] == [False, True] and runs["37B on 8"].state_gb == 592


def test_time_outlay_energy_and_carbon_follow_from_an_mfu(runs, db):
    """2,304 x $31,250 are 80 % of $90M, and 70 % of them accelerators; four years amortise them."""
    done, watts = runs["MFU"], power(db, H100).watts_per_accelerator
    speed = 0.54 * 989.4e12 / (6 * 405.85e9 + 12 * 126 * 16384 * 8192)
    hours = 15e12 / speed / 3600
    assert [done.days, done.rental_usd] == approx([hours / 2304 / 24, hours * 1.42])
    outlay = [done.outlay_hardware_usd, done.outlay_usd, done.outlay_staff_usd, done.outlay_power_usd]
    assert outlay == approx([72e6, 90e6, 16.2e6, 1.8e6])
    assert done.outlay_of_which_accelerators_usd == approx(50.4e6)
    assert done.amortised_hardware_usd == approx(72e6 * done.days / (4 * 365))
    joules = [done.j_per_trained_token_before_pue, done.j_per_trained_token]
    assert joules == approx([watts / speed, 1.3 * watts / speed])
    kwh = hours * 1.3 * watts / 1000
    found = [done.kwh, done.household_years, done.electricity_usd, done.kg_co2e]
    assert found == approx([kwh, kwh / HOUSEHOLD_KWH, kwh * 0.1, kwh * 0.39])
    # a given speed has no range, and is compared with the measured one
    assert done.days_low is done.rental_usd_low is None and done.rests_on == []
    assert done.uncertainty_basis == "an MFU as given; one price"
    assert said(done.basis, "For comparison, the nearest known", f"llama31_405b on 2,432 x {H100}")


def test_training_as_published(runs):
    """Tokens, hours and MFU of public texts, and ranges worked by hand when v5.1 was the newest round."""
    assert runs["MFU"].usd_per_trained_mtok == approx(1.948, rel=0.01)
    assert runs["MFU"].rental_usd == approx(29.2e6, rel=0.01)
    # 14.8e12 tokens in 2.664e6 hours of H800, which has the peaks of H100 (arXiv 2412.19437)
    assert runs["DeepSeek-V3"].days == approx(2.664e6 / 2048 / 24, rel=0.01)
    # 35.5 % of FP8's peak
    speed = runs["Llama 3 70B"].trained_tokens_per_s_per_accelerator
    assert speed == approx(0.355 * 1979e12 / (6 * 70.55e9 + 12 * 80 * 8192 * 8192))
    for name, days in (
        ("405B on 8,192 B200", [32.7, 22.4, 46.0]),
        ("70B on 1,024 H100", [15.7, 10.7, 22.1]),
        ("8B on 8 A100", [65.8, 52.0, 83.3]),  # the range of published MFU
    ):
        assert ends(runs[name], "days") == approx(days, rel=0.025)
    assert runs["8B on 8 A100"].extrapolated == ["model", "scale"] and runs["8B on 8 A100"].rests_on == []


def test_hardware_without_an_owner_is_the_list_price_over_its_share(runs, db):
    assert rows(db, "mart_tco", accelerator_id=A100_40) == []
    listed = row(db, "seeds.accelerator_specs", accelerator_id=A100_40).msrp_or_street_usd
    assert runs["list price"].hardware_usd_per_accelerator == approx(listed / 0.7)


def test_405b_on_512_gb300_rests_on_the_measured_run_whatever_its_format(runs):
    """NVIDIA's result of v5.1: 1,369.5 tokens/s per accelerator, so 15e12 tokens take 247.6 days."""
    done, fp8 = runs["GB300"], runs["GB300 in FP8"]
    assert [done.trained_tokens_per_s_per_accelerator, done.days] == approx([1369.5, 247.6], rel=1e-3)
    assert done.rests_on == fp8.rests_on == ["training/v5.1/NVIDIA/theia_ngpu512_ngc25.09_nemo/llama31_405b"]
    assert done.number_format is done.mfu_pct is None
    assert said(done.basis, "number format is ambiguous (24.1 % of FP4 or 72.3 % of FP8)")
    assert (done.extrapolated, fp8.extrapolated) == ([], ["format"])


def test_extrapolations_of_a_run_are_said_in_words(runs):
    # of the runs in the format of the nearest one, which is unknown
    assert said(runs["GB300 x 30"].extrapolations, "on 8 to 64 of", "64 nearest, used for 30")
    assert said(runs["150B"].extrapolations, "another model", "gpt3", "1.5e+11")
    assert said(runs["MI300X"].extrapolations, "another accelerator", H100, "amd-mi300x")
    # at the same FLOPs per second, of which attention takes more
    long = runs["long"]
    short_flops, long_flops = (6 * 405.85e9 + 12 * 126 * 16384 * length for length in (8192, 131072))
    assert long.trained_tokens_per_s_per_accelerator == approx(319.6 * short_flops / long_flops, rel=1e-3)
    assert said(long.extrapolations, "another sequence length", "8,192", "131,072")
    unknown = runs["100B"]
    assert said(unknown.basis, "6·P alone") and unknown.flops_per_token == 600e9


def test_rent_electricity_and_grid_follow_one_place(runs, db):
    """H100 in Finland: the median of neoclouds with a site there, the country's grid and its price of electricity."""
    sites = {
        region.provider for region in rows(db, "seeds.cloud_regions", country_rule="fixed", country="FI")
    }
    of_h100 = {
        "accelerator_id": H100,
        "pricing_model": "on_demand",
        "segment": "neocloud",
        "price_standing": "current",
    }
    least = {}
    for offer in rows(db, "price_on(newest_price_day())", **of_h100):
        if offer.provider in sites:
            usd = offer.usd_per_accelerator_hour
            least[offer.provider] = min(usd, least.get(offer.provider, usd))
    prices = least.values()
    assert len(prices) > 1
    there, given = runs["Finland"], runs["replaced"]
    assert ends(there, RATE) == [statistics.median(prices), min(prices), max(prices)]
    assert there.price_basis == f"median of {len(prices)} sellers in FI"
    grid = row(db, "dim_grid", grid_level="country", country="FI", is_active=True)
    by_hand = [there.kwh * grid.usd_per_kwh, there.kwh * grid.kg_co2e_per_kwh]
    assert [there.electricity_usd, there.kg_co2e] == approx(by_hand)
    # what is given replaces what the place has
    assert [given.electricity_usd, given.kg_co2e] == approx([given.kwh * 0.1, given.kwh * 0.39])
    assert given.usd_per_accelerator_hour == 1.42


def test_prices_of_a_seller_and_of_an_owner(runs, db):
    rented, owned, given = runs["seller"], runs["owner"], runs["its site"]
    offer = row(
        db, "mart_price_current", provider="hyperstack", accelerator_id=H100, pricing_model="on_demand"
    )
    assert rented.usd_per_accelerator_hour == offer.usd_per_accelerator_hour_min
    assert said(rented.basis, f"offer {offer.best_offer_id}", f"last seen {offer.observed_at:%Y-%m-%d}")
    owner = row(db, "mart_tco", accelerator_id=B200, scenario_id="hyperscaler", is_default=True)
    assert owned.hardware_usd_per_accelerator == owner.capex_usd_per_accelerator
    for name in ("usd_per_accelerator_hour", "pue", "electricity_usd_per_kwh"):
        assert getattr(owned, name) == getattr(owner, name)
    assert said(owned.basis, "scenario hyperscaler", f"implied by rate as of {owner.price_level} (mart_tco)")
    assert (given.pue, given.electricity_usd_per_kwh) == (1.2, 0)


def test_without_a_price_both_are_at_the_price_level_with_its_range(runs, loads, db):
    """The range of a measured speed widens that of the price; a load rests on one result without a range."""
    run, load = runs["level"], loads["level"]
    for done, price in ((run, level(db, H100)), (load, level(db, B200))):
        assert done.price_basis == f"price level of {price.n_sellers} sellers"
        assert said(done.basis, done.price_basis, f"as of {price.as_of}")
        assert ends(done, RATE) == ends(price, RATE)
    at_142 = ends(runs["measured"], "rental_usd")
    assert at_142[1] < at_142[0] < at_142[2]
    wide = [usd * rate / 1.42 for usd, rate in zip(at_142, ends(run, RATE), strict=True)]
    assert ends(run, "rental_usd") == approx(wide)
    assert ends(load, "rental_usd_per_day") == approx(
        [load.accelerators * 24 * usd for usd in ends(load, RATE)]
    )
    assert load.uncertainty_basis == f"one result; range of the {load.price_basis}"


def test_the_bill_of_a_load_by_hand(loads, db):
    """405B on B200 in FP4: 202.9 GB of weights and 516,096 bytes of KV cache a token take 2 of 180 GB."""
    done, watts = loads["405B"], power(db, B200)
    speed = done.output_tokens_per_s_per_accelerator
    assert (speed, done.weights, done.extrapolated) == (best(db, "llama3.1-405b", B200), "fp4", ["scale"])
    assert (done.kv_cache_bytes_per_token, done.fewest_accelerators) == (516_096, 2)
    assert done.memory_gb == approx(202.925 + 516_096 * 8192 * 16 / 1e9)
    assert done.accelerators_busy == approx(1e9 / (86400 * speed * 0.6))
    n = 2 * math.ceil(done.accelerators_busy / 2)
    assert done.accelerators == n and said(done.extrapolations, "another scale", "of 8,", f"for {n:,}")
    assert done.usd_per_output_mtok_at_full_use == approx(3.6 / 3600 / speed * 1e6)
    assert [done.rental_usd_per_day, done.usd_per_output_mtok] == approx([n * 24 * 3.6, n * 24 * 3.6 / 1000])
    assert done.j_per_output_token_before_pue_at_full_use == approx(watts.watts_per_accelerator / speed)
    kwh = n * watts.watts_per_accelerator / 1000 * 1.5 * 24
    assert [done.kwh_per_day, done.households] == approx([kwh, kwh * 365 / HOUSEHOLD_KWH])
    shown = (*ends(watts, "watts_per_accelerator"), watts.all_in_watts_per_accelerator)
    assert said(done.basis, *(f"{w:,.0f}" for w in shown), f"n = {watts.n_model_systems}")
    # measured energy stands in a figure of its own
    lenovo = {
        "accelerator_id": B200,
        "benchmark_id": "llama3.1-405b",
        "scenario": "Server",
        "is_derived": False,
    }
    measured = row(db, "mart_energy", power_basis="measured", **lenovo)
    assert done.measured_j_per_output_token_before_pue == measured.j_per_output_token_before_pue
    assert done.results == [*done.rests_on, measured.result_id]


def best(db, benchmark, part):
    """Return the output tokens/s of the best Server result of an accelerator."""
    (found,) = [r for r in results(db, benchmark) if r.accelerator_id == part]
    return found.output_tokens_per_s_per_accelerator


@pytest.mark.parametrize(
    ("question", "result", "factor", "extrapolated", "words"),
    [
        ("FP8", ("llama3.1-405b", B200), 0.5, ["format", "scale"], "weights in fp4, taken to fp8"),
        # fewer bytes to read are not counted as a gain
        ("FP4 on H100", ("llama3.1-405b", H100), 1, ["scale"], ""),
        # in proportion to memory bandwidth: AMD has no result, H200's 4,800 GB/s are nearest; B200 is nearest of NVIDIA's
        ("MI300X", ("llama3.1-405b", H200), 5300 / 4800, ["accelerator", "scale"], "memory bandwidth"),
        ("H200", ("deepseek-r1", B200), 4800 / 7700 / 2, ["accelerator", "format", "scale"], "taken to fp8"),
        ("half of 405B", ("llama3.1-405b", B200), 2, ["model", "scale"], "x 2.000"),
        # DeepSeek-R1 has 37e9 active parameters, nearer to 32e9 than Llama 2 70B, whose all work
        ("32B", ("llama2-70b-99.9", B200), 68.98 / 32, ["model", "scale"], "another model"),
    ],
)
def test_a_load_is_taken_from_the_nearest_result(loads, db, question, result, factor, extrapolated, words):
    done = loads[question]
    assert done.output_tokens_per_s_per_accelerator == approx(best(db, *result) * factor)
    assert done.extrapolated == extrapolated and re.search(words, " ".join(done.extrapolations))
    if "model" in extrapolated:  # not known is not none
        assert done.kv_cache_gb is None and said(done.basis, "KV cache comes on top")


def test_a_plain_median_is_named_and_never_chosen_before_a_price_level(loads, db):
    """A token of GPT-J costs least on GH200, which has no price level."""
    done, price = loads["GH200"], level(db, GH200)
    assert price.usd_per_accelerator_hour is None and done.usd_per_accelerator_hour == price.usd_median_plain
    assert done.price_basis == f"plain median of {price.n_sellers_plain} sellers"
    assert said(done.basis, done.price_basis, f"no price level: {price.reason}")
    assert done.usd_per_output_mtok_low is None
    assert done.weights == "fp16" and said(done.basis, "fp16 is assumed for memory")
    rates = {
        p.accelerator_id: p.usd_per_accelerator_hour
        for p in rows(db, "price_level(null)", pricing_model="on_demand")
    }
    measured = [r for r in results(db, "gptj-99.9") if rates.get(r.accelerator_id)]
    cheapest = min(measured, key=lambda r: rates[r.accelerator_id] / r.output_tokens_per_s_per_accelerator)
    chosen = loads["cheapest"]
    assert done.usd_per_output_mtok_at_full_use < chosen.usd_per_output_mtok_at_full_use
    assert chosen.accelerator == cheapest.accelerator_id
    assert said(chosen.basis, f"{chosen.accelerator} is the cheapest per token")


def test_with_too_few_past_cases_the_next_wider_class_has_the_range(built_home, tmp_path):
    copy = tmp_path / "changed.duckdb"
    copy.write_bytes((built_home / "accelmart.duckdb").read_bytes())
    table = "intermediate.int_calibration__training"
    with duckdb.connect(str(copy)) as db:
        update = f"update {table} set is_sufficient = false where case_kind = 'carried'"
        assert db.execute(update).fetchall() == [(1,)]
        wider = row(db, table, case_kind="carried to any maker")
        done = row(db, f"training_speed('{H100}', 13e9, 13e9, 8e10, 8)")
    assert done.tokens_per_s_low == approx(done.tokens_per_s * wider.quantile_low)
    assert done.tokens_per_s_high == approx(done.tokens_per_s * wider.quantile_high)
    assert (
        done.uncertainty_basis == f"{wider.n_cases} past cases in {wider.n_groups} groups, {wider.case_kind}"
    )


REFUSED = f"""
training_model('nan')|params is nan: it must be above 0
training_model(9e9, total_params := 1e9)|total_params is 1e+09: it must be at least params
training_model(9e9, layers := 32)|give all three or none
training_speed('{H100}', 9e9, 9e9, 6e10, 8, number_format := 'fp4')|(it has bf16, fp8)
training_speed('{GROQ}', 9e9, 9e9, 6e10, 8)|training result can stand for {GROQ} in bf16
hardware_and_site('{H100}', pue := 0.99)|pue is 0.99: it must be 1 or more and at most 5
hardware_and_site('{H100}', electricity := -0.1)|electricity is -0.1: it must be 0 or more
hardware_and_site('{H100}', electricity := 'GB')|electricity is GB: no source at hand has
hourly_rate('{H100}', price := 2, provider := 'aws')|price and provider are
hourly_rate('{GROQ}', pricing := 'spot')|nobody has a recent price of {GROQ}
hourly_rate('{GROQ}', provider := 'aws')|There are prices of nobody
hourly_rate('{A100_40}', scenario := 'hyperscaler')|no ownership cost of nvidia-a100
serving_model('gpt-9', null, 'Server')|no model matches "gpt-9"
serving_result('llama3.1-405b', null, 'Server', 'moffett-s40', price := 1)|without a memory bandwidth
serving_fleet('llama3.1-405b', 1e9, '{B200}', price := 1, utilisation := 101)|utilisation is 101: it must be above 0 and
estimate_serving('llama3.1-405b', 1e9, workload := 'gpqa')|workload needs tokens_per_s_per_user
estimate_serving('llama3.1-405b', 1e9, weights := 'fp6')|weights is fp6: it must be one of fp4
estimate_serving('405b', tokens_per_s_per_user := 25, params := 8e9, capex := 3e4)|params, capex cannot
estimate_serving('405b', tokens_per_s_per_user := 25, price := 2)|need accelerator
"""


@pytest.mark.parametrize("line", REFUSED.split("\n")[1:-1])
def test_what_cannot_be_answered_is_refused_with_what_can(db, line):
    """By the function that refuses: planning the whole estimate takes ten times as long."""
    question, problem = line.split("|")
    with pytest.raises(duckdb.InvalidInputException, match=re.escape(problem)):
        db.execute(f"from {question}")
