"""Price levels by the country-product dummy: least squares of ln(price) on accelerator and seller, one fit a day.

The method by which statistical offices compare the price levels of countries (Summers 1973; CPI Manual of ILO and
IMF): accelerators stand for products, sellers for countries, and a seller without an accelerator still says what it
would charge. Accelerators with HBM make the fit; the others take the factors of sellers from it.
"""

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

REFERENCE = "nvidia-h100-sxm-80gb"
FAR_RESIDUAL = 0.4
COLUMNS = (
    "as_of",
    "memory_group",
    "kind",
    "key",
    "ln_level",
    "ln_margin",
    "ln_seller_margin",
    "ln_relative",
    "ln_relative_margin",
    "n",
    "other_names",
    "n_observations",
    "n_sellers",
    "df",
    "residual_spread",
    "far",
)


def model(dbt, session):
    """Return one row per day and accelerator or seller (`kind`): logarithms of US$ an hour, margins of 95 %."""
    prices = (
        dbt.ref("int_price__seller_prices")
        .filter("is_in_level and pricing_model = 'on_demand'")
        .order("as_of, accelerator_id, provider")
        .df()
    )
    rows = []
    fitted = None
    for as_of, day in prices.groupby("as_of", sort=True):
        inputs = tuple(day.offer_id)
        if fitted is None or fitted[0] != inputs:
            fitted = inputs, fit_day(day)
        rows += [(as_of, *row) for row in fitted[1]]
    return pd.DataFrame(rows, columns=COLUMNS).astype(
        {"ln_seller_margin": float, "ln_relative": float, "ln_relative_margin": float, "far": object}
    )


def fit_day(day):
    """Fit accelerators with HBM, then place the others at the sellers of that fit.

    Args:
        day: `accelerator_id`, `provider`, `usd_per_accelerator_hour`, `segment` and `memory_group` of each price;
            each pair of accelerator and seller occurs once.

    Returns:
        Rows of `COLUMNS` from ``memory_group`` on.
    """
    has_hbm = day.memory_group == "hbm"
    inputs = ("accelerator_id", "provider", "usd_per_accelerator_hour")
    of_hbm = fit(*(day.loc[has_hbm, name] for name in inputs), day.segment[has_hbm] == "neocloud")
    factors = {key: ln_level for kind, key, ln_level, *_ in of_hbm if kind == "seller"}
    neoclouds = [
        factors[name] for name in day.provider[day.segment == "neocloud"].unique() if name in factors
    ]
    others = day[~has_hbm & day.provider.isin(factors.keys())]
    rows = [("hbm", *row) for row in of_hbm]
    rows += [("other", *row) for row in place(*(others[name] for name in inputs), factors, neoclouds)]
    return rows


def fit(accelerators, sellers, prices, is_neocloud):
    """Fit one day.

    Args:
        accelerators: of each observation, its accelerator.
        sellers: its seller; each pair of accelerator and seller occurs once.
        prices: US$ per accelerator-hour.
        is_neocloud: whether the seller is one: the mean of their effects is the scale.

    Returns:
        Rows of `COLUMNS` from ``kind`` on; none where no two sellers and accelerators are connected, or no neocloud
        is.
    """
    frame = pd.DataFrame(
        {"a": list(accelerators), "s": list(sellers), "y": np.log(list(prices)), "neo": list(is_neocloud)}
    )
    frame = _connected(frame)
    if frame.empty or not frame.neo.any():
        return []
    a, parts = pd.factorize(frame.a, sort=True)
    s, names = pd.factorize(frame.s, sort=True)
    neo = np.zeros(len(names), bool)
    neo[s] = frame.neo
    y = frame.y.to_numpy()
    reference = list(parts).index(REFERENCE) if REFERENCE in parts else None

    design = _design(a, s, len(parts), len(names))
    effects, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    contrasts = _contrasts(neo, len(parts), reference)
    levels = contrasts @ effects
    residuals = y - design @ effects
    df = len(y) - int(rank)
    spread = np.sqrt(residuals @ residuals / df) if df else np.nan
    classical = spread * np.sqrt(
        np.einsum("ij,jk,ik->i", contrasts, np.linalg.pinv(design.T @ design), contrasts)
    )
    jackknife = _jackknife(a, s, y, neo, len(parts), reference)
    margins = stdtrit(df, 0.975) * np.fmax(classical, jackknife) if df else np.full(len(levels), np.nan)
    margins[margins < 1e-9] = np.nan  # prices in the same proportion everywhere say nothing of their spread

    n_parts, n_names = len(parts), len(names)
    neoclouds = levels[n_parts : n_parts + n_names][neo]
    rows = []
    for kind, keys, codes, first in (("accelerator", parts, a, 0), ("seller", names, s, n_parts)):
        for i, key in enumerate(keys):
            relative = n_parts + n_names + i if kind == "accelerator" and reference is not None else None
            own = codes == i
            others = list((frame.s if kind == "accelerator" else frame.a)[own])
            margin = margins[first + i]
            level = key, levels[first + i], margin
            of_seller = _seller_margin(margin, neoclouds, spread) if kind == "accelerator" else np.nan
            against = (levels[relative], margins[relative]) if relative is not None else (np.nan, np.nan)
            basis = len(others), ", ".join(sorted(others)), len(y), n_names, df, spread
            rows.append((kind, *level, of_seller, *against, *basis, _far(others, residuals[own])))
    return rows


