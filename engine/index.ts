// Reading: makes a schema document canonical, then a tree of nodes.
export {
  canonicalise,
  canonicaliseWithOrigins,
  canonicalDialect,
  kindOf,
  type CanonicaliseOptions,
} from "./resources/canonicalise.js";
export { type DocumentOptions, readDocument } from "./read/read-document.js";
export { type UnreadPart, readableSchema } from "./read/readable-schema.js";
export { type Bundle, type BundleOptions, bundle } from "./resources/bundle.js";
export { resolveUri } from "./resources/uri.js";
export { type IgnoredKeyword, ignoredKeywords } from "./read/ignored.js";
export { referenceTo, referencedPointer } from "./ir/fragment.js";
export { dialectOf, isSchemaPlace } from "./ir/vocabulary.js";
export { readSchema, type DefinitionRemarks, type NodeRemarks, type ReadOptions } from "./read/read.js";
export { formats } from "./formats/format.js";
export { hazardOf, type Hazard } from "./patterns/hazard.js";
export { divides, textOf } from "./emitted/shared-checks.js";
export * as sharedChecks from "./emitted/shared-checks.js";
export * as moves from "./emitted/moves.js";
export * as stepping from "./emitted/stepping.js";
export type { Step, StepLoss, StepRefusal, StepReport } from "./emitted/model.js";
export { PatternBudget } from "./patterns/budget.js";
export { exampleOf } from "./patterns/example.js";
export { isAutomaton, matcherOf } from "./patterns/pattern.js";
export { strictForm } from "./patterns/strict-form.js";
export {
  judgingKeywords,
  keywords,
  limitKeywords,
  type Dialect,
  type JudgingKeyword,
  type Keyword,
  type KeywordShape,
  type LimitKeyword,
} from "./ir/keywords.js";
export { ValueSet } from "./interpret/value-set.js";
export { SchemaError, type SchemaErrorCode } from "./ir/schema-error.js";

// Explanations: the issues of a value.
export { Explainer, type ExplainOptions } from "./explain/explain.js";
export type { Opening } from "./explain/facts.js";
export { type IssueKind, issueKind } from "./explain/issue-kind.js";
export { type Issue, summary } from "./explain/search.js";
export { explainerFor } from "./interpret/explained.js";
export { editDistance } from "./explain/text.js";
export { type Written, explanationsOf, readWritten } from "./explain/written.js";

// The schema IR and walks over it.
export type { Definition, Deprecation, Matcher, Schema, SchemaNode, TypeName } from "./ir/ir.js";
export {
  children,
  descendants,
  inPlaceReferences,
  inPlaceChildren,
  memberChildren,
  reachable,
  reaching,
  reachingOpen,
  recursiveDefinitions,
  referencesOf,
  withChildren,
  withReferenceNames,
  withNodes,
} from "./ir/references.js";
export {
  conjuncts,
  constantMember,
  hasMember,
  memberNames,
  memberNodes,
  requiredMembers,
} from "./ir/object-view.js";
export { DefinitionMemo } from "./ir/definition-memo.js";
export { Tags, tagOf, type Scalar, type Tag } from "./ir/tag.js";

// JSON values, pointers and order.
export {
  atPointer,
  canonicalText,
  escapeToken,
  groupBy,
  isJsonObject,
  jsonEqual,
  jsonObject,
  naturalCompare,
  pointer,
  pointerTokens,
  type JsonObject,
  type JsonValue,
} from "./ir/json.js";
