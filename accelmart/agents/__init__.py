"""Tools for agents over the Model Context Protocol: `accelmart mcp` (extra ``mcp``).

`access` opens the warehouse with limits, `tools` answers, `server` is the protocol.
"""
