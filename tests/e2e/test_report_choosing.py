"""Pages of the report for choosing accelerators, in a headless browser, compared with SQL on the warehouse."""
# ruff: noqa: F811  fixtures of the other module are arguments here

import csv
import gzip
import io
import json
import random
from base64 import b64decode

import pytest
from test_report import CHROMIUM, address, browser, go, report, show  # noqa: F401

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")

H100, B200, GB200, GB300 = (
    "nvidia-h100-sxm-80gb",
    "nvidia-b200-sxm-180gb",
    "nvidia-gb200-186gb",
    "nvidia-gb300-288gb",
)


def table(page, selector):
    """Return a table as {row: {column: exact value or text}}."""
    cells = page.evaluate(
        """(selector) => [...document.querySelectorAll(`${selector} tbody tr`)].map((row) => [row.dataset.row,
            Object.fromEntries([...row.children].map((cell) => [cell.dataset.key,
                cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value)]))])""",
        selector,
    )
    return dict(cells)


def saved(page, figure, form="csv"):
    with page.expect_download() as waiting:
        page.click(f"{figure} [data-save={form}]")
    return waiting.value.path().read_text(encoding="utf-8-sig")


def test_the_embedded_data_equal_the_data_sets(report, built_home):
    from warehouse.report import datasets

    block = report.read_text(encoding="utf-8").split('id="data">')[1].split("</script>")[0]
    assert not set(block) - set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    plain = json.loads(gzip.decompress(b64decode(block)))
    assert plain == json.loads(json.dumps(datasets.read(built_home / "accelmart.duckdb")))


# --- within a budget --------------------------------------------------------------------------------------------------


def test_options_equal_the_macro_for_60_random_questions(show, warehouse):
    chance = random.Random(20261122)
    models = [
        m
        for (m,) in warehouse.execute(
            "select distinct benchmark_id from mart_token_throughput where scenario = 'Server' order by 1"
        ).fetchall()
    ]
    owners = [
        s for (s,) in warehouse.execute("select distinct scenario_id from mart_tco order by 1").fetchall()
    ]
    parts = [
        a
        for (a,) in warehouse.execute(
            "select distinct accelerator_id from mart_tco inner join mart_token_throughput using (accelerator_id) order by 1"
        ).fetchall()
    ]
    countries = [
        c
        for (c,) in warehouse.execute(
            "select distinct country from price_on(newest_price_day()) "
            "where pricing_model = 'on_demand' and country is not null order by 1"
        ).fetchall()
    ]
    page = show("#/choose")
    page.evaluate("window.vegaEmbed = async () => ({ view: { addEventListener() {} }, finalize() {} })")
    compared = ranked = 0
    for _ in range(60):
        question = {
            "benchmark": chance.choice(models),
            "mtokens": chance.choice([1, 30, 100, 900]),
            "budget": chance.choice([30_000, 400_000, 1_000_000, 20_000_000]),
            "months": chance.choice([1, 12, 36]),
            "utilisation": chance.choice([40, 60, 100]),
            "owner": chance.choice(owners),
            "country": chance.choice(["any", "any", *countries]),
            "maxTtft": chance.choice([None, None, 1500, 4000]),
            "maxJ": chance.choice([None, None, 0.5, 20]),
            "have": chance.choice(["none", *parts]),
            "haveCount": chance.choice([1, 8, 64]),
        }
        go(page, address("choose", **question))
        displayed = table(page, "#fig-choose") | table(page, "#fig-not-recommended")
        have = None if question["have"] == "none" else question["have"]
        rows = warehouse.execute(
            """
            select accelerator_id || '|' || how, rank, accelerators, cost_usd, cost_usd_low, cost_usd_high, paid_usd,
                usd_per_output_mtok, j_per_output_token_modelled, j_per_output_token_measured, energy_kwh, ttft_ms_p99,
                n_sellers, size_note, n_sellers_of_level, cost_usd_cheapest, result_id, reason
            from choose(
                $benchmark, $tokens, $budget, months := $months, utilisation := $utilisation, owner := $owner,
                region := $region, max_ttft_ms := $ttft, max_j_per_token := $joules, have_accelerator := $have,
                have_count := $count
            )
            """,
            {
                "benchmark": question["benchmark"],
                "tokens": question["mtokens"] * 1e6,
                "budget": question["budget"],
                "months": question["months"],
                "utilisation": question["utilisation"],
                "owner": question["owner"],
                "region": None if question["country"] == "any" else question["country"],
                "ttft": question["maxTtft"],
                "joules": question["maxJ"],
                "have": have,
                "count": question["haveCount"] if have else None,
            },
        ).fetchall()
        assert displayed.keys() == {row[0] for row in rows}, question
        order = [row for row in displayed if "reason" not in displayed[row]]
        assert order == [row[0] for row in rows if row[1] is not None], str(question)
        for key, rank, *figures, result, reason in rows:
            shown = displayed[key]
            names = ["accelerators", "cost_usd", "cost_usd_low", "cost_usd_high", "paid_usd"]
            names += [
                "usd_per_output_mtok",
                "j_modelled",
                "j_measured",
                "energy_kwh",
                "ttft_ms_p99",
                "n_sellers",
                "size_note",
                "n_sellers_of_level",
                "cost_usd_cheapest",
            ]
            for name, value in zip(names, figures, strict=True):
                # a dash marks a value that does not apply
                if name in shown and not (name == "n_sellers" and not value):
                    expected = "–" if value is None else pytest.approx(value, rel=1e-9)
                    assert shown[name] == expected, (question, key, name)
            if rank is None:
                # the page words its own sentences about prices
                assert shown["reason"].split("; ")[-1] == reason.split("; ")[-1] or "price" in reason, (
                    question
                )
                assert ("budget" in shown["reason"]) == ("budget" in reason), (question, key)
            else:
                ranked += 1
                assert shown["result_id"] == result
            compared += 1
    assert compared > 600 and ranked > 60


