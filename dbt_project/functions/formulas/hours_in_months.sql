months * {{ hours_per_month() }}
