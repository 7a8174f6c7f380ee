"""What training estimates rest on and how wrong they were, by loops and numpy over the known speeds of the published file."""

import math
import random
from collections import Counter

import numpy as np
import pyarrow as pa
from pytest import approx

PEAKS = {"bf16": "bf16", "fp16": "bf16", "fp8": "fp8", "fp4": "fp4", "tf32": "tf32"}
KNOWN = "from intermediate.int_training__known_speeds"


def records(db, query):
    done = db.execute(query)
    names = [column[0] for column in done.description]
    return [dict(zip(names, row, strict=True)) for row in done.fetchall()]


def is_of_model(k, case):
    return all(abs(k[name] / case[name] - 1) <= 0.01 for name in ("active", "held"))


def estimate(case, known, wanted=None):
    """Return the class, tokens/s and known run of one case from what was known, in a wanted number format."""

    def newest(k):
        scale = abs(math.log(k["n"] / case["n"])) if k["n"] else math.inf
        release = [-part for part in k["release_order"]]
        return (
            scale,
            bool(k["is_round_incomplete"]),
            release,
            -k["tokens_per_s"],
            k["result_id"] or k["mfu_id"],
        )

    measured = [
        ((wanted not in (None, k["run_format"]), *newest(k)), k["tokens_per_s"], k)
        for k in known
        if k["result_id"]
        and k["accelerator_id"] == case["accelerator_id"]
        and is_of_model(k, case)
        and (wanted in (None, k["run_format"]) or f"of {wanted.upper()}" in (k["mfu_candidates"] or ""))
    ]
    carried = []
    for k in known:
        peak = case.get(f"{PEAKS.get(k['run_format'])}_dense_tflops")
        distance = abs(math.log(k["active"] / case["active"]))
        is_of_size = (k["held"] > k["active"]) == (case["held"] > case["active"]) and distance <= math.log(
            2.5
        )
        is_asked_for = wanted in (None, k["run_format"]) and (k["result_id"] or is_of_size)
        if k["mfu_pct"] is not None and peak is not None and is_asked_for:
            others = [k[name] != case[name] for name in ("chip_generation", "product_line", "vendor")]
            is_other_part = k["accelerator_id"] != case["accelerator_id"]
            order = (not is_of_size, k["run_format"] == "bf16", is_other_part, distance, *others, *newest(k))
            carried.append((order, k["mfu_pct"] / 100 * peak * 1e12 / case["run_flops"], k))
    if not measured + carried:
        return None
    _, speed, k = min(measured or carried, key=lambda candidate: candidate[0])
    return "measured" if measured else "carried", speed, k


def ends(errors, votes):
    """Return the 2.5 and 97.5 % quantiles, each group with one vote."""
    weights = np.array([1 / Counter(votes)[vote] for vote in votes])
    order = np.argsort(errors)
    middles = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    return np.exp(np.interp([0.025, 0.975], middles, np.array(errors)[order]))


KINDS = {
    "measured": lambda kind, has_mfu: kind == "measured",
    "carried": lambda kind, has_mfu: kind == "carried" and has_mfu,
    "carried to any maker": lambda kind, has_mfu: kind == "carried",
}


def judged(results, chosen):
    """Return cases, groups, both quantiles and the share inside of ranges made without the group of a case."""
    cases = {}
    for case in results:
        earlier = [k for k in results if k["release_order"] < case["release_order"]]
        others = [
            k
            for k in results
            if k["release_order"] <= case["release_order"] and k["submitter"] != case["submitter"]
        ]
        for known in (earlier, others):
            found = estimate(case, known)
            if found and chosen(found[0], case["does_maker_have_mfu"]):
                vote = tuple(
                    case[name] for name in ("benchmark_id", "accelerator_id", "release", "submitter")
                )
                error = math.log(case["tokens_per_s"] / found[1])
                cases[case["result_id"], round(error, 9)] = (vote, error)
    votes, errors = zip(*cases.values(), strict=True)
    inside = 0
    for vote in set(votes):
        rest = [i for i, other in enumerate(votes) if other != vote]
        low, high = ends([errors[i] for i in rest], [votes[i] for i in rest])
        inside += sum(low <= math.exp(e) <= high for v, e in zip(votes, errors, strict=True) if v == vote)
    return len(votes), len(set(votes)), *ends(errors, votes), 100 * inside / len(votes)


