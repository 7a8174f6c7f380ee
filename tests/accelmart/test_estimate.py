"""Estimates on a small warehouse: the real seeds and macros, results and prices made up."""

import math
import re
from pathlib import Path

import duckdb
import jinja2
import pytest
import yaml

from accelmart import QuestionError, estimate_serving, estimate_training
from accelmart.estimate import parse_count
from warehouse.storage.home import DBT_PROJECT_DIR

MADE_UP = {
    *("newest_price_day", "resolve_name", "mlperf_serving", "serving_frontiers"),
    *("price_on", "sellers_in_region", "in_region", "grids_of_places"),
}
SEEDS = ("energy_constants", "grid_intensity", "estimate_constants", "model_architectures")
TABLES = """
create schema seeds; create schema intermediate; create schema staging;
create table dim_provider as select 'acme' as provider, 'Acme Cloud' as provider_name, 2 as n_offers, 'neocloud' as segment;
create table staging.stg_reference__cloud_provider_aliases as select '*' as source, 'acme' as name_published, 'acme' as provider;
create table dim_accelerator as
select *, null::double as tf32_dense_tflops, null::varchar as product_line from (values
    ('h100', 'NVIDIA', 'Hopper', 989.4e0, 1979.0e0, null::double, 80.0e0, 3350.0e0, null::integer),
    ('b200', 'NVIDIA', 'Blackwell', 2250.0e0, 4500.0e0, 9000.0e0, 180.0e0, 6700.0e0, null),
    ('mi300x', 'AMD', 'CDNA3', 1307.4e0, 2614.9e0, null, 192.0e0, 5300.0e0, null),
    ('a100', 'NVIDIA', 'Ampere', 312.0e0, null, null, 80.0e0, 2039.0e0, null),
    ('gb300', 'NVIDIA', 'Blackwell', 2500.0e0, 5000.0e0, 15000.0e0, 288.0e0, 8000.0e0, 72),
    ('old', 'AMD', 'CDNA', null, null, null, 16.0e0, null, null)
) as t (accelerator_id, vendor, architecture, bf16_dense_tflops, fp8_dense_tflops, fp4_dense_tflops, memory_gb,
    memory_bandwidth_gb_s, scale_up_domain_size);
create table staging.stg_reference__accelerator_specs as from dim_accelerator;
create table seeds.spec_generations as select accelerator_id, product_line from dim_accelerator;
create table seeds.accelerator_specs as
select * from (values ('h100', 28000.0e0, 'list'), ('b200', null::double, null)) as t (accelerator_id, msrp_or_street_usd, price_note);
create table staging.stg_reference__mlperf_training_models as
select * from (values
    ('gpt3', 175e9, 96, 12288, 2048), ('llama31_405b', 405.85e9, 126, 16384, 8192), ('llama31_8b', 8.03e9, 32, 4096, 8192),
    ('lora', null, null, null, 8192)
) as t (benchmark_id, parameters, layers, hidden_size, sequence_length);
create table fct_training_result as
select *, 'closed' as division, 'NVIDIA' as submitter, 'sys' as system_name, 8192 as sequence_length,
    false as is_peer_outlier, false as is_round_incomplete
from (values
    ('small', 'v5.0', 'llama31_405b', 'h100', 512, 'fp8', 42.0e0, null, 300.0e0),
    ('large', 'v5.0', 'llama31_405b', 'h100', 8192, 'fp8', 36.0e0, null, 270.0e0),
    ('large older', 'v4.1', 'llama31_405b', 'h100', 8192, 'fp8', 35.0e0, null, 260.0e0),
    ('gpt', 'v4.1', 'gpt3', 'h100', 512, 'fp8', 43.0e0, null, 790.0e0),
    ('lora', 'v5.0', 'lora', 'h100', 512, 'fp8', null, null, 9000.0e0),
    -- 24.1 % of 15,000 or 72.3 % of 5,000 TFLOP/s
    ('either', 'v5.1', 'llama31_405b', 'gb300', 512, null, null, '24.1 % of FP4 or 72.3 % of FP8', 1369.5e0),
    ('eight', 'v5.1', 'llama31_8b', 'gb300', 8, 'fp4', 18.5e0, null, 45500.0e0),
    ('seventy-two', 'v5.1', 'llama31_8b', 'gb300', 72, 'fp8', 33.0e0, null, 27000.0e0)
) as t (result_id, release, benchmark_id, accelerator_id, accelerator_count, number_format, mfu_pct, mfu_candidates,
    trained_tokens_per_s_per_accelerator);
create table intermediate.int_training__published_mfu as
select *, 'https://p' as source_url from (values
    ('70b 64', 'llama3-70b', 'h100', 64, 'fp8', 38.1e0, 70.6e9, 70.6e9), ('70b 2048', 'llama3-70b', 'h100', 2048, 'fp8', 35.5e0, 70.6e9, 70.6e9),
    ('70b bf16', 'llama3-70b', 'h100', 64, 'bf16', 54.5e0, 70.6e9, 70.6e9), ('gpt3', 'gpt3-175b', 'h100', 128, 'bf16', 34.0e0, 175e9, 175e9),
    ('v3', 'deepseek-v3', 'h800', 2048, 'fp8', 19.0e0, 37e9, 671e9)
) as t (mfu_id, run_name, accelerator_id, accelerator_count, number_format, mfu_pct, parameters, total_parameters);
-- measured ÷ estimate in past cases; those of MFU carried over within a maker are too few
create table intermediate.int_calibration__training as
select *, n_cases >= 20 as is_sufficient, 'In ' || n_cases || ' past cases' as sentence from (values
    ('measured', 0.8e0, 1.25e0, 77, 31), ('carried', 0.9e0, 1.1e0, 19, 9), ('carried to any maker', 0.5e0, 2.0e0, 89, 35)
) as t (case_kind, quantile_low, quantile_high, n_cases, n_groups);
create table mart_token_throughput as
select *, 'v5.1' as release, false as is_round_incomplete, true as is_representative, 'NVIDIA' as submitter, 'sys' as system_name,
    'id ' || accelerator_id as submission_id, benchmark_id || ' ' || accelerator_id as result_id, 8 as accelerator_count
from (values
    ('llama3.1-405b', 'Server', 'h100', 20.0e0), ('llama3.1-405b', 'Server', 'b200', 100.0e0),
    ('llama2-70b-99', 'Server', 'b200', 9000.0e0), ('llama2-70b-99.9', 'Server', 'b200', 8000.0e0),
    ('deepseek-r1', 'Server', 'b200', 2000.0e0)
) as t (benchmark_id, scenario, accelerator_id, output_tokens_per_s_per_accelerator);
create table fct_inference_result as
select result_id, case result_id when 'llama2-70b-99.9 b200' then null when 'llama3.1-405b h100' then 'fp8' else 'fp4' end as weight_number_formats,
    8 as accelerators_per_node
from mart_token_throughput;
create table dim_benchmark as
select * from (values
    ('llama3.1-405b', 'llama3.1-405b', null, 'inference'), ('llama2-70b-99', 'llama2-70b', '99', 'inference'),
    ('llama2-70b-99.9', 'llama2-70b', '99.9', 'inference'), ('deepseek-r1', 'deepseek-r1', null, 'inference')
) as t (benchmark_id, benchmark_family, accuracy_target, suite_kind);
create table mart_price_current as
select *, 'o-' || accelerator_id as best_offer_id, 'type' as best_instance_type, null as best_region,
    timestamptz '2026-11-01' as observed_at, 'day' as observed_precision, 'https://x' as best_source_url
from (values
    ('h100', 'acme', 'on_demand', 2.0e0), ('b200', 'acme', 'on_demand', 4.0e0), ('b200', 'acme', 'spot', 1.0e0)
) as t (accelerator_id, provider, pricing_model, usd_per_accelerator_hour_min);
create table mart_rental_price_level as
select *, date '2026-11-01' as as_of, 'on_demand' as pricing_model, 'acme' as cheapest_provider,
    usd_median_plain / 2 as usd_cheapest, 5 as n_sellers_plain, 12.0e0 as moved_since_oldest_pct,
    accelerator_id = 'h100' as is_moved_since_oldest
from (values
    ('h100', 2.0e0, 1.6e0, 2.5e0, 4, null, 2.2e0), ('b200', 5.0e0, 4.0e0, 6.0e0, 1, null, 8.0e0),
    ('mi300x', null, null, null, 0, 'nobody links it', 0.3e0)
) as t (accelerator_id, usd_per_accelerator_hour, usd_per_accelerator_hour_low, usd_per_accelerator_hour_high, n_sellers, reason,
    usd_median_plain);
insert into mart_rental_price_level by name
    select * replace (date '2026-10-01' as as_of, 99.0e0 as usd_per_accelerator_hour) from mart_rental_price_level;
create macro newest_price_day() as date '2026-11-02';
-- two neoclouds and a hyperscaler in one country, a neocloud elsewhere
create macro price_on(day) as table
select *, 'on_demand' as pricing_model, 'current' as price_standing, 1 as days_before, provider as vote, null::varchar as region,
    null::varchar as variant
from (values
    ('a', 'neocloud', 'DE', 'h100', 3.0e0), ('b', 'neocloud', 'DE', 'h100', 4.0e0), ('c', 'hyperscaler', 'DE', 'h100', 9.0e0),
    ('d', 'neocloud', 'SE', 'h100', 1.0e0)
) as t (provider, segment, country, accelerator_id, usd_per_accelerator_hour);
create macro sellers_in_region(region) as table select 'a' as provider, true as are_all_inside where false;
create macro in_region(offer_region, offer_country, wanted) as offer_country = wanted;
create macro grids_of_places(places) as table
select g.*, g.kg_co2e_per_kwh as kg_co2e_per_kwh_low, g.kg_co2e_per_kwh as kg_co2e_per_kwh_high, 1 as n_grids,
    g.place as grid_ids, 'life cycle' as grid_basis, 2025 as usd_per_kwh_year, 'industry' as usd_per_kwh_basis,
    'no price of electricity' as usd_per_kwh_reason, null::varchar as reason
from (values
    ('us_2022', 0.39e0, 2022, null::double), ('world_2023', 0.481e0, 2023, null), ('DE', 0.381e0, 2023, 0.1552e0)
) as g (place, kg_co2e_per_kwh, grid_year_high, usd_per_kwh)
where list_contains(places, g.place);
create table fct_price_interval as
select 'o-' || accelerator_id as offer_id, accelerators as machine_accelerators, date '2026-10-01' as valid_from
from (values ('h100', 8.0e0), ('b200', 1.0e0)) as t (accelerator_id, accelerators);
create table intermediate.int_energy__modelled_watts as
select * from (values
    ('h100', 'published_all_in', 1370.0e0, 1370.0e0, null::double, null::double, null::double, 0, 'no metered system'),
    ('b200', 'published_all_in', 2565.0e0, 1710.0e0, 50.0e0, 1425.0e0, 2052.0e0, 7, 'metered systems')
) as t (
    accelerator_id, power_model, all_in_watts_per_accelerator, watts_per_accelerator, model_error_pct_median,
    watts_per_accelerator_low, watts_per_accelerator_high, n_model_systems, uncertainty_basis
), (select 'https://w' as power_source_url, true as is_preferred, null::varchar as without_system_id);
create table mart_tco as
select 'b200' as accelerator_id, 'hyperscaler' as scenario_id, 'published_estimate' as capex_basis, '2025-08' as price_level,
    true as is_default, 1.42e0 as usd_per_accelerator_hour, 31250e0 as capex_usd_per_accelerator, 1.15e0 as pue,
    0.05e0 as electricity_usd_per_kwh;
create macro resolve_name(thing, word) as table
select
    f.id, null::varchar as note, case when f.id is null then 'no ' || thing || ' matches "' || word || '"' end as problem
from (
    select max(k.name) as id
    from (
        select d.accelerator_id as name from dim_accelerator as d
        union select unnest([t.benchmark_id, t.scenario]) from mart_token_throughput as t
        union select p.provider from dim_provider as p union select c.pricing_model from mart_price_current as c
        union select o.scenario_id from mart_tco as o
    ) as k
    where lower(k.name) = lower(word)
) as f;
create table mart_accelerator_hour as select '' as accelerator_id, 'rent' as price_basis, '' as price_terms,
    0e0 as usd_per_accelerator_hour, 0e0 as usd_per_accelerator_hour_low, 0e0 as usd_per_accelerator_hour_high, '' as rent_basis
where false;
create table mart_energy as
select 'measured' as power_basis, 'b200' as accelerator_id, false as is_derived, 'inference' as suite_kind,
    'llama3.1-405b' as benchmark_id, 'Server' as scenario, 12.0e0 as j_per_output_token_measured, 8.0e0 as j_per_output_token_before_pue,
    'standard' as variant, 1200.0e0 as watts_per_accelerator, 'powered' as result_id, 'wall' as power_scope, 'v5.1' as release,
    'closed' as division, 'Lenovo' as submitter, 'sys' as system_name, 1.5e0 as pue, 'world_2023' as grid_id;
-- nothing was measured at a speed of one user
create table mart_serving_frontier as select '' as model_id where false;
create table costs_at_speed as select ''::varchar as accelerator_id, '' as number_format, 0e0 as output_tokens_per_s_per_accelerator,
    0e0 as rent_usd_per_output_mtok, 0e0 as rent_usd_per_output_mtok_low, 0e0 as rent_usd_per_output_mtok_high,
    0e0 as owned_usd_per_output_mtok, 0e0 as owned_usd_per_output_mtok_low, 0e0 as owned_usd_per_output_mtok_high, '' as rent_reason,
    '' as owned_reason, 0 as n_sellers, '' as rent_basis, current_date as oldest_price_on where false;
create macro mlperf_serving(speed_per_user) as table
select c.*, '' as benchmark_id, '' as benchmark_family, '' as accuracy_target, '' as scenario, 0e0 as ttft_limit_ms, 0e0 as tpot_limit_ms,
    0e0 as guaranteed_tokens_per_s_per_user, true as is_guaranteed, 0e0 as tpot_ms_p99, '' as release, '' as submitter, '' as system_name,
    0 as accelerator_count, '' as availability, '' as submission_id, '' as result_id, '' as limits_source_url from costs_at_speed as c;
create macro serving_frontiers(speed_per_user) as table
select c.*, '' as source, '' as model_id, '' as framework, '' as workload, 0e0 as input_tokens, 0e0 as output_tokens_low,
    0e0 as output_tokens_high, '' as basis, '' as reason, '' as cost_reason, 0e0 as lowest_tokens_per_s_per_user,
    0e0 as highest_tokens_per_s_per_user, 0e0 as ttft_ms, 0e0 as requests_per_accelerator, 0e0 as j_per_output_token_measured,
    '' as energy_scope, 0 as n_frontier_points, '' as point_id_below, '' as point_id_above, '' as source_url from costs_at_speed as c;
"""


