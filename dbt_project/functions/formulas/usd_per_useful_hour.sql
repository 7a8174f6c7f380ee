usd_per_hour / (utilisation_percent / 100.0) / (goodput_percent / 100.0)
