import GithubSlugger from "github-slugger";

/** Makes links from a document in docs/ to the entries in the `PROTOCOL.md` of a revision. */
export class ProtocolReport {
  private readonly file: string;
  private readonly ids = new Map<string, string>();
  private readonly methods: ReadonlySet<string>;

  constructor(revision: string, text: string) {
    this.file = `../generated/${revision}/PROTOCOL.md`;
    const slugs = new GithubSlugger();
    for (const [, heading] of text.matchAll(/^#{1,6} (.+)$/gm)) {
      const id = slugs.slug(heading!);
      const [, name] = /^`([^`]+)`/.exec(heading!) ?? [];
      if (name !== undefined) this.ids.set(name, id);
    }
    this.methods = new Set(
      [...text.matchAll(/^- `([^`]+)`: (?:embedded )?(?:request|notification)/gm)].map(([, name]) => name!),
    );
  }

  /** Returns the name as a link; undefined if the revision has no method or definition of that name. */
  linkTo(name: string): string | undefined {
    const id = this.methods.has(name) ? "methods" : this.ids.get(name);
    return id === undefined ? undefined : `[\`${name}\`](${this.file}#${id})`;
  }
}