def functions() -> list[str]:
    """Return the statements that make the table of known speeds and the macros estimates need, each after those it calls."""
    environment = jinja2.Environment(autoescape=False)
    layers = {"stg": "staging.", "int": "intermediate.", "dim": "", "fct": "", "mart": ""}
    environment.globals |= {
        "ref": lambda name: layers.get(name.partition("_")[0], "seeds.") + name,
        "function": lambda name: name,
        "var": yaml.safe_load((DBT_PROJECT_DIR / "dbt_project.yml").read_text())["vars"].get,
    }
    for name in (
        "arguments",
        "calibration",
        "formulas",
        "energy",
        "estimate",
        "names",
        "price_levels",
        "price_standing",
        "rent_or_own",
        "training_formats",
        "training_references",
    ):
        (path,) = DBT_PROJECT_DIR.glob(f"macros/*/{name}.sql")
        environment.globals |= vars(environment.from_string(path.read_text()).module)
    described = {
        node["name"]: node
        for path in (DBT_PROJECT_DIR / "functions").rglob("*.yml")
        for node in yaml.safe_load(path.read_text())["functions"]
    }
    known = "int_training__known_speeds"
    (path,) = DBT_PROJECT_DIR.glob(f"models/*/*/{known}.sql")
    body = environment.from_string(path.read_text()).render()
    statements = {known: f"create table intermediate.{known} as {body}"}

    def add(path: Path) -> None:
        for called in set(re.findall(r"function\('(\w+)'\)", path.read_text())) - MADE_UP:
            add(next((DBT_PROJECT_DIR / "functions").rglob(f"{called}.sql")))
        node = described[path.stem]
        arguments = ", ".join(
            a["name"] + (f" := {a['default_value']}" if "default_value" in a else "")
            for a in node.get("arguments", [])
        )
        kind = node.get("config", {}).get("type", "")
        body = environment.from_string(path.read_text()).render()
        statements.setdefault(path.stem, f"create macro {path.stem}({arguments}) as {kind} ({body})")

    for path in (DBT_PROJECT_DIR / "functions").rglob("*.sql"):
        if path.parent.name == "estimates" or path.stem in (
            "accelerator_named",
            "accelerators_bought",
            "hourly_rate",
            "size_note",
        ):
            add(path)
    return list(statements.values())


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("estimate") / "accelmart.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute(TABLES)
        for seed in SEEDS:
            db.execute(f"create table seeds.{seed} as from read_csv('{DBT_PROJECT_DIR}/seeds/{seed}.csv')")
        for statement in functions():
            db.execute(statement)
    return path


