/** What the contract server of the size rows does. */
export const handlers = {
  tools: { echo: ({ message }) => message, add: ({ a, b }) => String(a + b) },
};
