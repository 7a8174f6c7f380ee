owned_usd / nullif(rented_usd, 0) * 100