def train(database, **changes):
    options = {"params": 405.85e9, "tokens": 15e12, "accelerator": "h100", "gpus": 2304, "price": 1.42}
    return estimate_training(**options | changes, database=database)


def serve(database, **changes):
    options = {"model": "llama3.1-405b", "tokens_per_day": 1e9, "accelerator": "b200", "price": 3.6}
    return estimate_serving(**options | changes, database=database)


def said(sentences, *words):
    return any(all(w in s for w in words) for s in sentences)


def test_memory_holds_all_experts_and_work_is_of_the_active_ones(database):
    """DeepSeek-V3: 37e9 active of 671e9: 16 × 671 = 10,736 GB, 135 of 80 GB; 6·P counts the 37e9."""
    mixed = train(database, params=37e9, total_params=671e9, mfu=40).figures
    assert mixed["state_gb"] == pytest.approx(10_736) and mixed["fewest_accelerators"] == 135
    assert [mixed[n] for n in ("weights_gb", "gradients_gb", "optimiser_gb")] == pytest.approx(
        [1342, 1342, 8052]
    )
    assert [train(database, params=37e9, mfu=40, gpus=n).figures["fits"] for n in (7, 8)] == [False, True]
    assert train(database, params=37e9, mfu=40).figures["state_gb"] == pytest.approx(592)
    # all parameters alone name the same model: 6 · 37e9 + 12 · 61 layers · 7,168 · 4,096
    named = train(database, params=671e9, mfu=40)
    assert named.figures == mixed and mixed["flops_per_token"] == pytest.approx(243.49e9, rel=1e-4)
    assert named.inputs["model"] == "DeepSeek-V3 and R1" and named.inputs["params"] == 37e9


