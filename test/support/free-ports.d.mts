/** So many ports of this machine that are free, each another one. */
export function freePorts(count: number): Promise<number[]>;
