import { formats } from "../formats/format.js";
import type { Schema, SchemaNode } from "../ir/ir.js";
import type { JsonValue } from "../ir/json.js";
import { referencesOf } from "../ir/references.js";
import type { Check, Compiler, TrackedCheck } from "./check.js";
import { Heights } from "./height.js";
import { Marks } from "./marks.js";
import { nodeCheck } from "./node.js";
import { trackedNode } from "./tracked.js";

/** Maximum number of nested checks. Deeper questions are deferred, so that no value exhausts the stack. */
const deepest = 1000;

/**
 * After this many followed references for one value, answers are cached. Without the cache, definitions that
 * refer to each other in many ways could take exponential time; with it, each definition is checked once for each
 * part of the value.
 */
const forgetful = 200_000;

/** A deferred question: does the check accept the value? */
interface Question {
  readonly check: Check;
  readonly value: JsonValue;
}

interface TrackedAnswer {
  readonly verdict: boolean;
  readonly marks: Marks;
}

/** The checks of one schema, each made when first needed. */
export class Program implements Compiler {
  readonly schema: Schema;
  private readonly assertFormats: boolean;
  private readonly heights: Heights;
  private readonly nodes = new WeakMap<SchemaNode, Check>();
  private readonly references = new Map<string, Check>();
  private readonly trackedReferences = new Map<string, TrackedCheck>();

  // The state of one run. Runs are never nested.
  private depth = 0;
  private followed = 0;
  /** Deferred questions, for which the run assumed the answer `true`. */
  private postponed: Question[] = [];
  private readonly answers = new Map<Check, Map<JsonValue, boolean>>();
  private readonly trackedAnswers = new Map<TrackedCheck, Map<JsonValue, TrackedAnswer>>();

  constructor(schema: Schema, assertFormats: boolean) {
    this.schema = schema;
    this.assertFormats = assertFormats;
    this.heights = new Heights(schema);
  }

  /** Whether `value` is valid against `node`. */
  judge(node: SchemaNode, value: JsonValue): boolean {
    const check = this.root(node);
    this.depth = 0;
    this.followed = 0;
    try {
      const verdict = check(value);
      return this.postponed.length === 0 ? verdict : this.judgeDeep({ check, value });
    } finally {
      this.forget();
    }
  }

  private forget(): void {
    if (this.postponed.length > 0) this.postponed = [];
    if (this.answers.size > 0) this.answers.clear();
    if (this.trackedAnswers.size > 0) this.trackedAnswers.clear();
  }

  /**
   * Answers the deferred questions, then repeats the first check: with an assumed `true`, its verdict may have been
   * wrong.
   */
  private judgeDeep(question: Question): boolean {
    const open = [question, ...this.postponed];
    for (;;) {
      const { check, value } = open.at(-1)!;
      this.postponed = [];
      this.depth = 0;
      const verdict = this.answers.get(check)?.get(value) ?? check(value);
      if (this.postponed.length > 0) {
        for (const earlier of this.postponed) open.push(earlier);
        continue;
      }
      open.pop();
      if (open.length === 0) return verdict;
      this.remember(check, value, verdict);
    }
  }

  private remember(check: Check, value: JsonValue, verdict: boolean): void {
    let known = this.answers.get(check);
    if (!known) this.answers.set(check, (known = new Map<JsonValue, boolean>()));
    known.set(value, verdict);
  }

  private root(node: SchemaNode): Check {
    let check = this.nodes.get(node);
    if (!check) this.nodes.set(node, (check = this.check(node)));
    return check;
  }

  check(node: SchemaNode): Check {
    if (!node.unevaluatedItems && !node.unevaluatedProperties) return nodeCheck(node, this);
    const tracked = trackedNode(node, this);
    return (value) => tracked(value, new Marks());
  }

  tracked(node: SchemaNode): TrackedCheck {
    return trackedNode(node, this);
  }

  format(name: string): ((text: string) => boolean) | undefined {
    return this.assertFormats ? formats.get(name) : undefined;
  }

  reference(name: string): Check {
    let check = this.references.get(name);
    if (!check)
      this.references.set(name, (check = this.referenceTo(this.schema.definitions.get(name)!.node)));
    return check;
  }

  private referenceTo(node: SchemaNode): Check {
    // A node without references cannot nest deeper: its check needs no limit.
    if (referencesOf(node).size === 0) return this.check(node);
    const height = this.heights.of(node);
    let check: Check | undefined;
    return (value) => {
      check ??= this.check(node);
      if (this.depth > deepest || ++this.followed > forgetful) return this.guarded(check, height, value);
      this.depth += height;
      const verdict = check(value);
      this.depth -= height;
      return verdict;
    };
  }

  /**
   * Follows a reference when the depth or the number of references exceeds its limit: caches or defers the
   * answer.
   */
  private guarded(check: Check, height: number, value: JsonValue): boolean {
    const known = this.answers.get(check)?.get(value);
    if (known !== undefined) return known;
    const before = this.postponed.length;
    if (this.depth > deepest) {
      this.postponed.push({ check, value });
      return true;
    }
    this.depth += height;
    const verdict = check(value);
    this.depth -= height;
    if (this.postponed.length === before) this.remember(check, value, verdict);
    return verdict;
  }

  trackedReference(name: string): TrackedCheck {
    let check = this.trackedReferences.get(name);
    if (!check) {
      check = this.trackedReferenceTo(this.schema.definitions.get(name)!.node);
      this.trackedReferences.set(name, check);
    }
    return check;
  }

  private trackedReferenceTo(node: SchemaNode): TrackedCheck {
    let check: TrackedCheck | undefined;
    return (value, marks) => {
      check ??= this.tracked(node);
      return ++this.followed > forgetful ? this.guardedTracked(check, value, marks) : check(value, marks);
    };
  }

  private guardedTracked(check: TrackedCheck, value: JsonValue, marks: Marks): boolean {
    let known = this.trackedAnswers.get(check);
    if (!known) this.trackedAnswers.set(check, (known = new Map<JsonValue, TrackedAnswer>()));
    let answer = known.get(value);
    if (!answer) {
      const before = this.postponed.length;
      const seen = new Marks();
      answer = { verdict: check(value, seen), marks: seen };
      if (this.postponed.length === before) known.set(value, answer);
    }
    if (answer.verdict) marks.merge(answer.marks);
    return answer.verdict;
  }
}