def test_70b_takes_the_published_mfu_of_its_size_format_and_scale(database):
    """Llama 3 70B on H100 in FP8, published: 38.1 % on 64, 35.5 % on 2,048; a token takes 4.88e11 FLOPs."""
    done = train(database, params=70e9, gpus=64)
    assert (done.inputs["mfu_pct"], done.inputs["number_format"]) == (38.1, "fp8")
    assert done.figures["flops_per_token"] == pytest.approx(4.88e11, rel=1e-3)
    speed = 0.381 * 1979e12 / (6 * 70.55e9 + 12 * 80 * 8192 * 8192)
    assert done.figures["trained_tokens_per_s_per_accelerator"] == pytest.approx(speed)
    assert done.rests_on == [] and done.extrapolated == []
    # a published run of the model on the part in its format counts as measured
    assert done.figures["uncertainty_basis"] == "77 past cases in 31 groups, measured; one price"
    assert train(database, params=70e9, gpus=64, precision="bf16").inputs["mfu_pct"] == 54.5


def test_the_size_class_comes_before_the_part(database):
    # 70B on gb300: of the 8B runs there none is of its class, so that H100's 70B stands for it
    far = train(database, params=70e9, accelerator="gb300", gpus=64)
    assert far.inputs["mfu_pct"] == 38.1 and set(far.extrapolated) == {"accelerator"}
    # the one known mixture of experts, whatever dense model has as many parameters that work
    mixture = train(database, params=671e9, accelerator="gb300", gpus=2048)
    assert mixture.inputs["mfu_pct"] == 19 and said(mixture.basis, "deepseek-v3 on 2,048 x h800")
    # too few past cases were carried over within a maker: the range is that of the next wider class
    figures = mixture.figures
    assert (figures["days"] / figures["days_low"], figures["days"] / figures["days_high"]) == pytest.approx(
        (2, 0.5)
    )
    assert figures["uncertainty_basis"] == "89 past cases in 35 groups, carried to any maker; one price"
    # 8e9 of 100e9 parameters work on a token: the measured dense model of 8e9 is another model
    other = train(database, params=8.03e9, total_params=100e9, accelerator="gb300", gpus=72)
    assert other.extrapolated == ["model"] and said(other.basis, "Carried over")
    given = train(database, mfu=54)
    assert given.figures["days_low"] is None
    assert given.figures["uncertainty_basis"] == "an MFU as given; one price"
    (known,) = [sentence for sentence in given.basis if "the nearest known" in sentence]
    assert "llama31_405b on 8,192 x h100" in known


