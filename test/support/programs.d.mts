export declare function pathOf(program: string): string | undefined;
export declare function lackOf(isThere: boolean, reason: string): string | undefined;
