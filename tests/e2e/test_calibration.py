"""How wrong estimates were, counted once more with loops and numpy from the known speeds of the published file."""

import math
from collections import Counter

import numpy as np

PEAKS = {"bf16": "bf16", "fp16": "bf16", "fp8": "fp8", "fp4": "fp4", "tf32": "tf32"}


def estimate(case, known):
    """Return the class and tokens/s of one case from what was known."""
    measured = [
        k
        for k in known
        if k["accelerator_id"] == case["accelerator_id"] and abs(k["active"] / case["active"] - 1) < 0.01
    ]

    def newest(k):
        scale = abs(math.log(k["n"] / case["n"]))
        is_in_part = bool(k["is_round_incomplete"])
        return (scale, is_in_part, [-part for part in k["release_order"]], -k["tokens_per_s"], k["result_id"])

    if measured:
        return "measured", min(measured, key=newest)["tokens_per_s"]
    carried = []
    for k in known:
        peak = case.get(f"{PEAKS.get(k['run_format'])}_dense_tflops")
        if k["mfu_pct"] is not None and peak is not None:
            order = (
                abs(math.log(k["active"] / case["active"])) > math.log(2.5), k["run_format"] == "bf16",
                k["accelerator_id"] != case["accelerator_id"], abs(math.log(k["active"] / case["active"])),
                k["chip_generation"] != case["chip_generation"], k["product_line"] != case["product_line"], k["vendor"] != case["vendor"],
                *newest(k),
            )  # fmt: skip
            carried.append((order, k["mfu_pct"] / 100 * peak * 1e12 / case["run_flops"]))
    return ("carried", min(carried)[1]) if carried else None


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
    rows = warehouse.execute("from intermediate.int_training__known_speeds where result_id is not null")
    names = [column[0] for column in rows.description]
    results = [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
    for kind, chosen in KINDS.items():
        found = warehouse.execute(
            "select n_cases, n_groups, quantile_low, quantile_high, inside_pct from intermediate.int_calibration__training "
            "where case_kind = ?", [kind],
        ).fetchone()  # fmt: skip
        assert np.allclose(found, judged(results, chosen), rtol=1e-6)
        assert found[4] >= 85
    # as judged by hand when v5.1 was the newest round
    until = [result for result in results if result["release_order"] <= [5, 1]]
    cases, groups, *quantiles, _ = judged(until, KINDS["measured"])
    assert (cases, groups) == (77, 31) and np.allclose(quantiles, (0.71, 1.46), rtol=0.01)