def test_outlay_is_80_18_2_and_70_of_hardware_accelerators(database):
    # 2,304 x $31,250 = $72M of hardware; / 0.8 = $90M; a year of four amortises a quarter
    done = train(database, mfu=54, capex=31250).figures
    assert done["outlay_hardware_usd"] == 72e6
    shares = [done["outlay_usd"], done["outlay_staff_usd"], done["outlay_power_usd"]]
    assert shares == pytest.approx([90e6, 16.2e6, 1.8e6])
    assert done["outlay_of_which_accelerators_usd"] == pytest.approx(50.4e6)
    assert done["amortised_hardware_usd"] == pytest.approx(72e6 * done["days"] / (4 * 365))
    # without capex and mart_tco: the list price is 70 % of the hardware
    assert train(database, mfu=54).inputs["hardware_usd_per_accelerator"] == pytest.approx(40_000)


def test_energy_before_and_after_pue_and_households(database):
    # 1,370 W / 202.53 tokens/s = 6.76 J; with PUE 1.3 8.79 J, which a household-year's 38.85 GJ buys 4.42e9 of
    done = train(database, mfu=54, pue=1.3, electricity=0.1, grid="us_2022").figures
    assert done["j_per_trained_token_before_pue"] == pytest.approx(1370 / 202.53, rel=1e-4)
    assert done["j_per_trained_token"] == pytest.approx(1.3 * 1370 / 202.53, rel=1e-4)
    assert done["kwh"] == pytest.approx(15e12 * 8.794 / 3.6e6, rel=1e-3)
    assert done["household_years"] == pytest.approx(done["kwh"] / 10_791)
    assert done["electricity_usd"] == pytest.approx(done["kwh"] * 0.1)
    assert done["kg_co2e"] == pytest.approx(done["kwh"] * 0.39)


def test_rent_electricity_and_grid_follow_one_place(database):
    # neoclouds come before hyperscalers: the median of 3 and 4 $
    there = train(database, mfu=54, price=None, region="DE")
    prices = [
        there.inputs[f"usd_per_accelerator_hour{end}"] for end in ("", "_low", "_high")
    ]  # fmt: skip
    assert prices == [3.5, 3, 4] and there.inputs["price_basis"] == "median of 2 sellers in DE"
    assert there.figures["electricity_usd"] == pytest.approx(there.figures["kwh"] * 0.1552)
    assert there.figures["kg_co2e"] == pytest.approx(there.figures["kwh"] * 0.381)
    # what is given replaces what the place has
    given = train(database, mfu=54, price=2, region="DE", electricity=0.1, grid="us_2022")
    assert given.figures["electricity_usd"] == pytest.approx(given.figures["kwh"] * 0.1)
    assert given.figures["kg_co2e"] == pytest.approx(given.figures["kwh"] * 0.39)
    assert given.inputs["usd_per_accelerator_hour"] == 2
    with pytest.raises(QuestionError, match="electricity is us_2022: no price of electricity; give US"):
        train(database, mfu=54, electricity="us_2022")


