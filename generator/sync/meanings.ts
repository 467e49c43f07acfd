import type { Section } from "./wanted.js";

/** The meaning of a name for the handlers of one contract. */
export type Meaning =
  /** `alias`: another name of the type only, without the namespace `Handlers` */
  | { readonly kind: "handlers"; readonly section?: Section; readonly alias?: true; readonly part?: string }
  /** a function that creates a server from handlers */
  | { readonly kind: "creator" }
  | { readonly kind: "module"; readonly exports: Exports }
  /** has a name used for handlers, but cannot be resolved */
  | { readonly kind: "doubt" };

/** The exports of a module that concern one contract's handlers. */
export interface Exports {
  of(name: string): Meaning | undefined;
  /** Names that export handlers. Functions that create servers are found by name everywhere. */
  names(): readonly string[];
}

/** Finds the exports of the module that a specifier leads to. */
export type LookIn = (specifier: string) => Exports;

/** The generated `server` module of the contract. */
export const serverExports: Exports = {
  of: (name) =>
    name === "Handlers" ? { kind: "handlers" } : isCreator(name) ? { kind: "creator" } : undefined,
  names: () => ["Handlers"],
};

/** A module without relation to the contract. */
export const noExports: Exports = { of: () => undefined, names: () => [] };

/** A module that cannot be found or read. */
export const unknownExports: Exports = {
  of: (name) => (name === "Handlers" ? { kind: "doubt" } : undefined),
  names: () => [],
};

function isCreator(name: string): boolean {
  return /^create.+Server$/.test(name);
}
