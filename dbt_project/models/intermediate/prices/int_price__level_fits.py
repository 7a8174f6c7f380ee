"""Price levels by the country-product dummy: least squares of ln(price) on accelerator and seller, one fit a day.

The method by which statistical offices compare the price levels of countries (Summers 1973; CPI Manual of ILO and
IMF): accelerators stand for products, sellers for countries, and a seller without an accelerator still says what it
would charge. Accelerators with HBM make the fit; the others take the factors of sellers from it.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

REFERENCE = "nvidia-h100-sxm-80gb"
FAR_RESIDUAL = 0.4
NUMBERS = (
    "ln_level",
    "ln_margin",
    "ln_seller_margin",
    "ln_relative",
    "ln_relative_margin",
    "residual_spread",
    "ln_error",
)
COUNTS = ("n", "n_observations", "n_sellers", "df")
TEXTS = ("memory_group", "kind", "key", "other_names", "far")


class Prices(NamedTuple):
    """Prices of a day as arrays; each pair of accelerator and seller occurs once."""

    a: np.ndarray  # accelerator
    s: np.ndarray  # seller
    y: np.ndarray  # ln of US$ per accelerator-hour
    neo: np.ndarray  # whether the seller is a neocloud
    is_hbm: np.ndarray  # whether the accelerator has HBM

    def where(self, condition):
        """Return the prices that a condition is true of."""
        return Prices(*(column[condition] for column in self))


def model(dbt, session):
    """Return one row per day and accelerator or seller (`kind`): logarithms of US$ an hour, margins of 95 %.

    Rows of kind ``pair`` and ``newcomer`` are held-out prices of an accelerator (`key`) at a seller (`other_names`):
    its estimate from the other prices of the day, or from those of other sellers, and its distance (`ln_error`).
    """
    prices = (
        dbt.ref("int_price__seller_prices")
        .filter("is_in_level and pricing_model = 'on_demand'")
        .order("as_of, accelerator_id, provider")
        .df()
    )
    rows = []
    inputs = fitted = None
    newest = prices.as_of.max()
    for as_of, of_day in prices.groupby("as_of", sort=True):
        day = Prices(
            of_day.accelerator_id.to_numpy(object),
            of_day.provider.to_numpy(object),
            np.log(of_day.usd_per_accelerator_hour.to_numpy()),
            (of_day.segment == "neocloud").to_numpy(bool),
            (of_day.memory_group == "hbm").to_numpy(bool),
        )
        if (of_inputs := (*of_day.offer_id, *day.y)) != inputs:
            inputs, fitted = of_inputs, fit_day(day)
        of_date = list(fitted)
        if as_of == newest or (as_of.day == 1 and as_of > newest - pd.DateOffset(months=12)):
            of_date += newcomers(day)
        if as_of == newest:
            of_date += pairs(day)
        rows += [{"as_of": as_of, **row} for row in of_date]
    types = dict.fromkeys(TEXTS, object) | dict.fromkeys(COUNTS, "Int64") | dict.fromkeys(NUMBERS, float)
    return pd.DataFrame(rows, columns=["as_of", *types]).astype(types)


def fit_day(day, has_jackknife=True):
    """Fit accelerators with HBM, then place the others at the sellers of that fit.

    Args:
        day: prices.
        has_jackknife: whether margins take the jackknife over sellers into account.
    """
    rows = fit(day.where(day.is_hbm), has_jackknife)
    return rows + place(*_adjusted(day, rows))


def fit(prices, has_jackknife=True):
    """Return rows of accelerators and sellers; none where no two of both are connected, or no neocloud is."""
    prices = _connected(prices)
    if not prices.neo.any():
        return []
    parts, a = np.unique(prices.a, return_inverse=True)
    names, s = np.unique(prices.s, return_inverse=True)
    neo = np.zeros(len(names), bool)
    neo[s] = prices.neo
    y = prices.y
    reference = list(parts).index(REFERENCE) if REFERENCE in parts else None

    n_parts, n_names = len(parts), len(names)
    design = _design(a, s, n_parts, n_names)
    effects, variances = _effects(design, y, neo)
    contrasts = _contrasts(n_parts, n_names, reference)
    levels = contrasts @ effects
    residuals = y - design @ effects
    df = len(y) - n_parts - n_names + 1
    spread = np.sqrt(residuals @ residuals / df) if df else np.nan
    errors = spread * np.sqrt(np.einsum("ij,jk,ik->i", contrasts, variances, contrasts).clip(0))
    if has_jackknife:
        errors = np.fmax(errors, _jackknife(a, s, y, neo, contrasts))
    margins = _margins(df, errors)

    neoclouds = levels[n_parts : n_parts + n_names][neo]
    of_fit = {"memory_group": "hbm", "n_observations": len(y), "n_sellers": n_names, "df": df}
    rows = []
    for kind, keys, codes, first in (("accelerator", parts, a, 0), ("seller", names, s, n_parts)):
        for i, key in enumerate(keys):
            own = codes == i
            row = {"kind": kind, "key": key, "ln_level": levels[first + i], "ln_margin": margins[first + i]}
            row |= of_fit | _listed((prices.s if kind == "accelerator" else prices.a)[own], residuals[own])
            if kind == "accelerator":
                row["ln_seller_margin"] = _seller_margin(row["ln_margin"], neoclouds, spread)
                if reference is not None:
                    relative = n_parts + n_names + i
                    row |= {"ln_relative": levels[relative], "ln_relative_margin": margins[relative]}
            rows.append(row | {"residual_spread": spread})
    return rows


def place(prices, neoclouds):
    """Return rows of accelerators outside of the fit: the mean over sellers of ln(price) less the seller's factor.

    Args:
        prices: those of such accelerators, less the factor of the seller.
        neoclouds: factors of neoclouds in the fit.
    """
    parts, a = np.unique(prices.a, return_inverse=True)
    if not len(parts):
        return []
    counts = np.bincount(a)
    levels = np.bincount(a, prices.y) / counts
    residuals = prices.y - levels[a]
    df = len(a) - len(parts)
    spread = np.sqrt(residuals @ residuals / df) if df else np.nan
    margins = _margins(df, spread / np.sqrt(counts))
    of_all = {"memory_group": "other", "kind": "accelerator", "df": df, "residual_spread": spread}
    of_all |= {"n_observations": len(a), "n_sellers": len(set(prices.s))}
    rows = []
    for i, key in enumerate(parts):
        row = of_all | {"key": key, "ln_level": levels[i], "ln_margin": margins[i]}
        row |= _listed(prices.s[a == i], residuals[a == i])
        rows.append(row | {"ln_seller_margin": _seller_margin(margins[i], neoclouds, spread)})
    return rows


def newcomers(day):
    """Return each price of a neocloud next to its level in a fit without that neocloud, as if it was never seen."""
    rows = []
    for name in np.unique(day.s[day.neo]):
        own = dict(zip(day.a[day.s == name], day.y[day.s == name], strict=True))
        for row in fit_day(day.where(day.s != name), has_jackknife=False):
            if row["kind"] == "accelerator" and row["n"] > 1 and row["key"] in own:
                error = own[row["key"]] - row["ln_level"]
                rows.append(row | {"kind": "newcomer", "other_names": name, "ln_error": error})
    return rows


def pairs(day):
    """Return what each price would be by the others of its day: residuals by one less the leverage, without a refit."""
    prices = _connected(day.where(day.is_hbm))
    if not prices.neo.any():
        return []
    parts, a = np.unique(prices.a, return_inverse=True)
    names, s = np.unique(prices.s, return_inverse=True)
    rows = _held_out("hbm", prices, _design(a, s, len(parts), len(names)))
    placed, _ = _adjusted(day, fit(day.where(day.is_hbm), has_jackknife=False))
    parts, a = np.unique(placed.a, return_inverse=True)
    return rows + _held_out("other", placed, np.eye(len(parts))[a])


def _held_out(memory_group, prices, design):
    hat = design @ np.linalg.pinv(design)
    residuals = prices.y - hat @ prices.y
    left = 1 - np.diag(hat)
    df = len(residuals) - round(np.trace(hat)) - 1  # without the price
    rows = []
    for i in np.flatnonzero(left > 1e-9) if df > 0 else []:
        error = residuals[i] / left[i]
        spread = np.sqrt((residuals @ residuals - residuals[i] * error) / df)
        row = {"memory_group": memory_group, "kind": "pair", "key": prices.a[i], "other_names": prices.s[i]}
        row |= {"ln_level": prices.y[i] - error, "ln_error": error, "residual_spread": spread, "df": df}
        rows.append(row | {"ln_margin": stdtrit(df, 0.975) * spread / np.sqrt(left[i])})
    return rows


def _adjusted(day, rows):
    # prices of accelerators without HBM at sellers of the fit, less the seller's factor; factors of neoclouds
    factors = {row["key"]: row["ln_level"] for row in rows if row["kind"] == "seller"}
    others = day.where(~day.is_hbm & np.isin(day.s, list(factors)))
    adjusted = others._replace(y=others.y - np.array([factors[name] for name in others.s], float))
    return adjusted, [factors[name] for name in np.unique(day.s[day.neo]) if name in factors]


def _listed(others, residuals):
    far = [
        f"{other} {residual:+.2f}"
        for other, residual in zip(others, residuals, strict=True)
        if abs(residual) > FAR_RESIDUAL
    ]
    return {"n": len(others), "other_names": ", ".join(sorted(others)), "far": ", ".join(far) or None}


def _margins(df, errors):
    margins = stdtrit(df, 0.975) * errors if df else np.full(len(errors), np.nan)
    # prices in the same proportion everywhere say nothing of their spread; a variance of zero is one of rounding errors
    margins[margins < 1e-6] = np.nan
    return margins


def _seller_margin(margin, neoclouds, spread):
    # a neocloud outside of the fit: margin of the level, difference between neoclouds, distance of a price from its fit
    if len(neoclouds) < 2:
        return np.nan
    quantile = stdtrit(len(neoclouds) - 1, 0.975)
    return np.sqrt(margin**2 + quantile**2 * (np.var(neoclouds, ddof=1) + spread**2))


def _connected(prices):
    # sellers of one accelerator say nothing about the others: they go; then the largest component, of equal ones that
    # with more neoclouds, then the first by name
    _, s, counts = np.unique(prices.s, return_inverse=True, return_counts=True)
    prices = prices.where(counts[s] > 1)
    if not len(prices.y):
        return prices
    parts, a = np.unique(prices.a, return_inverse=True)
    names, s = np.unique(prices.s, return_inverse=True)
    components = _components(a, s, len(parts), len(names))

    def rank(component):
        of = prices.where(components == component)
        return -len(of.y), -len(set(of.s[of.neo])), min(of.a)

    return prices.where(components == min(set(components), key=rank))


def _design(a, s, n_parts, n_names):
    design = np.zeros((len(a), n_parts + n_names))
    design[np.arange(len(a)), a] = 1
    design[np.arange(len(a)), n_parts + s] = 1
    return design


def _effects(design, y, neo):
    # effects of accelerators and sellers, the mean of neoclouds being zero, and variances at a residual of one: least
    # squares has them up to a constant, which the outer product of the condition fixes. What is in no row has neither
    normal = design.T @ design
    is_known = normal.diagonal() > 0
    condition = is_known * np.concatenate([np.zeros(design.shape[1] - len(neo)), neo])
    inverse = np.linalg.inv(normal + np.outer(condition, condition) + np.diag(~is_known))
    return np.where(is_known, inverse @ (design.T @ y), np.nan), inverse @ normal @ inverse


def _contrasts(n_parts, n_names, reference):
    # rows: effects of accelerators and of sellers, accelerators against the reference
    effects = np.eye(n_parts + n_names)
    relatives = effects[:n_parts] - (0 if reference is None else effects[reference])
    return np.vstack([effects, relatives])


def _jackknife(a, s, y, neo, contrasts):
    # standard errors from leaving one seller out at a time: sqrt((G - 1) / G * sum((theta_g - mean)^2))
    estimates = []
    n_parts = len(contrasts[0]) - len(neo)
    for excluded in range(len(neo)):
        kept = s != excluded
        neo_kept = neo & (np.arange(len(neo)) != excluded)
        if neo_kept.any() and len(set(_components(a[kept], s[kept], n_parts, len(neo)))) == 1:
            effects, _ = _effects(_design(a[kept], s[kept], n_parts, len(neo)), y[kept], neo_kept)
            estimates.append(np.where(contrasts != 0, contrasts * effects, 0).sum(axis=1))
    if not estimates:
        return np.zeros(len(contrasts))
    table = np.array(estimates)
    count = (~np.isnan(table)).sum(axis=0)
    mean = np.nansum(table, axis=0) / np.fmax(count, 1)
    return np.sqrt((count - 1).clip(0) / np.fmax(count, 1) * np.nansum((table - mean) ** 2, axis=0))


def _components(a, s, n_parts, n_names):
    # of each observation, the component of accelerators and sellers that it belongs to
    size = n_parts + n_names
    links = coo_array((np.ones(len(a)), (a, s + n_parts)), shape=(size, size))
    return connected_components(links, directed=False)[1][a]
