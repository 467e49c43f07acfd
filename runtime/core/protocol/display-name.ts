/**
 * The name to show for a tool, prompt, resource, resource template or implementation: `title`, else `annotations.title` of
 * a tool, else `name` (2025-06-18 on, tools, `title`). An empty title counts as absent.
 */
export function displayName(given: {
  readonly name: string;
  readonly title?: string | undefined;
  readonly annotations?: object | undefined;
}): string {
  const { title }: { readonly title?: unknown } = given.annotations ?? {};
  return given.title || (typeof title === "string" && title) || given.name;
}
