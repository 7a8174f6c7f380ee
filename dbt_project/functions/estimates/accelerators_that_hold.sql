{{ accelerators_that_hold('bytes', 'memory_of_one_gb') }}