def test_a_question_without_an_answer_shows_the_reason(show):
    page = show("#/choose?budget=1000")
    assert "No option holds the model" in page.inner_text("#fig-choose")
    below = table(page, "#fig-not-recommended")
    assert len(below) >= 12 and all(row["reason"] for row in below.values())


# --- own or rent ------------------------------------------------------------------------------------------------------


def test_ways_over_months_equal_the_macro_for_40_random_questions(show, warehouse):
    chance = random.Random(20261125)
    cells = warehouse.execute(
        "select distinct accelerator_id, scenario_id from mart_build_vs_rent order by all"
    ).fetchall()
    page = show("#/rent-or-own")
    page.evaluate("window.vegaEmbed = async () => ({ view: { addEventListener() {} }, finalize() {} })")
    standings, compared = set(), 0
    for _ in range(40):
        part, owner = chance.choice(cells)
        question = {
            "accelerator": part,
            "owner": owner,
            "gpus": chance.choice([1, 8, 64, 75, 1000]),
            "months": chance.choice([1, 6, 18, 36, 40, 120]),
            "utilisation": chance.choice([5, 60, 100]),
            "capex": chance.choice([None, None, 41234]),
            "running": chance.choice([None, None, 0.77]),
            "interest": chance.choice([None, None, 0, 9.5]),
            "residual": chance.choice([None, None, 0, 33]),
            "rent": chance.choice([None, None, 2.345]),
        }
        go(page, address("rent-or-own", **question))
        displayed = table(page, "#fig-rent-or-own")
        names = ["usd", "usd_low", "usd_high", "accelerators", "months_paid", "usd_per_accelerator_hour"]
        names += [
            f"{figure}{end}"
            for figure in ("months_to_break_even", "break_even_utilisation_pct")
            for end in ("", "_low", "_high")
        ]
        rows = warehouse.execute(
            f"""
            select option, standing, {", ".join(names)}
            from rent_or_own(
                $accelerator, $gpus, $months, utilisation := $utilisation, scenario := $owner,
                price_each := $capex, running_usd_per_hour := $running, interest_pct := $interest,
                residual_pct := $residual, rent_usd_per_hour := $rent
            )
            """,
            question,
        ).fetchall()
        assert [*displayed] == [row[0] for row in rows], question
        for option, standing, *figures in rows:
            shown = displayed[option]
            assert shown["standing"] == (standing or "–"), (question, option)
            standings.add(standing)
            for name, value in zip(names, figures, strict=True):
                expected = pytest.approx(value, rel=1e-8) if value is not None else shown[name]
                assert shown[name] == expected, (question, option, name)
                assert value is not None or not isinstance(shown[name], float | int), (question, option, name)
                compared += value is not None
    assert compared > 1000 and standings >= {"cheapest", "more expensive", "no order", "no range"}


# --- side by side -----------------------------------------------------------------------------------------------------


