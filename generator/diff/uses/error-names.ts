import { ts } from "ts-morph";
import type { Claim, TargetIndex } from "./targets.js";

/** Names that official SDKs give to the numbers of errors: `ErrorCode.UrlElicitationRequired` is −32042. */
export class ErrorNames {
  readonly #claims = new Map<ts.Node, readonly Claim[]>();
  readonly words = new Set<string>();

  /** @param files those of SDKs */
  constructor(program: ts.Program, files: readonly ts.SourceFile[], { codes }: TargetIndex) {
    const checker = program.getTypeChecker();
    if (codes.size === 0) return;
    for (const { members } of files.flatMap(({ statements }) => statements.filter(ts.isEnumDeclaration))) {
      for (const member of members) {
        const claims = codes.get(String(checker.getConstantValue(member)));
        if (!claims || !ts.isIdentifier(member.name)) continue;
        this.#claims.set(member, claims);
        this.words.add(member.name.text);
      }
    }
  }

  of(declaration: ts.Node): readonly Claim[] {
    return this.#claims.get(declaration) ?? [];
  }
}
