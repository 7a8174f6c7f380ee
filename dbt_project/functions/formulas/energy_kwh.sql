{{ with_pue('watts', 'facility_pue') }} * accelerators * hours / 1000
