/** A button beside each example that copies it. */
export declare function addCopying(say: (text: string) => void): void;
