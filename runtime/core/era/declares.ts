/** Whether capabilities hold something at a path that is not turned off. */
export function declares(capabilities: object, path: readonly string[]): boolean {
  const found = path.reduce<unknown>(
    (value, key) => (value as { readonly [key: string]: unknown } | undefined)?.[key],
    capabilities,
  );
  return found !== undefined && found !== null && found !== false;
}
