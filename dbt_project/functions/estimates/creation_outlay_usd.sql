{{ creation_outlay_usd('hardware_usd', estimate_constant('creation_hardware_pct')) }}