def test_the_nearest_measured_result_is_used_and_named(database):
    near = train(database, gpus=600)
    assert near.results == ["small"] and said(near.extrapolations, "another scale", "512", "600")
    assert (near.inputs["mfu_pct"], near.inputs["number_format"]) == (42, "fp8")
    exact = train(database, gpus=8192)
    assert exact.results == ["large"] and exact.extrapolations == []  # the newer of two at that scale
    # measured tokens/s are used as they are, with how far past estimates were off
    figures = train(database, gpus=512).figures
    assert figures["trained_tokens_per_s_per_accelerator"] == 300
    assert figures["days"] == pytest.approx(15e12 / 300 / 512 / 86400)
    assert figures["days_low"] == pytest.approx(figures["days"] / 1.25)
    assert figures["days_high"] == pytest.approx(figures["days"] / 0.8)
    assert figures["rental_usd_high"] == pytest.approx(figures["rental_usd"] / 0.8)
    assert said(train(database, gpus=512).basis, "In 77 past cases")
    assert train(database, params=150e9).results == ["gpt"]


def test_405b_on_512_gb300_rests_on_the_measured_run_whatever_its_format(database):
    # comparisons.md: 1,369.5 tokens/s per accelerator; 15e12 tokens take 247.6 days
    done = train(database, params=405e9, accelerator="gb300", gpus=512)
    assert done.figures["trained_tokens_per_s_per_accelerator"] == pytest.approx(1369.5)
    assert done.figures["days"] == pytest.approx(247.6, rel=0.001)
    assert done.rests_on == ["either"] and done.extrapolated == []
    assert done.inputs["number_format"] is None and done.inputs["mfu_pct"] is None
    assert said(done.basis, "number format is ambiguous (24.1 % of FP4 or 72.3 % of FP8)")
    fp8 = train(database, params=405e9, accelerator="gb300", gpus=512, precision="fp8")
    assert fp8.rests_on == ["either"] and fp8.extrapolated == ["format"]


def test_an_unmeasured_format_takes_the_mfu_of_that_format(database):
    # no 8B run in fp8 at that size: the nearest scale of the same format, and no fp4 run
    done = train(database, params=8e9, tokens=100e9, accelerator="gb300", gpus=8, precision="fp8")
    assert done.rests_on == ["seventy-two"] and done.inputs["number_format"] == "fp8"
    assert train(database, params=8e9, accelerator="gb300", gpus=8, precision="fp4").rests_on == ["eight"]
    # 13B was never measured on the part: the nearest model size with a known format
    carried = train(database, params=13e9, accelerator="gb300", gpus=72)
    assert carried.rests_on == ["seventy-two"] and set(carried.extrapolated) == {"model"}
    figures = carried.figures
    assert figures["flops_per_token"] == pytest.approx(6 * 13.02e9 + 12 * 40 * 5120 * 4096, rel=1e-3)
    speed = 0.33 * 5000e12 / figures["flops_per_token"]
    assert figures["trained_tokens_per_s_per_accelerator"] == pytest.approx(speed)


def test_8b_on_8_a100_is_a_published_range_and_rests_on_no_fp8_run(database):
    done = train(database, params=8e9, tokens=100e9, accelerator="a100", gpus=8)
    low, high = done.figures["days_low"], done.figures["days_high"]
    # a published guide: at 50 % MFU they take 56.5 days
    assert low <= 56.5 <= high and high / low <= 2.5 and low < done.figures["days"] < high
    assert done.rests_on == [] and done.inputs["number_format"] == "bf16"
    assert done.extrapolated == ["accelerator", "model", "scale"]


def test_without_anything_measured_or_published_the_answer_is_a_refusal(database):
    with pytest.raises(QuestionError, match=r"no measured training result can stand for old.*mfu"):
        train(database, accelerator="old")


def test_counts_are_read_with_magnitudes():
    read = [parse_count(text) for text in ("405B", "15T", "8.03b", "1,000", "70 B", "1.5e12", 3)]
    assert read == pytest.approx([405e9, 15e12, 8.03e9, 1000, 70e9, 1.5e12, 3])
    for text in ("405X", "B", "1.2.3B"):
        with pytest.raises(ValueError, match="405B, 15T or 1e9"):
            parse_count(text)


def test_extrapolations_are_said_in_words(database):
    far = train(database, gpus=100_000)
    assert said(far.extrapolations, "512 to 8,192", "100,000") and far.extrapolated == ["scale"]
    assert said(train(database, params=150e9).extrapolations, "another model", "gpt3")
    assert said(train(database, accelerator="mi300x").extrapolations, "another accelerator", "h100", "mi300x")
    other = train(database, gpus=512, layers=126, hidden=16384, sequence_length=131072)
    assert said(other.extrapolations, "another sequence length", "8,192", "131,072")
    unknown = train(database, params=100e9)
    assert said(unknown.basis, "6·P alone") and unknown.figures["flops_per_token"] == 600e9


