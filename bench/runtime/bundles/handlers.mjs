/** The handlers of the contract server in the rows of bundle sizes. */
export const handlers = {
  tools: { echo: ({ message }) => message, add: ({ a, b }) => String(a + b) },
};
