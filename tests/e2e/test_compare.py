"""`accelmart compare` and `accelmart evidence` on the warehouse built from real data."""

import json
import math
from itertools import combinations
from statistics import stdev

import pandas as pd
import pytest

import accelmart as reader


@pytest.fixture(scope="module")
def opened(built_home):
    with reader.connect(built_home) as warehouse:
        yield warehouse


def test_every_evidence_of_a_comparison_can_be_looked_up(opened):
    kinds = {}
    for row in opened.compare("B200", "H100").records():
        topics = ("inference", "training", "rent", "energy, modelled", "energy, measured")
        # a price level whose prices are all older than the cheapest may be names no offer
        if row["topic"] in topics and row["evidence_a"]:
            kinds[row["topic"]] = opened.evidence(row["evidence_a"]).kind
    assert kinds["inference"] == kinds["energy, modelled"] == "inference_result"
    assert kinds["training"] == "training_result" and kinds["rent"] == "price"


# topics in which the value of an accelerator does not depend on the other one
OF_ONE = {"specification", "inference", "rent", "rented, on demand", "cost of a task, rented", "ownership"}


def test_ratios_are_those_of_the_values_and_transitive(opened):
    ratios = {}
    for pair in combinations(("B200", "H100", "MI300X"), 2):
        rows = [
            row for row in opened.compare(*pair).records() if row["a_to_b"] is not None and row["value_b"]
        ]
        for row in rows:
            assert row["a_to_b"] == pytest.approx(row["value_a"] / row["value_b"], rel=1e-9), row
        ratios[pair] = {(r["topic"], r["item"], r["unit"]): r["a_to_b"] for r in rows if r["topic"] in OF_ONE}
    first, whole, second = ratios.values()
    shared = first.keys() & second.keys() & whole.keys()
    assert {topic for topic, *_ in shared} == OF_ONE
    for key in shared:
        assert first[key] * second[key] == pytest.approx(whole[key], rel=1e-9), key


def test_a_result_is_cited_as_mlcommons_asks(opened):
    row = opened.rows("from fct_inference_result where submission_id = '5.1-0001' limit 1")[0]
    basis = opened.evidence(row["result_id"])
    for word in (
        "MLPerf v5.1 Inference",
        row["submitter"],
        row["system_name"],
        row["source_url"],
        "entry 5.1-0001",
    ):
        assert word in basis.citation, word
    assert "trademarks of MLCommons" in basis.citation
    assert "official MLPerf result" in basis.standing and "Not verified by MLCommons" in basis.standing
    assert basis.licence == "Apache-2.0" and basis.record == row


def test_evidence_says_whether_an_answer_is_an_official_result(opened, accelmart, built_home):
    (offer,) = opened.words("select best_offer_id from mart_price_current order by all limit 1")
    price = opened.evidence(offer)
    assert price.kind == "price" and "not a quote of today" in price.standing
    assert price.record["source"] in price.citation
    done = accelmart(built_home, "evidence", "C004")
    assert "SemiAnalysis" in done.stdout and "not verified by MLCommons" in done.stdout, done.stderr
    assert json.loads(accelmart(built_home, "evidence", "C004", "--json").stdout)["kind"] == "claim"
    done = accelmart(built_home, "evidence", "x")
    assert done.returncode == 1 and "nothing has the id" in done.stderr


