/** Says what is wrong with a value in a few lines; nothing if it is right. */
export type Check = (value: unknown) => string | undefined | Promise<string | undefined>;

/** A check that may give the value to take in place of the one it was given. */
export type Parse = (value: unknown) => Checked | Promise<Checked>;

export type Checked = string | undefined | { readonly value: unknown };
