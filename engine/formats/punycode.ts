// RFC 3492, section 5.
const base = 36;
const smallest = 1;
const largest = 26;
const skew = 38;
const damp = 700;

function adapt(delta: number, count: number, first: boolean): number {
  let rest = first ? Math.floor(delta / damp) : delta >> 1;
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((base - smallest) * largest) >> 1; k += base) rest = Math.floor(rest / (base - smallest));
  return k + Math.floor(((base - smallest + 1) * rest) / (rest + skew));
}

function threshold(k: number, bias: number): number {
  return Math.min(largest, Math.max(smallest, k - bias));
}

/** The code points that `text` encodes, or `undefined` if it is not Punycode (RFC 3492, section 6.2). */
export function decodePunycode(text: string): number[] | undefined {
  const hyphen = text.lastIndexOf("-");
  const output = [...text.slice(0, Math.max(hyphen, 0))].map((letter) => letter.codePointAt(0)!);
  let code = 128;
  let bias = 72;
  let index = 0;
  let position = hyphen < 0 ? 0 : hyphen + 1;
  while (position < text.length) {
    const before = index;
    let weight = 1;
    for (let k = base; ; k += base) {
      const digit = "abcdefghijklmnopqrstuvwxyz0123456789".indexOf(
        text.charAt(position++).toLowerCase() || " ",
      );
      if (digit < 0) return undefined;
      index += digit * weight;
      const limit = threshold(k, bias);
      if (digit < limit) break;
      weight *= base - limit;
    }
    const count = output.length + 1;
    bias = adapt(index - before, count, before === 0);
    code += Math.floor(index / count);
    index %= count;
    if (code > 0x10ffff) return undefined;
    output.splice(index++, 0, code);
  }
  return output;
}

/** Punycode for code points (RFC 3492, section 6.3). */
export function encodePunycode(codes: readonly number[]): string {
  const basic = codes.filter((code) => code < 128);
  let output = basic.length > 0 ? `${String.fromCodePoint(...basic)}-` : "";
  let handled = basic.length;
  let [code, delta, bias] = [128, 0, 72];
  while (handled < codes.length) {
    const next = codes.filter((each) => each >= code).reduce((a, b) => Math.min(a, b));
    delta += (next - code) * (handled + 1);
    code = next;
    for (const each of codes) {
      if (each < code) delta++;
      if (each !== code) continue;
      output += digits(delta, bias);
      bias = adapt(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled++;
    }
    delta++;
    code++;
  }
  return output;
}

function digits(delta: number, bias: number): string {
  let text = "";
  let rest = delta;
  for (let k = base; ; k += base) {
    const limit = threshold(k, bias);
    const digit = rest < limit ? rest : limit + ((rest - limit) % (base - limit));
    text += "abcdefghijklmnopqrstuvwxyz0123456789"[digit]!;
    if (rest < limit) return text;
    rest = Math.floor((rest - limit) / (base - limit));
  }
}
