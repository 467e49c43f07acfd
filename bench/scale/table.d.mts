/** The tables of docs/scale.md by their marks, as Markdown. */
export function tables(): { readonly simulated: string; readonly predicted: string };
