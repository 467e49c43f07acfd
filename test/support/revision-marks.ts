/** The revisions by the marks of the checklist. */
const revisions = {
  "24": "2024-11-05",
  "03": "2025-03-26",
  "06": "2025-06-18",
  "11": "2025-11-25",
  "26": "2026-07-28",
} as const;

/** Returns the revisions of marks such as `"06 11 26"`. */
export function revisionsMarked(marks: string): string[] {
  return marks.split(" ").map((mark) => revisions[mark as keyof typeof revisions]);
}
