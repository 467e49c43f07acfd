/** Returns `count` different free ports of this machine. */
export function freePorts(count: number): Promise<number[]>;