def test_two_parts_equal_the_macro_compare(show, warehouse):
    page = show(f"#/side-by-side?a={H100}&b={B200}")
    displayed = table(page, "#fig-side-by-side")
    rows = warehouse.execute(
        """
        select item, unit, if(release_a = release_b, release_a, release_a || ' / ' || release_b), value_a, value_b
        from compare($a, $b)
        where topic = 'inference'
        """,
        {"a": H100, "b": B200},
    ).fetchall()
    for item, unit, release, value_a, value_b in rows:
        shown = displayed[f"Inference|{item}|{unit}"]
        assert shown["release"] == release, item
        assert (shown[H100], shown[B200]) == pytest.approx((value_a, value_b)), item
        assert shown[f"ratio_{B200}"] == pytest.approx(value_b / value_a), item
    assert len(rows) >= 8 and len(rows) == sum(key.startswith("Inference|") for key in displayed)
    # training at systems of similar size: the largest common size in the newest round
    trained = warehouse.execute(
        """
        with sized as (
            select benchmark_id, release, accelerator_id, round(log2(accelerator_count)) as size,
                max(trained_tokens_per_s_per_accelerator) as best
            from fct_training_result
            where division = 'closed' and score_minutes is not null and trained_tokens_per_s_per_accelerator > 0
            group by all
        )
        select x.benchmark_id, x.release, x.best, y.best from sized as x
        inner join sized as y using (benchmark_id, release, size)
        where x.accelerator_id = $a and y.accelerator_id = $b
        qualify row_number() over (
            partition by x.benchmark_id order by string_split(ltrim(x.release, 'v'), '.')::integer[] desc, size desc
        ) = 1
        """,
        {"a": H100, "b": B200},
    ).fetchall()
    for benchmark, release, value_a, value_b in trained:
        shown = displayed[f"Training|{benchmark}|trained tokens/s per accelerator"]
        assert shown["release"] == release, benchmark
        assert (shown[H100], shown[B200]) == pytest.approx((value_a, value_b)), benchmark
    assert trained and len(trained) == sum(key.startswith("Training|") for key in displayed)
    # figures of different number formats name the format
    texts = page.locator(
        f"#fig-side-by-side tr[data-row^='Inference|llama2-70b-99 Server'] td[data-key='{H100}']"
    )
    assert "(fp8)" in texts.inner_text()


def test_three_parts_are_compared_at_one_price_level_and_in_one_round(show, warehouse):
    page = show(f"#/side-by-side?a={H100}&b={GB200}&c={GB300}&owner=hyperscaler")
    displayed = table(page, "#fig-side-by-side")
    parts = [H100, GB200, GB300]
    levels = warehouse.execute(
        """
        select price_level, map(list(accelerator_id), list(usd_per_accelerator_hour)) from mart_tco
        where scenario_id = 'hyperscaler' and list_contains(?, accelerator_id) group by 1
        having count(*) = 3 order by 1 desc limit 1
        """,
        [parts],
    ).fetchone()
    owned = displayed["Ownership, hyperscaler|Cost of an hour|US$ per accelerator-hour"]
    assert owned["release"] == f"prices of {levels[0]}"
    assert {part: owned[part] for part in parts} == pytest.approx(dict(levels[1]))
    for part in parts:
        level, cheapest, middle = warehouse.execute(
            "select usd_per_accelerator_hour, usd_cheapest, usd_median_plain from price_level(?)", [part]
        ).fetchone()
        for what, usd in (
            ("Price level", level),
            ("Cheapest offer", cheapest),
            ("Plain median of sellers", middle),
        ):
            rent = displayed[f"Rent, on demand|{what}|US$ per accelerator-hour"]
            assert rent[part] == pytest.approx(usd), what
    # the table begins with what the sellers of both ask: of an hour, and of a token at the speeds shown below
    same = {H100: 1.0} | dict(
        warehouse.execute(
            "select accelerator_id, ratio_median from mart_same_seller_ratio "
            "where other_accelerator_id = ? and pricing_model = 'on_demand' and list_contains(?, accelerator_id)",
            [H100, parts],
        ).fetchall()
    )
    topic, unit = "At the same sellers, on demand", "times H100 SXM5 80GB"
    assert next(iter(displayed)) == f"{topic}|An hour|{unit}"
    assert {part: displayed[f"{topic}|An hour|{unit}"][part] for part in parts} == pytest.approx(same)
    speed = displayed["Inference|llama3.1-405b Server|tokens/s per accelerator"]
    token = displayed[f"{topic}|A token of llama3.1-405b Server|{unit}"]
    assert {part: token[part] for part in parts} == pytest.approx(
        {part: same[part] * speed[H100] / speed[part] for part in parts}
    )
    memory = warehouse.execute(
        "select accelerator_id, memory_gb from dim_accelerator where list_contains(?, accelerator_id)",
        [parts],
    ).fetchall()
    assert {part: displayed["Specification|Memory|GB"][part] for part in parts} == dict(memory)
    joules = dict(
        warehouse.execute(
            """
            select accelerator_id, min(j_per_output_token_modelled) from mart_energy
            where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and release = 'v5.1' and division = 'closed'
                and variant = 'standard' and not is_derived and suite = 'datacenter' and list_contains(?, accelerator_id)
            group by 1
            """,
            [parts],
        ).fetchall()
    )
    energy = displayed["Energy, modelled|llama3.1-405b Server|J per output token, with PUE"]
    assert energy["release"] == "v5.1" and {part: energy[part] for part in parts} == pytest.approx(joules)
    gains = dict(
        warehouse.execute(
            "select accelerator_id, median(gain_ratio) from mart_software_progress where suite_kind = 'inference' "
            "and list_contains(?, accelerator_id) group by 1",
            [parts],
        ).fetchall()
    )
    progress = displayed["Progress of software|Median gain from a round to the next, inference|times"]
    assert {part: progress[part] for part in gains} == pytest.approx(gains)


