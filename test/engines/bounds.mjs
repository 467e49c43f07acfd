/** The limits for the programs of bounds.test.mjs. */
export const limits = { bytes: 2000, totalBytes: 3500 };

/** The clients whose tasks they are. */
export const owners = ["ann", "bob", "eve"];