def test_a_ratio_of_ownership_costs_shares_its_inputs_and_errs_by_the_capital_of_one_part(warehouse):
    """By hand from mart_tco: the standard deviation of ln(paid ÷ implied) over parts, by the share of capital in both costs."""
    rows = warehouse.execute(
        "select accelerator_id, capex_basis, price_level, capex_usd_per_accelerator, usd_per_accelerator_hour, "
        "capital_usd_per_accelerator_hour + maintenance_usd_per_accelerator_hour, usd_per_accelerator_hour_on_basis_low, "
        "usd_per_accelerator_hour_on_basis_high from mart_tco where scenario_id = 'emerging_neocloud' order by price_level"
    ).fetchall()
    newest = {(part, basis): capex for part, basis, _, capex, *_ in rows}
    paid = [
        math.log(capex / newest[part, "implied_by_rate"])
        for (part, basis), capex in newest.items()
        if basis == "observed_purchase" and (part, "implied_by_rate") in newest
    ]
    assert len(paid) >= 5 and 0.1 < stdev(paid) < 0.25
    costs = {(part, basis, month): values for part, basis, month, _, *values in rows}
    basis, month = "implied_by_rate", "2026-07"
    b300, b200 = costs["nvidia-b300-sxm-270gb", basis, month], costs["nvidia-b200-sxm-180gb", basis, month]
    ratio = b300[0] / b200[0]
    error = math.exp(1.96 * stdev(paid) * math.hypot(b300[1] / b300[0], b200[1] / b200[0]))
    ends = sorted((b300[2] / b200[2], b300[3] / b200[3]))
    found = warehouse.execute(
        "select tco_ratio, tco_ratio_at_equal_inputs_low, tco_ratio_at_equal_inputs_high, tco_ratio_low, tco_ratio_high "
        "from mart_tco_ratio where scenario_id = 'emerging_neocloud' and accelerator_id = 'nvidia-b300-sxm-270gb' "
        "and baseline_accelerator_id = 'nvidia-b200-sxm-180gb' and capex_basis = ? and price_level = ?",
        [basis, month],
    ).fetchone()
    assert found == pytest.approx((ratio, *ends, ratio / error, ratio * error))
    # on the inputs of 2026-10-24: 1.28, at equal inputs 1.27 to 1.29, .91 to 1.81
    assert found == pytest.approx((1.28, 1.27, 1.29, 0.91, 1.81), rel=0.04)


def test_what_was_measured_on_both_by_pandas(warehouse):
    """Training: of both the best available result at the smallest class of sizes, of the newest version of the task."""
    results = warehouse.execute(
        """
        select *, coalesce(trained_tokens_per_s_per_accelerator, samples_per_s / accelerator_count) as throughput,
            if(trained_tokens_per_s_per_accelerator is null, 'samples/s', 'tokens/s') || ' per accelerator' as unit,
            concat_ws(', ', number_format, accelerator_count || ' accelerators') as detail
        from fct_training_result
        where division = 'closed' and availability = 'available' and score_minutes > 0 and accelerator_count > 0 and is_peer_outlier is not true
        """
    ).df()
    results["size"] = results.accelerator_count.map(lambda n: round(math.log2(n)))
    task = ["benchmark_id", "benchmark_version", "unit", "size"]
    best = results.sort_values(["throughput", "result_id"], ascending=[False, True]).drop_duplicates(
        [*task, "accelerator_id"]
    )
    of_a, of_b = (
        best[best.accelerator_id == part] for part in ("nvidia-b200-sxm-180gb", "nvidia-h100-sxm-80gb")
    )
    both = of_a.merge(of_b, on=task, suffixes=("_a", "_b")).sort_values(
        ["benchmark_version", "size"], ascending=[False, True]
    )
    values = [
        "item",
        "unit",
        *(f"{name}_{side}" for name in ("value", "detail", "evidence") for side in "ab"),
    ]
    expected = both.drop_duplicates(["benchmark_id", "unit"]).rename(
        columns={"benchmark_id": "item"}
        | {
            f"{old}_{side}": f"{new}_{side}"
            for old, new in (("throughput", "value"), ("result_id", "evidence"))
            for side in "ab"
        }
    )
    rows = warehouse.execute("from compare('B200', 'H100')").df()
    found = rows[rows.topic == "training"]
    assert len(found) > 4
    pd.testing.assert_frame_equal(
        *(table[values].sort_values(["item", "unit"], ignore_index=True) for table in (found, expected)),
        check_dtype=False,
    )
    # one row an item, and a note where medians of the newest round say something else
    assert not rows.duplicated(["topic", "item", "unit"]).any()
    differ = (rows.a_to_b / rows.a_to_b_of_medians - 1).abs() > 0.1
    assert (rows.medians_note.notna() == differ).all()