def test_the_same_part_twice_shows_a_message(show):
    page = show(f"#/side-by-side?a={H100}&b={H100}")
    assert "Choose two different accelerators" in page.inner_text("#fig-side-by-side")


# --- offers -----------------------------------------------------------------------------------------------------------


def test_all_offers_can_be_searched_and_filtered(show, warehouse):
    page = show("#/offers")
    ((offers, comparable),) = warehouse.execute(
        """
        select count(*), count(*) filter (is_comparable) from (
            from fct_price_interval qualify row_number() over (partition by offer_id order by valid_from desc) = 1
        )
        """
    ).fetchall()
    listed = list(csv.DictReader(io.StringIO(saved(page, "#fig-offers"))))
    assert (
        len(listed) == offers and sum(row["is_comparable"] == "true" for row in listed) == comparable < offers
    )
    assert all(row["exclusion_reason"] for row in listed if row["is_comparable"] == "false")
    for chosen, condition in (
        (
            {"accelerator": H100, "pricing": "on_demand"},
            f"accelerator_id = '{H100}' and pricing_model = 'on_demand'",
        ),
        ({"seller": "aws", "country": "US"}, "provider = 'aws' and country = 'US'"),
        ({"comparable": "no"}, "not is_comparable"),
        (
            {"state": "in-force", "source": "aws-price-list"},
            "valid_to is null and source = 'aws-price-list'",
        ),
    ):
        expected = {
            offer
            for (offer,) in warehouse.execute(
                f"""
                select offer_id from (
                    from fct_price_interval qualify row_number() over (partition by offer_id order by valid_from desc) = 1
                ) where {condition}
                """
            ).fetchall()
        }
        go(page, address("offers", **chosen))
        shown = set(table(page, "#view"))
        assert expected and shown <= expected and len(shown) == min(500, len(expected)), chosen


def test_search_matches_words_in_any_order(show, warehouse):
    page = show("#/offers")
    page.fill("#choose-find", "H100 aws")
    page.evaluate("new Promise((done) => addEventListener('hashchange', done, { once: true }))")
    shown = table(page, "#view")
    expected = warehouse.execute(
        """
        select distinct offer_id from (
            from fct_price_interval qualify row_number() over (partition by offer_id order by valid_from desc) = 1
        ) as o left join dim_accelerator as a using (accelerator_id) left join dim_provider as p using (provider),
        lateral (select lower(concat_ws(
            ' ', accelerator_id, a.product_name, accelerator_published, provider, p.provider_name, instance_type, variant,
            region, o.country, pricing_model, operating_system, exclusion_reason, o.source, offer_id
        )) as words)
        where contains(words, 'h100') and contains(words, 'aws')
        """
    ).fetchall()
    assert len(expected) > 10 and set(shown) == {offer for (offer,) in expected}
    assert page.evaluate("document.activeElement.id") == "choose-find"
    go(page, "#/offers?find=aws h100".replace(" ", "%20"))
    assert table(page, "#view").keys() == shown.keys()
    go(page, "#/offers?find=nothing-is-called-this")
    assert "No offer fits these choices" in page.inner_text("#view")
