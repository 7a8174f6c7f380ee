// Formulas for a reader's own numbers: those of the dbt project (macros formulas.sql, tco.sql, energy.sql). Tests compare
// them with the project's results and SQL macros. A null input gives null.

export const HOURS_PER_YEAR = 8760;
export const HOURS_PER_MONTH = 730;

export const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

const known = (formula) => (...inputs) => {
  if (!inputs.every(isNumber)) return null;
  const result = formula(...inputs);
  return Number.isFinite(result) ? result : null;
};

export const capitalRecoveryFactor = known((costOfCapitalPct, years) => {
  const i = costOfCapitalPct / 100;
  if (i === 0) return 1 / years;
  const growth = (1 + i) ** years;
  return (i * growth) / (growth - 1);
});

/** Ownership cost of one accelerator-hour and its components in US$; `p` holds the parameters of mart_tco. */
export function ownershipCost(p) {
  const kw = p.it_power_w / 1000;
  const capital = (p.capex_usd_per_accelerator * capitalRecoveryFactor(p.cost_of_capital_pct, p.depreciation_years))
    / HOURS_PER_YEAR;
  const electricity = kw * p.pue * p.electricity_usd_per_kwh;
  const colocation = (kw * p.colocation_usd_per_kw_month) / HOURS_PER_MONTH;
  const maintenance = (p.capex_usd_per_accelerator * p.maintenance_pct_of_capex_per_year) / 100 / HOURS_PER_YEAR;
  const staff = p.staff_usd_per_accelerator_year / HOURS_PER_YEAR;
  const availability = p.availability_pct / 100;
  const running = electricity + colocation + maintenance + staff;
  const total = (capital + running) / availability;
  const utilised = total / (p.utilisation_pct / 100);
  return {
    capital_usd_per_accelerator_hour: capital,
    electricity_usd_per_accelerator_hour: electricity,
    colocation_usd_per_accelerator_hour: colocation,
    maintenance_usd_per_accelerator_hour: maintenance,
    staff_usd_per_accelerator_hour: staff,
    unavailability_usd_per_accelerator_hour: total * (1 - availability),
    usd_per_accelerator_hour: total,
    power_and_space_share_pct: ((electricity + colocation) / (total * availability)) * 100,
    usd_per_utilised_accelerator_hour: utilised,
    usd_per_useful_accelerator_hour: utilised / (p.goodput_pct / 100),
    running_usd_per_accelerator_hour: running,
  };
}

/** US$ per million tokens at full use. */
export const usdPerMtok = known((usdPerHour, tokensPerS) => (usdPerHour / (tokensPerS * 3600)) * 1e6);

/** US$ per million useful tokens at a utilisation (share of hours) and goodput (share of work), both in %. */
export const usdPerUsefulMtok = known((usdPerHour, tokensPerS, utilisationPct, goodputPct) =>
  usdPerMtok(usdPerHour, tokensPerS) / (utilisationPct / 100) / (goodputPct / 100));

export const jPerToken = known((watts, pue, tokensPerS) => (watts * pue) / tokensPerS);

/** kWh that so many accelerators take in so many hours. */
export const energyKwh = known((watts, pue, accelerators, hours) => (watts * pue * accelerators * hours) / 1000);

/** kg CO2e of the electricity of a million tokens. */
export const kgCo2ePerMtok = known((joulesPerToken, kgPerKwh) => ((joulesPerToken * 1e6) / 3.6e6) * kgPerKwh);

/** Tokens for the electricity that one household uses in a year (J). */
export const tokensPerHouseholdYear = known((j, householdJ) => householdJ / j);

export const breakEvenUtilisationPct = known((ownedUsd, rentedUsd) => (ownedUsd / rentedUsd) * 100);

export const LONGEST_HORIZON = 120;

/** Owning one accelerator for some months: purchase, interest on it, running cost, less the residual value. */
export const ownedUsd = known((capex, runningUsd, months, interestPct, residualPct) =>
  capex * ((1 + interestPct / 100) ** (months / 12) - residualPct / 100) + runningUsd * months * HOURS_PER_MONTH);

/** Months that are paid: under a commitment (termMonths above 0) whole terms. */
export const monthsPaid = (months, termMonths) => (termMonths ? Math.ceil(months / termMonths) * termMonths : months);

/** Renting one accelerator: the hours used; under a commitment every hour of its terms. */
export const rentedUsd = known((usdPerHour, months, utilisationPct, termMonths) =>
  usdPerHour * monthsPaid(months, termMonths) * HOURS_PER_MONTH * (termMonths ? 1 : utilisationPct / 100));

/** First month after which owning has cost no more than renting; null if that is not within the longest horizon. */
export function monthsToBreakEven(owned, rented) {
  for (let months = 1; months <= LONGEST_HORIZON; months += 1) {
    const [own, rent] = [owned(months), rented(months)];
    if (!isNumber(own) || !isNumber(rent)) return null;
    if (own <= rent) return months;
  }
  return null;
}

/** Model FLOPs of a trained token, without attention. */
export const trainingFlopsPerToken = known((parameters) => 6 * parameters);

/** Trained tokens per second of one accelerator at a share of the dense peak. */
export const trainedTokensPerS = known((mfuPct, flopsPerToken, peakTflops) => ((mfuPct / 100) * peakTflops * 1e12) / flopsPerToken);

export const trainingAcceleratorHours = known((tokens, tokensPerS) => tokens / tokensPerS / 3600);

export const costToTrain = known((acceleratorHours, usdPerHour) => acceleratorHours * usdPerHour);

export function median(values) {
  const sorted = values.filter(isNumber).sort((a, b) => a - b);
  if (!sorted.length) return null;
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
