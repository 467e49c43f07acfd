/** Kinds of tokens, as the style names them; each group of the pattern is one. */
const kinds = ["key", "text", "number", "word"] as const;
const tokens =
  /("(?:[^"\\\n]|\\.)*"(?=\s*:))|("(?:[^"\\\n]|\\.)*")|((?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)|\b(true|false|null|const|await|import|from)\b/gi;

/** Longer texts are read elsewhere. */
const longest = 20_000;

/** Colours code as it comes into view. It stays one text: ranges over it are coloured. */
export function colourCode(): void {
  if (!("highlights" in CSS) || typeof IntersectionObserver !== "function") return;
  const highlights = kinds.map((kind) => {
    const highlight = new Highlight();
    CSS.highlights.set(kind, highlight);
    return highlight;
  });
  const observer = new IntersectionObserver((changes) => {
    for (const { isIntersecting, target } of changes) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      colour(target.firstChild?.firstChild, highlights);
    }
  });
  for (const block of document.querySelectorAll(".example > pre")) observer.observe(block);
}

function colour(node: Node | null | undefined, highlights: readonly Highlight[]): void {
  if (!(node instanceof Text) || node.length > longest) return;
  for (const match of node.data.matchAll(tokens)) {
    const index = match.slice(1).findIndex((group) => group !== undefined);
    const range = new StaticRange({
      startContainer: node,
      startOffset: match.index,
      endContainer: node,
      endOffset: match.index + match[0].length,
    });
    highlights[index]?.add(range);
  }
}