def test_a_scale_lies_between_those_measured_in_its_own_format(database):
    # 8 gb300 were measured in fp4 and 72 in fp8: for fp8 on 30 the 72 stand alone
    done = train(database, params=8e9, accelerator="gb300", gpus=30)
    assert done.rests_on == ["seventy-two"] and said(done.extrapolations, "on 72 to 72 of gb300")
    assert done.figures["trained_tokens_per_s_per_accelerator"] == 27000
    # 10 % more or less is the same scale
    assert train(database, params=8e9, accelerator="gb300", gpus=66).extrapolated == []
    assert train(database, params=8e9, accelerator="gb300", gpus=60).extrapolated == ["scale"]


def test_prices_by_seller_and_by_scenario(database):
    rented = train(database, mfu=54, price=None, provider="acme")
    assert rented.inputs["usd_per_accelerator_hour"] == 2 and said(rented.basis, "offer o-h100", "2026-11-01")
    owned = train(database, mfu=54, accelerator="b200", price=None, scenario="hyperscaler")
    assert owned.inputs["usd_per_accelerator_hour"] == 1.42
    assert owned.inputs["hardware_usd_per_accelerator"] == 31250
    assert said(owned.basis, "scenario hyperscaler, capital: published estimate as of 2025-08 (mart_tco)")
    assert (owned.inputs["pue"], owned.inputs["electricity_usd_per_kwh"]) == (1.15, 0.05)
    given = train(
        database, mfu=54, accelerator="b200", price=None, scenario="hyperscaler", pue=1.2, electricity=0.0
    )
    assert (given.inputs["pue"], given.inputs["electricity_usd_per_kwh"]) == (1.2, 0)


def test_serving_by_hand(database):
    # 1e9 / (86,400 x 100 x 60 %) = 192.9 busy; 405.85e9 x 0.5 = 202.9 GB of fp4 weights and
    # 2 x 126 x 8 x 128 x 2 = 516,096 bytes a token x 8,192 x 16 = 67.6 GB: 2 of 180 GB; 97 replicas = 194
    done = serve(database)
    figures = done.figures
    assert figures["accelerators_busy"] == pytest.approx(192.9, rel=1e-3)
    assert figures["kv_cache_bytes_per_token"] == 516_096
    assert figures["memory_gb"] == pytest.approx(202.925 + 516_096 * 8192 * 16 / 1e9)
    assert (figures["fewest_accelerators"], figures["accelerators"]) == (2, 194)
    assert figures["usd_per_output_mtok_at_full_use"] == pytest.approx(10)
    assert figures["rental_usd_per_day"] == pytest.approx(194 * 24 * 3.6)
    assert figures["usd_per_output_mtok"] == pytest.approx(194 * 24 * 3.6 / 1000)
    assert figures["j_per_output_token_before_pue_at_full_use"] == pytest.approx(17.1)
    assert figures["kwh_per_day"] == pytest.approx(194 * 1.71 * 1.5 * 24)
    assert figures["households"] == pytest.approx(figures["kwh_per_day"] * 365 / 10_791)
    assert said(done.basis, "1,710 W", "2,565 W", "divided by 1.50", "n = 7", "1,425 to 2,052 W")
    # measured energy stands in a figure of its own
    assert figures["measured_j_per_output_token_before_pue"] == 8
    assert done.results == ["llama3.1-405b b200", "powered"]
    assert said(done.extrapolations, "another scale", "8", "194")


def test_serving_extrapolates_by_memory_bandwidth_and_bytes(database):
    # nearest in vendor, then bandwidth: for mi300x any is of another vendor; b200's 6,700 is nearer than h100's 3,350.
    done = serve(database, accelerator="mi300x")
    assert said(done.extrapolations, "another accelerator", "b200", "mi300x", "memory bandwidth")
    # no FP4 there: fp8 weights are twice the bytes to read
    assert done.inputs["weights"] == "fp8" and said(done.extrapolations, "number format", "0.5")
    assert done.figures["output_tokens_per_s_per_accelerator"] == pytest.approx(100 * 5300 / 6700 / 2)


def test_serving_another_model_by_its_parameters(database):
    done = serve(database, model="my own", params=202.925e9)
    assert done.figures["output_tokens_per_s_per_accelerator"] == pytest.approx(200)
    assert said(done.extrapolations, "another model", "llama3.1-405b")
    # not known is not none
    assert done.figures["kv_cache_gb"] is None and done.figures["kv_cache_bytes_per_token"] is None
    assert said(done.basis, "KV cache comes on top")


def test_a_dense_model_is_not_taken_from_a_mixture_of_experts(database):
    """DeepSeek-R1 has 37e9 active of 671e9 parameters, nearer to 32e9 than Llama 2 70B, whose all work."""
    done = serve(database, model="my own", params=32e9)
    assert done.inputs["benchmark_id"] == "llama2-70b-99.9"
    # its result does not state the format of its weights: fp16 is assumed for memory
    assert done.inputs["weights"] == "fp16" and done.figures["memory_gb"] == pytest.approx(64)
    assert done.figures["output_tokens_per_s_per_accelerator"] == pytest.approx(8000 * 68.98 / 32)