# official minutes of results_summary of MLPerf Training v4.0 to v5.0, accelerators, samples (gpt3: tokens) to the target; Google's list
# prices of 2024-12-23 and later (US regions): 4.20 US$ a chip-hour of v5p, 2.70 of v6e
TPU_TRAINING = [
    ("google-tpu-v5p", "gpt3", 512, 114.79388333, 1207959552, "v4.0", 4.20),
    ("google-tpu-v5p", "gpt3", 2048, 29.61635, 1308622848, "v4.1", 4.20),
    ("google-tpu-v5p", "stable_diffusion", 8, 49.67663125, 2048000, "v4.1", 4.20),
    ("google-tpu-v6e", "gpt3", 512, 102.07948333, 1207959552, "v4.1", 2.70),
    ("google-tpu-v6e", "stable_diffusion", 256, 4.44359693, 2560000, "v5.0", 2.70),
]


@pytest.mark.parametrize(("part", "benchmark", "count", "minutes", "work", "release", "usd"), TPU_TRAINING)
def test_training_on_tpus_costs_official_hours_at_list_prices(
    warehouse, part, benchmark, count, minutes, work, release, usd
):
    row = (
        warehouse.execute(
            "from alternatives('TPU') where accelerator_id = $1 and task like $2 || ' %' and accelerator_count = $3",
            [part, benchmark, count],
        )
        .df()
        .iloc[0]
    )
    hours = minutes * count / 60
    assert (row.release, row.only_seller, row.hours_per_task) == (
        release,
        "gcp",
        pytest.approx(hours, rel=1e-6),
    )
    assert row.usd_per_task == pytest.approx(hours * usd, rel=1e-6) and row.usd_per_task_low == pytest.approx(
        row.usd_per_task, rel=1e-6
    )
    # runs that needed scaling by the reference's convergence have fewer samples than the score stands for
    assert row.throughput_per_accelerator == pytest.approx(work / (minutes * 60 * count), rel=0.08)
    assert (
        "day not known: after 2024-12-23" in row.rent_basis
        and "one seller" in row.caveats
        and "no purchase price" in row.caveats
    )
    preview = part == "google-tpu-v6e" and benchmark == "gpt3"
    assert pd.isna(row.place) == preview and ("preview" in row.caveats) == preview


def test_the_lowest_is_compared_with_the_next_and_each_other_with_the_lowest(warehouse):
    """The main task is the size at which most accelerators were measured: four at 512, 1024 and 4096, seven at 64."""
    rows = warehouse.execute("from alternatives('TPU v5p') order by task, place").df()
    assert {*rows.task[rows.is_main]} == {
        "gpt3 on about 512 accelerators",
        "stable_diffusion on about 64 accelerators",
    }
    for _, of_task in rows[rows.verdict.notna()].groupby("task"):
        lowest, following, *_ = of_task.accelerator_id
        others = [following, *[lowest] * (len(of_task) - 1)]
        assert [verdict.split()[-1] for verdict in of_task.verdict] == others


def test_of_a_tpu_and_a_gpu_a_task_is_compared_and_each_price_is_of_its_kind(opened, warehouse):
    known = ", ".join(f"google-tpu-v{n}" for n in ("2", "3", "4", "5e", "5p", "6e"))
    assert opened.alternatives("TPU").notes == (f"TPU is read as {known}",)
    with pytest.raises(reader.QuestionError, match="no other accelerator was measured at a task of RTX 5090"):
        opened.alternatives("RTX 5090")
    rows = {
        row["item"]: row
        for row in opened.compare("TPU v5p", "H100").records()
        if row["topic"] == "cost of a task, rented"
    }
    row = rows["stable_diffusion on about 8 accelerators"]
    assert (
        row["unit"] == "USD to the target"
        and "list price of gcp" in row["detail_a"]
        and "price level" in row["detail_b"]
    )
    hours, level = warehouse.execute(
        "select accelerator_hours, usd_per_accelerator_hour from fct_training_result, price_level('H100') where result_id = $1",
        [row["evidence_b"]],
    ).fetchone()
    assert row["value_b"] == pytest.approx(hours * level)
