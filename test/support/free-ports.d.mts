/** So many ports of this machine that were free just now, each another one. */
export function freePorts(count: number): Promise<number[]>;
