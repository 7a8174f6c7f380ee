case when n_sellers >= 3 then 100 * (n_below + (n_sellers - n_below - n_above) / 2) / n_sellers end
