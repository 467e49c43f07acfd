import type { Expression, Group } from "./parse.js";

/** The direct parts of an expression, in the order of the pattern. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "sequence":
      return expression.parts;
    case "choice":
      return expression.arms;
    case "repeat":
    case "look":
    case "group":
      return [expression.part];
    default:
      return [];
  }
}

/** A group that may capture more texts than this is not expanded. */
const mostCaptured = 128;

/** Maximum number of expressions that the expansion of one pattern may create. */
export const mostMade = 20_000;

class TooMany extends Error {}

/**
 * Rewrites a pattern without backreferences. A group with a backreference becomes a choice of the texts that it may capture.
 * Each arm continues with the rest of the pattern, in which the same text replaces the backreference.
 *
 * @returns `undefined` if groups may capture too many texts, or if only some matches pass through a group with a
 *   backreference
 */
export function withoutBackreferences(expression: Expression): Expression | undefined {
  if (referredIn(expression).size === 0) return expression;
  try {
    const written = new Writer().scope(expression);
    return referredIn(written).size === 0 ? written : undefined;
  } catch (error) {
    if (error instanceof TooMany) return undefined;
    throw error;
  }
}

/** The numbers of the groups that an expression refers to. */
export function referredIn(expression: Expression): ReadonlySet<number> {
  const numbers = new Set<number>();
  const find = (part: Expression): void => {
    if (part.kind === "backreference") numbers.add(part.number);
    partsOf(part).forEach(find);
  };
  find(expression);
  return numbers;
}

class Writer {
  private left = mostMade;

  /**
   * Expands the groups that every match of `expression` passes through. The scope is the whole pattern, an arm of a choice,
   * the content of a repeat or of a lookahead. A repetition forgets the captures of the previous one.
   */
  scope(expression: Expression): Expression {
    const referred = referredIn(expression);
    if (referred.size === 0) return expression;
    for (const group of groupsOfEachMatch(expression)) {
      if (!referred.has(group.number)) continue;
      const arms = this.texts(group.part, group.number).map((text) =>
        this.scope(this.put(text, group, expression)),
      );
      return { kind: "choice", arms };
    }
    return this.inner(expression);
  }

  /** Expands the groups in the inner scopes of an expression. */
  private inner(expression: Expression): Expression {
    switch (expression.kind) {
      case "sequence":
        return { ...expression, parts: expression.parts.map((part) => this.inner(part)) };
      case "choice":
        return { ...expression, arms: expression.arms.map((arm) => this.scope(arm)) };
      case "repeat":
        return { ...expression, part: this.scope(expression.part) };
      case "look":
        // Lookbehind reads from right to left: a backreference there may come before its group.
        return expression.behind ? expression : { ...expression, part: this.scope(expression.part) };
      case "group":
        return { ...expression, part: this.inner(expression.part) };
      default:
        return expression;
    }
  }

  /** Replaces a group and the backreferences after it by a text. Backreferences before the group match the empty text. */
  private put(text: readonly Expression[], group: Group, expression: Expression): Expression {
    let isCaptured = false;
    const replaced = (part: Expression): Expression => {
      if (--this.left < 0) throw new TooMany();
      switch (part.kind) {
        case "sequence":
          return { ...part, parts: part.parts.map(replaced) };
        case "choice":
          return { ...part, arms: part.arms.map(replaced) };
        case "repeat":
        case "look":
          return { ...part, part: replaced(part.part) };
        case "group":
          if (part !== group) return { ...part, part: replaced(part.part) };
          isCaptured = true;
          return { kind: "sequence", parts: text };
        case "backreference":
          if (part.number !== group.number) return part;
          return { kind: "sequence", parts: isCaptured ? text.filter(({ kind }) => kind === "atom") : [] };
        default:
          return part;
      }
    };
    return replaced(expression);
  }

  /** All texts that an expression matches, as sequences with one code point for each atom. Assertions are kept. */
  private texts(expression: Expression, number: number): readonly (readonly Expression[])[] {
    switch (expression.kind) {
      case "atom":
        return this.counted(charactersOf(expression.source, expression.set).map((atom) => [atom]));
      case "boundary":
      case "look":
        return [[expression]];
      case "sequence":
        return this.joined(expression.parts.map((part) => this.texts(part, number)));
      case "choice":
        return this.counted(expression.arms.flatMap((arm) => this.texts(arm, number)));
      case "repeat":
        return this.repeated(this.texts(expression.part, number), expression.min, expression.max);
      case "group":
        return this.texts(expression.part, number);
      case "backreference":
        if (expression.number !== number) throw new TooMany();
        return [[]];
    }
  }

  private joined(lists: readonly (readonly (readonly Expression[])[])[]): readonly (readonly Expression[])[] {
    let texts: readonly (readonly Expression[])[] = [[]];
    for (const list of lists)
      texts = this.counted(texts.flatMap((before) => list.map((after) => [...before, ...after])));
    return texts;
  }

  private repeated(
    texts: readonly (readonly Expression[])[],
    min: number,
    max: number,
  ): readonly (readonly Expression[])[] {
    if (max > mostCaptured) throw new TooMany();
    const all: (readonly Expression[])[] = [];
    let some: readonly (readonly Expression[])[] = [[]];
    for (let count = 0; count <= max; count++) {
      if (count >= min) all.push(...some);
      if (count < max) some = this.joined([some, texts]);
    }
    return this.counted(all);
  }

  private counted(texts: readonly (readonly Expression[])[]): readonly (readonly Expression[])[] {
    const different = new Map<string, readonly Expression[]>();
    for (const text of texts) {
      this.left -= text.length;
      const isPlain = text.every(({ kind }) => kind === "atom");
      different.set(isPlain ? sourcesOf(text) : `#${different.size}`, text);
    }
    if (different.size > mostCaptured || this.left < 0) throw new TooMany();
    return [...different.values()];
  }
}

function sourcesOf(text: readonly Expression[]): string {
  return text.map((part) => (part.kind === "atom" ? part.source : "")).join("");
}

/** The groups that every match passes through, inner groups first. */
function* groupsOfEachMatch(expression: Expression): Generator<Group> {
  if (expression.kind === "sequence") for (const part of expression.parts) yield* groupsOfEachMatch(part);
  if (expression.kind !== "group") return;
  yield* groupsOfEachMatch(expression.part);
  yield expression;
}

/** Makes an atom for each code point that an atom matches. */
function charactersOf(source: string, set: readonly (readonly [number, number])[]): Expression[] {
  const matcher = new RegExp(`^${source}$`, "u");
  const atoms: Expression[] = [];
  let looked = 0;
  for (const [from, to] of set)
    for (let code = from; code <= to; code++) {
      // A set may contain more code points than its atom matches.
      if (++looked > 4 * mostCaptured) throw new TooMany();
      if (matcher.test(String.fromCodePoint(code)))
        atoms.push({ kind: "atom", source: `\\u{${code.toString(16)}}`, set: [[code, code]] });
    }
  return atoms;
}
