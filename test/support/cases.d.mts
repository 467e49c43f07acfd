export declare const seed: number;
export declare const share: number;
export declare const isThorough: boolean;
export declare function cases(full: number, gate?: number): number;
