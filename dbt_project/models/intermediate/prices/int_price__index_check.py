"""The time-product dummy beside the chained index: least squares of ln(price) on month and offer, one fit a chain."""

import numpy as np
import pandas as pd

KEY = ["accelerator_id", "pricing_model"]
COLUMNS = [*KEY, "price_month", "ln_check"]


def model(dbt, session):
    """Return one row per month of a chain with a base: ln of prices relative to the base month."""
    panel = dbt.ref("int_price__index_panel").df()
    months = dbt.ref("int_price__index_months").df()
    months = months[months.base_month.notna()]
    rows = panel.merge(months[[*KEY, "price_month", "chain_from", "base_month"]], on=[*KEY, "price_month"])
    fits = [
        fit(of_chain).assign(accelerator_id=accelerator, pricing_model=pricing_model)
        for (accelerator, pricing_model, _), of_chain in rows.groupby([*KEY, "chain_from"], sort=True)
    ]
    return pd.concat(fits)[COLUMNS] if fits else pd.DataFrame(columns=COLUMNS).astype({"ln_check": float})


def fit(prices):
    """Return the effects of a chain's months, that of the base being zero.

    Args:
        prices: `price_month`, `base_month`, `what_is_sold` and `ln_usd` of each price of the chain.
    """
    month, names = pd.factorize(prices.price_month, sort=True)
    base = names.get_loc(prices.base_month.iloc[0])
    # effects of offers drop out of deviations from an offer's mean
    deviations = pd.DataFrame(np.eye(len(names))[month]).assign(y=prices.ln_usd.to_numpy())
    deviations -= deviations.groupby(prices.what_is_sold.to_numpy()).transform("mean")
    effects, *_ = np.linalg.lstsq(
        deviations.drop(columns="y").to_numpy(), deviations.y.to_numpy(), rcond=None
    )
    return pd.DataFrame({"price_month": names, "ln_check": effects - effects[base]})
