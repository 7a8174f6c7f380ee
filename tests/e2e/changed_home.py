"""One installation whose published figures are altered in known ways, built once with accepted changes.

Absurd results are landed (test_physical_limits.py); the real command fails, because figures moved, and succeeds with
accepted changes (test_changes.py).
"""

from types import SimpleNamespace

import test_physical_limits
from home_copies import change_published, copy_home

from warehouse.publication.outcome import last_outcome
from warehouse.publication.pointer import publication
from warehouse.storage.home import Home

FIGURES = "intermediate.int_changes__figures"


def doctor(home):
    """Change one figure of each kind in the published generation, and return their subjects."""
    (
        ((corrected, correct),),
        ((ours,),),
        ((fresh,),),
        ((gone,),),
        ((changed, provider, accelerator, pricing),),
        ((new_offer,),),
        *_,
    ) = change_published(
        home,
        f"select subject, value from {FIGURES} where figure = 'result' and release = 'v5.1' order by subject limit 1",
        f"select subject from {FIGURES} where figure = 'result' and release = 'v4.0' order by subject limit 1",
        f"select subject from {FIGURES} where figure = 'result' and release = 'v5.1' order by subject limit 1 offset 1",
        f"select subject from {FIGURES} where figure = 'result' and release = 'v5.1' order by subject limit 1 offset 2",
        f"select subject, provider, accelerator_id, pricing_model from {FIGURES} where figure = 'hourly_price' "
        f"and accelerator_id in (select accelerator_id from {FIGURES} where relation = 'mart_price_current') "
        "and provider = 'aws' order by subject limit 1",
        f"select subject from {FIGURES} where figure = 'hourly_price' and provider = 'lambda' order by subject limit 1",
    )
    change_published(
        home,
        f"update {FIGURES} set value = value / 1.1, input_version = 'other words' where figure = 'result' and subject = '{corrected}'",
        f"update {FIGURES} set value = value * 2 where figure = 'result' and subject = '{ours}'",
        f"delete from {FIGURES} where subject = '{fresh}' and relation = 'fct_inference_result'",
        f"update {FIGURES} set subject = 'was here' where subject = '{gone}' and relation = 'fct_inference_result'",
        f"update {FIGURES} set value = value * 2, input_version = 'other words' where subject = '{changed}' and figure = 'hourly_price'",
        f"delete from {FIGURES} where subject = '{new_offer}' and figure = 'hourly_price'",
        f"""update {FIGURES} set value = value * 2 where figure = 'usd_per_accelerator_hour_min' and provider = '{provider}'
            and accelerator_id = '{accelerator}' and pricing_model = '{pricing}'""",
        f"update {FIGURES} set subject = 'a source that went' where role = 'source' and subject = 'rocm'",
        # a new payload of v5.1
        f"update {FIGURES} set input_version = 'other payloads' where role = 'input' and subject = 'inference/v5.1'",
        # blocking checks
        f"update {FIGURES} set value = value * 1.1 where figure = 'rows_of_release' and subject = 'v2.0'",
        f"update {FIGURES} set value = value * 100 where figure = 'offers_in_force' and subject = 'nebius'",
        f"update {FIGURES} set value = value * 2 where figure = 'rows' and subject = 'mart_energy'",
        f"update {FIGURES} set value = value * 1.5 where relation = 'mart_tco' and figure = 'usd_per_accelerator_hour'",
    )
    return {
        "corrected": corrected, "correct": correct, "ours": ours, "fresh": fresh, "gone": gone, "changed": changed,
        "new_offer": new_offer, "best": f"{accelerator}/{provider}/{pricing}",
    }  # fmt: skip


def operate_changed(accelmart, built_home, folder):
    """Fail and accept, on a copy of a built data root.

    Returns:
        `home`; `for_dagster` (a copy of it before the first build); `doctored` (subjects of altered figures); `before`
        (generation that was published); `failed` and `accepted` (outputs of the builds); `failure` (recorded outcome of
        the first); `after_failure` (the status after the failed build);
        `published_after_failure` (generation); `generation` (file of the accepted generation).
    """
    home = copy_home(built_home, folder / "home")
    place = Home(home, str(home / "landing"))
    doctored = doctor(home)
    before = publication(place).generation.generation_id
    test_physical_limits.land_absurd(home, folder)
    for_dagster = copy_home(home, folder / "for_dagster")
    failed = accelmart(home, "build", timeout=600)
    failure = last_outcome(place)
    published_after_failure = publication(place).generation.generation_id
    after_failure = accelmart(home, "status").stdout
    accepted = accelmart(home, "build", "--accept-changes", timeout=600)
    assert accepted.returncode == 0, accepted.stdout + accepted.stderr
    return SimpleNamespace(
        home=home, for_dagster=for_dagster, doctored=doctored, before=before, failed=failed, failure=failure,
        accepted=accepted, after_failure=after_failure, published_after_failure=published_after_failure,
        generation=publication(place).generation.path,
    )  # fmt: skip
