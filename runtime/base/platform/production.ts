// Platforms without `process` are treated as production; a bundler may replace the expression.
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Whether `NODE_ENV` is `production`, or unknown. */
export function isProduction(): boolean {
  return typeof process === "undefined" || process.env.NODE_ENV === "production";
}