def test_ranges_of_training_estimates_are_how_far_past_ones_were_off(warehouse):
    results = records(warehouse, f"{KNOWN} where result_id is not null")
    for kind, chosen in KINDS.items():
        found = warehouse.execute(
            "select n_cases, n_groups, quantile_low, quantile_high, inside_pct "
            "from intermediate.int_calibration__training where case_kind = ?",
            [kind],
        ).fetchone()
        assert np.allclose(found, judged(results, chosen), rtol=1e-6)
        assert found[4] >= 85
    # as judged by hand when v5.1 was the newest round
    until = [result for result in results if result["release_order"] <= [5, 1]]
    cases, groups, *quantiles, _ = judged(until, KINDS["measured"])
    assert (cases, groups) == (77, 31) and np.allclose(quantiles, (0.71, 1.46), rtol=0.01)


def test_a_training_estimate_rests_on_the_nearest_known_run(warehouse):
    """Drawn runs in one query; which known run is nearest, and how far it is, by loops over all of them."""
    known = records(warehouse, KNOWN)
    parts = records(
        warehouse,
        "select d.*, regexp_replace(architecture, ' [A-Za-z]+$', '') as chip_generation, g.product_line "
        "from dim_accelerator as d left join seeds.spec_generations as g using (accelerator_id) "
        "where fp8_dense_tflops > 0 and accelerator_id in (select accelerator_id from fct_training_result) order by all",
    )
    models = records(
        warehouse,
        "select active_parameters as active, parameters as held, 6e0 * active + 12e0 * layers * hidden_size * "
        "training_sequence_length as run_flops from seeds.model_architectures where training_sequence_length > 0 order by all",
    )
    ranges = {
        row["case_kind"]: row for row in records(warehouse, "from intermediate.int_calibration__training")
    }
    chance, cases, nearest = random.Random("training"), [], []
    while len(cases) < 80:
        case = chance.choice(parts) | chance.choice(models) | {"number": len(cases)}
        case["n"] = chance.choice([8, 30, 64, 66, 512, 600, 2304, 8192, 100_000])
        case["wanted"] = chance.choice([None, None, "fp8", "bf16"])
        if found := estimate(case, known, case["wanted"]):
            cases.append(case)
            nearest.append(found)
    warehouse.register("asked", pa.Table.from_pylist(cases))
    answers = records(
        warehouse,
        "select a.* from asked as c, lateral estimate_training(c.active, 1e12, c.accelerator_id, c.n, price := 2, "
        "total_params := c.held, number_format := c.wanted) as a order by c.number",
    )
    for case, (_, speed, k), answer in zip(cases, nearest, answers, strict=True):
        is_of_part, is_same = k["accelerator_id"] == case["accelerator_id"], is_of_model(k, case)
        has_mfu = any(o["vendor"] == case["vendor"] and o["mfu_pct"] and o["result_id"] for o in known)
        is_measured = is_of_part and is_same and case["wanted"] in (None, k["run_format"])
        errors = ranges["measured" if is_measured else "carried" if has_mfu else "carried to any maker"]
        speeds = speed * errors["quantile_high"], speed, speed * errors["quantile_low"]
        days = [1e12 / tokens_per_s / case["n"] / 86400 for tokens_per_s in speeds]
        assert [answer[f"days{end}"] for end in ("_low", "", "_high")] == approx(days), case
        assert answer["rests_on"] == ([k["result_id"]] if k["result_id"] else []), case
        is_other_scale = abs((k["n"] or 0) / case["n"] - 1) > 0.1
        is_other = {"accelerator": not is_of_part, "model": not is_same, "scale": is_other_scale}
        assert {*answer["extrapolated"]} - {"format"} == {name for name in is_other if is_other[name]}, case
    assert {kind for kind, _, _ in nearest} == {"measured", "carried"}
