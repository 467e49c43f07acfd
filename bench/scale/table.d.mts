/** The rows of docs/scale.md, as Markdown. @param requests of the simulation, for each row */
export function table(requests?: number): string;
