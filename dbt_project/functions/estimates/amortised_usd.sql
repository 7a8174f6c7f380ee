hardware_usd * hours / (life_years * 8760)