@pytest.mark.parametrize(
    ("run", "changes", "option", "allowed"),
    [
        (train, {"price": 1, "provider": "acme"}, "price and provider", "are"),
        (train, {"price": None, "pricing": "spot"}, "pricing", "nobody has a recent price of h100"),
        (train, {"price": None, "provider": "acme", "accelerator": "a100"}, "provider", "prices of nobody"),
        (train, {"price": None, "scenario": "hyperscaler"}, "scenario", "no ownership cost of h100"),
        (train, {"total_params": 1e9}, "total_params", "at least params"),
        (train, {"precision": "fp4"}, "precision", "(it has bf16, fp8)"),
        (train, {"layers": 126}, "layers", "all three or none"),
        (serve, {"tokens_per_day": None}, "tokens_per_day", "missing"),
        (serve, {"workload": "gpqa"}, "workload", "needs tokens_per_s_per_user"),
        (serve, {"model": "gpt-9"}, "model", "matches"),
        (serve, {"accelerator": "old"}, "accelerator", "Measured: b200, h100"),
        (serve, {"weights": "fp6"}, "weights", "fp8"),
    ],
)
def test_an_option_that_cannot_be_used_is_named_with_what_can(database, run, changes, option, allowed):
    with pytest.raises(QuestionError, match=f"{re.escape(option)}.*{re.escape(allowed)}"):
        run(database, **changes)


@pytest.mark.parametrize(
    ("run", "name", "allowed", "refused"),
    [
        (train, "params", (1e6, 1e15), (0, math.nan, math.inf)),
        (train, "pue", (1, 5), (0.99, 5.01, math.nan)),
        (train, "electricity", (0, 9), (-0.1, math.inf)),
        (serve, "utilisation", (0.1, 100), (0, 101)),
        (serve, "sequences", (1,), (0, -1)),
    ],
)
def test_a_number_outside_of_its_range_is_refused(database, run, name, allowed, refused):
    for value in allowed:
        run(database, **{name: value})
    for value in refused:
        with pytest.raises(QuestionError, match=f"^{name} is .*it must be"):
            run(database, **{name: value})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"params": 8e9}, "params cannot be combined with tokens_per_s_per_user"),
        ({"mlperf_scenario": "Offline", "capex": 30000.0}, "mlperf_scenario, capex cannot"),
        ({"price": 2}, "need accelerator"),
        ({}, "model is llama3.1-405b: no frontier was measured"),
    ],
)
def test_bad_options_of_a_measured_frontier_are_named(database, changes, words):
    options = {"model": "llama3.1-405b", "tokens_per_s_per_user": 25} | changes
    with pytest.raises(QuestionError, match=re.escape(words)):
        estimate_serving(**options, database=database)


def test_without_a_price_training_is_at_the_price_level_with_its_range(database):
    """2 (1.6 to 2.5) US$ an hour: the hours at each; with an own price there is one rental."""
    done = train(database, mfu=54, price=None)
    hours = done.figures["accelerator_hours"]
    ends = [done.figures[f"rental_usd{end}"] for end in ("", "_low", "_high")]
    assert ends == pytest.approx([hours * 2, hours * 1.6, hours * 2.5])
    assert done.figures["usd_per_trained_mtok_high"] == pytest.approx(hours * 2.5 / 15e6)
    assert said(done.basis, "price level of 4 sellers, $2 ($1.6 to $2.5)", "2026-11-01", "median (n 5) $2.2")
    # the range of the speed, 0.99 to 1.02 of the measured, widens that of the price
    measured = train(database, price=None).figures
    plain = train(database, price=2).figures
    for end, usd in (("_low", 1.6), ("_high", 2.5)):
        assert measured[f"rental_usd{end}"] == pytest.approx(plain[f"rental_usd{end}"] * usd / 2)


def test_without_a_price_serving_names_one_seller_and_its_range(database):
    done = serve(database, price=None)
    assert done.inputs["price_basis"] == "price level of one seller"
    usd = done.figures["usd_per_output_mtok"]
    assert usd == pytest.approx(serve(database, price=5).figures["usd_per_output_mtok"])
    assert done.figures["usd_per_output_mtok_low"] == pytest.approx(usd * 4 / 5)
    assert done.figures["uncertainty_basis"] == "one result; range of the price level of one seller"


def test_a_plain_median_is_named_and_never_chosen_before_a_price_level(database):
    """Per token MI300X at 0.3 is cheapest; b200 at 5 for 100 tokens/s beats h100 at 2 for 20."""
    alone = serve(database, price=None, accelerator="mi300x")
    assert alone.inputs["price_basis"] == "plain median of 5 sellers"
    assert said(alone.basis, "plain median of 5 sellers, $0.3", "no price level: nobody links it")
    assert alone.figures["usd_per_output_mtok_low"] is None
    cheapest = serve(database, price=None, accelerator=None)
    assert cheapest.inputs["accelerator"] == "b200" and said(cheapest.basis, "b200 is the cheapest per token")
