/** The tables of bench/scale/journal.md by their marks, as Markdown. */
export function tables(): { readonly simulated: string; readonly predicted: string };
