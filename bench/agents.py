"""Time of an answer of each tool of `accelmart mcp`, over the protocol on standard input and output.

ACCELMART_HOME=… .venv/bin/python bench/agents.py
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

CALLS: dict[str, dict[str, Any]] = {
    "search": {"words": "cost output token"},
    "query": {"sql": "from mart_tco limit 5"},
    "rank": {"model": "llama3.1-405b"},
    "estimate_training": {
        "params": 405e9,
        "tokens": 15e12,
        "accelerator": "nvidia-h100-sxm-80gb",
        "gpus": 2304,
        "scenario": "hyperscaler",
    },
    "estimate_serving": {"model": "llama3.1-405b", "tokens_per_day": 1e9, "scenario": "hyperscaler"},
    "choose": {"model": "llama3.1-405b", "tokens_per_day": 1e8, "budget": 1e6},
    "compare": {"a": "B200", "b": "H100"},
    "evidence": {"id": "C004"},
}
TIMES = 7


async def main() -> None:
    """Print seconds to the first answer, and the median of each tool."""
    command = str(Path(sys.executable).with_name("accelmart"))
    started = time.perf_counter()
    parameters = StdioServerParameters(command=command, args=["mcp"], env=dict(os.environ))
    async with Client(parameters) as client:
        every = []
        for tool, arguments in CALLS.items():
            seconds, size = [], 0
            for _ in range(TIMES):
                before = time.perf_counter()
                result = await client.call_tool(tool, arguments)
                seconds.append(time.perf_counter() - before)
                size = len(result.content[0].text)  # type: ignore[union-attr]
                if not every and len(seconds) == 1:
                    print(f"first answer after {time.perf_counter() - started:.2f} s")
            every += seconds
            print(
                f"{tool:18} p50 {statistics.median(seconds):.3f} s  max {max(seconds):.3f} s  {size:,} characters"
            )
        print(f"{'all':18} p50 {statistics.median(every):.3f} s  max {max(every):.3f} s")


if __name__ == "__main__":
    asyncio.run(main())
