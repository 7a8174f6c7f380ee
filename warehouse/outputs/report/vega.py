"""Vega, Vega-Lite and Vega-Embed as one script for the report, shipped with the code.

vl-convert makes the script, and takes a second and 84 MB of disk for it: only who works on the report installs it.
`pack` (part of `make vega`) packs the script again. NOTICE names the licences of what is in it.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

from warehouse.storage.files import written_whole

PACKED = Path(__file__).with_name("vega_embed.js.gz")


@cache
def vega_script() -> str:
    """Return the script; it defines `vegaEmbed`."""
    return gzip.decompress(PACKED.read_bytes()).decode("utf-8")


def make_vega_script() -> str:
    """Return the script as the installed vl-convert makes it.

    Raises:
        ModuleNotFoundError: vl-convert is not installed; it comes with the extra `dev`.
    """
    import vl_convert

    # this text inside a string would end the script element
    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")).replace(
        "</script", "<\\/script"
    )


def pack() -> None:
    """Write the script beside the code."""
    with written_whole(PACKED) as temporary:
        temporary.write_bytes(gzip.compress(make_vega_script().encode(), 9, mtime=0))
