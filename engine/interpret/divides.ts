/**
 * Whether a number is a multiple of a step, both taken as the decimals that they are written as: 19.99 is one of
 * 0.01, though their quotient as floating-point numbers is none (JSON Schema 2020-12 Validation, 6.2.1).
 */
export function divides(step: number, value: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, places] = decimalOf(value);
  const [stepDigits, stepPlaces] = decimalOf(step);
  const most = Math.max(places, stepPlaces);
  return (digits * 10n ** BigInt(most - places)) % (stepDigits * 10n ** BigInt(most - stepPlaces)) === 0n;
}

/** All digits of a number, and how many of them stand behind the point. */
function decimalOf(value: number): [digits: bigint, places: number] {
  const [written = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = written.split(".");
  return [BigInt(whole + fraction), fraction.length - Number(exponent)];
}