def place(accelerators, sellers, prices, factors, neoclouds):
    """Return the rows of accelerators outside of the fit: the mean over sellers of ln(price) less the seller's factor.

    Args:
        accelerators: of each observation, its accelerator.
        sellers: its seller; each has a factor.
        prices: US$ per accelerator-hour.
        factors: of each seller, its effect against an average neocloud in the fit of other accelerators.
        neoclouds: those of neoclouds.
    """
    frame = pd.DataFrame({"a": list(accelerators), "s": list(sellers), "y": np.log(list(prices))})
    if frame.empty:
        return []
    frame["y"] -= frame.s.map(factors)
    frame["residual"] = frame.y - frame.groupby("a").y.transform("mean")
    df = len(frame) - frame.a.nunique()
    spread = np.sqrt((frame.residual**2).sum() / df) if df else np.nan
    quantile = stdtrit(df, 0.975) if df else np.nan
    rows = []
    for key, own in frame.groupby("a", sort=True):
        margin = quantile * spread / np.sqrt(len(own))
        margin = margin if margin >= 1e-9 else np.nan
        level = own.y.mean(), margin, _seller_margin(margin, neoclouds, spread), np.nan, np.nan
        basis = len(own), ", ".join(sorted(own.s)), len(frame), frame.s.nunique(), df, spread
        rows.append(("accelerator", key, *level, *basis, _far(own.s, own.residual)))
    return rows


def _seller_margin(margin, neoclouds, spread):
    # a neocloud outside of the fit: margin of the level, difference between neoclouds, distance of a price from its fit
    if len(neoclouds) < 2:
        return np.nan
    quantile = stdtrit(len(neoclouds) - 1, 0.975)
    return np.sqrt(margin**2 + quantile**2 * (np.var(neoclouds, ddof=1) + spread**2))


def _far(others, residuals):
    listed = [
        f"{other} {residual:+.2f}"
        for other, residual in zip(others, residuals, strict=True)
        if abs(residual) > FAR_RESIDUAL
    ]
    return ", ".join(listed) or None


def _connected(frame):
    # sellers of one accelerator say nothing about the others: they go; then the largest component, of equal ones that
    # with more neoclouds, then the first by name
    frame = frame[frame.s.duplicated(keep=False)]
    if frame.empty:
        return frame
    a, parts = pd.factorize(frame.a, sort=True)
    s, names = pd.factorize(frame.s, sort=True)
    size = len(parts) + len(names)
    links = coo_array((np.ones(len(a)), (a, s + len(parts))), shape=(size, size))
    _, labels = connected_components(links, directed=False)
    _, chosen = min(
        ((-len(of), -of.s[of.neo].nunique(), of.a.min()), component)
        for component, of in frame.groupby(labels[a])
    )
    return frame[labels[a] == chosen]


def _design(a, s, n_parts, n_names):
    design = np.zeros((len(a), n_parts + n_names))
    design[np.arange(len(a)), a] = 1
    design[np.arange(len(a)), n_parts + s] = 1
    return design


def _contrasts(neo, n_parts, reference):
    # rows: levels at an average neocloud, factors of sellers against it, accelerators against the reference
    n_names = len(neo)
    mean = neo / neo.sum()
    levels = np.hstack([np.eye(n_parts), np.tile(mean, (n_parts, 1))])
    factors = np.hstack([np.zeros((n_names, n_parts)), np.eye(n_names) - mean])
    relatives = np.hstack([np.eye(n_parts), np.zeros((n_parts, n_names))])
    if reference is not None:
        relatives[:, reference] -= 1
    return np.vstack([levels, factors, relatives])


def _jackknife(a, s, y, neo, n_parts, reference):
    # standard errors from leaving one seller out at a time: sqrt((G - 1) / G * sum((theta_g - mean)^2))
    estimates = []
    for left_out in range(len(neo)):
        kept = s != left_out
        neo_kept = neo & (np.arange(len(neo)) != left_out)
        design = _design(a[kept], s[kept], n_parts, len(neo))
        has_part, has_name = design[:, :n_parts].any(axis=0), design[:, n_parts:].any(axis=0)
        effects, _, rank, _ = np.linalg.lstsq(design, y[kept], rcond=None)
        if rank != has_part.sum() + has_name.sum() - 1 or not neo_kept.any():
            continue
        levels = _contrasts(neo_kept, n_parts, reference) @ effects
        is_known = np.concatenate([has_part, has_name, has_part & (reference is None or has_part[reference])])
        estimates.append(np.where(is_known, levels, np.nan))
    if not estimates:
        return np.zeros(n_parts + len(neo) + n_parts)
    table = np.array(estimates)
    count = (~np.isnan(table)).sum(axis=0)
    mean = np.nansum(table, axis=0) / np.fmax(count, 1)
    return np.sqrt((count - 1).clip(0) / np.fmax(count, 1) * np.nansum((table - mean) ** 2, axis=0))
