export declare const jsonTypes: readonly (readonly [name: string, value: unknown])[];
export declare const strangeTexts: readonly string[];
export declare function mutationsOf(
  value: unknown,
  path?: string,
): Generator<[what: string, value: unknown], void, undefined>;
