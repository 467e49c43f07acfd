/** `ipv4`: dotted-quad of RFC 2673, section 3.2. */
export function isIpv4(text: string): boolean {
  const parts = text.length <= 15 ? text.split(".") : [];
  return (
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  );
}

/** `ipv6`: RFC 4291, section 2.2. */
export function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  let count = 0;
  for (const [half, parts] of groups.entries()) {
    for (const [index, part] of parts.entries()) {
      const isLast = half === groups.length - 1 && index === parts.length - 1;
      if (isLast && part.includes(".")) {
        if (!isIpv4(part)) return false;
        count += 2;
      } else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) count++;
      else return false;
    }
  }
  return halves.length === 2 ? count <= 7 : count === 8;
}

/** `uuid` of RFC 4122, section 3. */
export function isUuid(text: string): boolean {
  return /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/.test(text);
}
