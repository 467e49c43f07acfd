/** `date`: full-date of RFC 3339, section 5.6. */
export function isDate(text: string): boolean {
  if (text.length !== 10) return false;
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** `time`: full-time of RFC 3339, section 5.6. A leap second is valid only at 23:59:60 UTC. */
export function isTime(text: string): boolean {
  const match = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(text);
  if (!match) return false;
  const [hour, minute, second] = match.slice(1, 4).map(Number) as [number, number, number];
  const [offsetHour, offsetMinute] = [Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  if (second < 60) return true;
  const offset = (match[4] === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  return (hour * 60 + minute - offset + 1440) % 1440 === 1439;
}

/** `date-time` of RFC 3339, section 5.6. */
export function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^[Tt]$/.test(text.charAt(10)) && isTime(text.slice(11));
}

/** `duration` of RFC 3339, appendix A. */
export function isDuration(text: string): boolean {
  if (/^P\d+W$/.test(text)) return true;
  const date = /^P(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?=T|$)/.exec(text)?.[0];
  if (date === undefined) return false;
  if (date.length === text.length) return date.length > 1;
  return /^T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)$/.test(text.slice(date.length));
}
