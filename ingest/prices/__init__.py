"""Price lists of clouds, marketplaces and the people who collect them: one module a source."""
