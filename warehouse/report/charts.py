"""Vega-Lite specifications of the charts, written with Altair. The page inserts rows and replaces `%word%` in titles.

Every chart reads the named data set ``rows``. A group shown by colour is also named in a legend or label. The
specifications are constant, so they are shipped as ``charts.json``: only who works on the report installs Altair.
`pack` (part of `make state`) writes the file again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import altair as alt

from warehouse.files import written_whole

PACKED = Path(__file__).with_name("charts.json")
Layers = alt.LayerChart | alt.FacetChart
ROWS = alt.NamedData(name="rows")
_STEP = 46
_BAR = 14


def _halo(marks: alt.Chart) -> Layers:
    """Return text with an outline in the background colour (config style `halo`), readable over lines."""
    mark = marks.mark.to_dict()
    return alt.layer(marks.copy(deep=True).properties(mark=alt.MarkDef(**{**mark, "style": "halo"})), marks)


def _tooltip(*names: str) -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in (n.split("=") for n in names)]


def _ranked() -> Layers:
    """Return bars in a given order with name and figure above each; a line spans lowest to highest value."""
    base = alt.Chart(ROWS).encode(
        y=alt.Y("key:N", sort=alt.EncodingSortField("position", op="min"), axis=None),
        tooltip=_tooltip("label=what", "text=value", "detail=basis"),
    )
    x = alt.X("value:Q", title="%unit%", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=6))
    bars = base.mark_bar(height=_BAR, cornerRadiusEnd=2, cursor="pointer").encode(
        x=x, color=alt.Color("group:N", title=None, sort=None)
    )
    spread = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q", title="%unit%"), x2="high:Q")
    middle = base.mark_tick(thickness=2.5, size=_BAR + 6).encode(x=alt.X("middle:Q", title="%unit%"))
    name = base.mark_text(align="left", dy=-17, fontWeight=600, cursor="pointer").encode(
        x=alt.value(0), text="label:N"
    )
    figure = base.mark_text(align="right", dy=-17).encode(x=alt.value("width"), text="text:N")
    return alt.layer(bars, spread, middle, _halo(name), _halo(figure)).properties(
        height=alt.Step(_STEP), width="container"
    )


def _stacked() -> alt.Chart:
    """Return one bar per case, stacked from components."""
    chart: alt.Chart = (
        alt.Chart(ROWS)
        .mark_bar(height=30)
        .encode(
            y=alt.Y(
                "case:N", sort=None, title=None, axis=alt.Axis(labelLimit=110, ticks=False, domain=False)
            ),
            x=alt.X("value:Q", title="%unit%", stack="zero", axis=alt.Axis(tickCount=6)),
            color=alt.Color("component:N", title=None, sort=None),
            order=alt.Order("position:Q"),
            tooltip=_tooltip("case=case", "component=component", "text=value"),
        )
        .properties(height=alt.Step(52), width="container")
    )
    return chart


def _dots() -> Layers:
    """Return several shares of each case as points on one line."""
    base = alt.Chart(ROWS).encode(
        y=alt.Y(
            "case:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelLimit=120, ticks=False, domain=False, grid=True),
        )
    )
    dots = base.mark_point(filled=True, size=85, opacity=0.95).encode(
        x=alt.X("value:Q", title="%unit%", scale=alt.Scale(domain=[0, 100])),
        color=alt.Color("component:N", title=None, sort=None),
        shape=alt.Shape("component:N", title=None, sort=None),
        tooltip=_tooltip("case=case", "component=component", "text=value"),
    )
    return alt.layer(dots).properties(height=alt.Step(26), width="container")


def _rounds() -> Layers:
    """Return one line per series over MLPerf rounds."""
    base = alt.Chart(ROWS).encode(
        x=alt.X("round:O", title="MLPerf round", sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("value:Q", title="%unit%", scale=alt.Scale(zero=True)),
        color=alt.Color("group:N", title=None, sort=None),
        tooltip=_tooltip("label=what", "text=value", "detail=basis"),
    )
    return alt.layer(
        base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=70, opacity=1)
    ).properties(height=340, width="container")


def _scatter(x: str, y: str, *, line: bool, x_log: bool = True, y_log: bool = False) -> Layers:
    """Return points over a size, joined by a line within each series if `line`."""
    scale = alt.Scale(type="log", nice=False) if x_log else alt.Scale(zero=False)
    # the legends of shape and colour merge only if every layer has shapes
    shape_legend = None if line else alt.Undefined
    base = alt.Chart(ROWS).encode(
        x=alt.X("x:Q", title=x, scale=scale, axis=alt.Axis(tickCount=5, format=",~s")),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(type="log") if y_log else alt.Scale(zero=False)),
        color=alt.Color("group:N", title=None, sort=None),
        shape=alt.Shape("group:N", title=None, sort=None, legend=shape_legend),
        detail="series:N",
        tooltip=_tooltip("label=what", "text=value", "detail=basis"),
    )
    layers: list[alt.Chart] = [base.mark_point(size=60, opacity=0.9, strokeWidth=1.8, cursor="pointer")]
    if line:
        layers.insert(0, base.mark_line(strokeWidth=1.4, opacity=0.7).encode(shape=alt.Undefined))
    return alt.layer(*layers).properties(height=360, width="container")


def _prices() -> Layers:
    """Return a monthly figure with a band from low to high; a line joins those of one `run`, `marked` ones are pale."""
    base = alt.Chart(ROWS).encode(
        x=alt.X("day:T", title=None, axis=alt.Axis(labelOverlap=True, tickCount=6)),
        color=alt.Color("group:N", title=None, sort=None, legend=alt.Legend(symbolOpacity=1)),
        detail="run:N",
    )
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", title="%unit%", scale=alt.Scale(zero=True)), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2, interpolate="linear").encode(y="value:Q")
    points = base.mark_point(filled=True, size=45).encode(
        y="value:Q",
        opacity=alt.condition("datum.marked", alt.value(0.35), alt.value(1)),
        shape=alt.Shape("group:N", title=None, sort=None, legend=None),
        tooltip=_tooltip("label=what", "text=value", "detail=basis"),
    )
    return alt.layer(band, line, points).properties(height=340, width="container")


def _ratios() -> Layers:
    """Return ratios as points left and right of 1 on a logarithmic axis."""
    base = alt.Chart(ROWS).encode(
        y=alt.Y("key:N", sort=alt.EncodingSortField("position", op="min"), axis=None),
        tooltip=_tooltip("label=what", "text=value", "detail=basis"),
    )
    x = alt.X(
        "value:Q",
        title="%unit%",
        scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(format="~g", tickCount=6),
    )
    one = alt.Chart(ROWS).mark_rule(strokeDash=[4, 3]).encode(x=alt.X(datum=1))
    stem = base.mark_rule(strokeWidth=2).encode(
        x=x, x2=alt.X2Datum(1), color=alt.Color("group:N", title=None, sort=None)
    )
    colour = alt.Color("group:N", title=None, sort=None)
    point = base.mark_point(filled=True, size=90, opacity=1, cursor="pointer").encode(
        x=x, color=colour, shape=alt.Shape("group:N", title=None, sort=None, legend=None)
    )
    name = base.mark_text(align="left", dy=-14, cursor="pointer", limit=330).encode(
        x=alt.value(0), text="label:N"
    )
    figure = base.mark_text(align="right", dy=-14, fontWeight=600).encode(x=alt.value("width"), text="text:N")
    return alt.layer(one, _halo(name), _halo(figure), stem, point).properties(
        height=alt.Step(38), width="container"
    )


def specs(*, validate: bool = False) -> dict[str, Any]:
    """Return the Vega-Lite specifications by name, without data.

    Args:
        validate: validate each against the schema of Vega-Lite.
    """
    charts = {
        "ranked": _ranked(),
        "stacked": _stacked(),
        "dots": _dots(),
        "rounds": _rounds(),
        "scatter": _scatter("%x%", "%unit%", line=False),
        "scatter_log": _scatter("%x%", "%unit%", line=False, y_log=True),
        "scaling": _scatter("%x%", "%unit%", line=True),
        "frontier": _scatter("%x%", "%unit%", line=True, x_log=False),
        "prices": _prices(),
        "ratios": _ratios(),
    }
    return {name: _bare(chart.to_dict(validate=validate)) for name, chart in charts.items()}


def _bare(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a specification without Altair's default theme (the page has its own) and the schema URL."""
    return {key: value for key, value in spec.items() if key not in ("config", "$schema")}


def pack() -> None:
    """Write the specifications beside the code."""
    with written_whole(PACKED) as temporary:
        temporary.write_text(
            json.dumps(specs(validate=True), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
