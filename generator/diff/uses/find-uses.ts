import { ts } from "ts-morph";
import { addressOf } from "./address.js";
import { type CodeBase, openCodeBase, syntaxRemark } from "./code-base.js";
import { concerned } from "./concerned.js";
import { Mentions } from "./mentions.js";
import { type GeneratedCode, type Origin, Origins, isInside } from "./origins.js";
import { type Referred, Symbols } from "./symbols.js";
import { type Claim, type Target, TargetIndex, memberKey } from "./targets.js";
import { type Compared, SdkNames, isDispatched, isOfMessage } from "./sdk.js";
import { type Unresolved, unresolvedNames } from "./unresolved.js";
import type { CodeUses, Use } from "./use.js";

interface FindOptions {
  /** A folder or a tsconfig file, absolute. */
  readonly path: string;
  /** The origin of the code that the targets are names of. */
  readonly kind: "protocol" | "contract";
  /** For the protocol: the comparison. Code that imports an official SDK names it, too. */
  readonly compared: Compared;
  /** For the protocol: the compared revisions; code of others is not affected. */
  readonly revisions: readonly string[];
  /** For contracts: the folder of the compared one, if it is known. */
  readonly contract?: string | undefined;
  readonly generated: GeneratedCode;
  /** How a path is shown. */
  readonly shown: (file: string) => string;
}

/**
 * Finds the places in code that use the subjects of findings. The compiler resolves names; where imports of generated
 * code cannot be resolved, equal names count.
 *
 * @param targets by finding
 * @throws CodedError MG3209 as `openCodeBase`
 */
export function findUses(targets: readonly (readonly Target[])[], options: FindOptions): CodeUses {
  const code = openCodeBase(options.path);
  const search = new Search(new TargetIndex(targets), code, options);
  const written = code.files.filter((file) => !search.isGenerated(file));
  for (const file of written) search.readFile(file);
  return {
    uses: targets.map((_, finding) => search.found.get(finding) ?? []),
    files: written.length,
    byName: search.byName,
    remarks: written.flatMap((file) => syntaxRemark(code.program, file, options.shown)),
  };
}

/** Whether another value than the one is written there, for all to see. */
function writesOther({ parent }: ts.Node, value: string): boolean {
  if (!ts.isPropertyAssignment(parent) || !ts.isStringLiteralLike(parent.initializer)) return false;
  return JSON.stringify(parent.initializer.text) !== value;
}

/** A negative number as it is written; codes of errors are negative. */
function numberOf({ operator, operand }: ts.PrefixUnaryExpression): string {
  return operator === ts.SyntaxKind.MinusToken && ts.isNumericLiteral(operand) ? `-${operand.text}` : "";
}

type Name = ts.Identifier | ts.StringLiteralLike;

class Search {
  readonly found = new Map<number, Use[]>();
  readonly byName: string[] = [];
  readonly #targets: TargetIndex;
  readonly #options: FindOptions;
  readonly #origins: Origins;
  readonly #symbols: Symbols;
  readonly #mentions: Mentions;
  readonly #sdk: SdkNames;
  readonly #revisions: ReadonlySet<string> | undefined;
  readonly #program: ts.Program;

  constructor(targets: TargetIndex, { program }: CodeBase, options: FindOptions) {
    this.#targets = targets;
    this.#options = options;
    this.#program = program;
    this.#origins = new Origins(options.generated);
    this.#symbols = new Symbols(program);
    const generated = program.getSourceFiles().filter((file) => this.#origins.of(file));
    this.#revisions = concerned(generated, this.#origins, options.revisions);
    this.#mentions = new Mentions(
      generated.filter((file) => this.#originOf(file) && this.#origins.of(file)?.kind !== "sdk"),
      targets,
    );
    this.#sdk = new SdkNames(targets, options.compared);
  }

  /** The runtime is written by hand, so a search through its source reports uses in it. */
  isGenerated(file: ts.SourceFile): boolean {
    const kind = this.#origins.of(file)?.kind;
    return kind === "protocol" || kind === "contract";
  }

  readFile(file: ts.SourceFile): void {
    const unresolved = unresolvedNames(file, this.#program, this.#origins);
    if (unresolved.generated || (unresolved.sdk && this.#options.kind === "protocol"))
      this.byName.push(this.#options.shown(file.fileName));
    const aliases = new Set<string>();
    const visit = (node: ts.Node): void => {
      // An import is used further down, perhaps under another name.
      if (ts.isImportSpecifier(node) && node.propertyName && this.#isOfInterest(node.propertyName.text))
        aliases.add(node.name.text);
      else if (
        (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) &&
        !ts.isImportSpecifier(node.parent) &&
        (this.#isOfInterest(node.text) || aliases.has(node.text))
      )
        this.#add(node, this.#claims(node, unresolved));
      if (ts.isPrefixUnaryExpression(node)) this.#add(node, this.#targets.codes.get(numberOf(node)) ?? []);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }

  #isOfInterest(word: string): boolean {
    return this.#targets.words.has(word) || this.#mentions.words.has(word) || this.#sdk.words.has(word);
  }

  #add(node: Name | ts.PrefixUnaryExpression, claims: readonly Claim[]): void {
    if (claims.length === 0) return;
    const file = node.getSourceFile();
    // A literal's name begins behind its quote.
    const start = node.getStart(file) + (ts.isStringLiteralLike(node) ? 1 : 0);
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    const use = {
      file: this.#options.shown(file.fileName),
      line: line + 1,
      column: character + 1,
      name: ts.isPrefixUnaryExpression(node) ? node.getText(file) : node.text,
    };
    for (const finding of new Set(claims.map((claim) => claim.finding)))
      this.found.set(finding, [...(this.found.get(finding) ?? []), use]);
  }

  #claims(node: Name, unresolved: Unresolved): Claim[] {
    return this.#sdk.onItsSide(node, this.#claimsOnAnySide(node, unresolved));
  }

  #claimsOnAnySide(node: Name, unresolved: Unresolved): Claim[] {
    const referred = this.#symbols.referredBy(node);
    const claims = [
      ...referred.declarations.flatMap((declaration) => this.#claimsOf(declaration)),
      ...this.#claimsOfOwners(node, referred),
      ...(ts.isIdentifier(node) ? [] : this.#claimsOfLiteral(node)),
    ];
    if (claims.length > 0 || !referred.unknown)
      return claims.filter(({ value }) => value === undefined || !writesOther(node, value));
    return [
      ...(unresolved.generated ? this.#claimsByName(node, unresolved.generated) : []),
      ...(unresolved.sdk ? this.#claimsOfSdk(node, unresolved.sdk) : []),
    ];
  }

  /** The target that a declaration in generated code stands for. */
  #claimsOf(declaration: ts.Node): Claim[] {
    const origin = this.#originOf(declaration.getSourceFile());
    if (!origin) return [];
    if (origin.kind === "sdk") return this.#sdk.ofDeclaration(declaration);
    const { definitions, members, methods } = this.#targets;
    const address = addressOf(declaration);
    const named = address && (address.path === "" ? definitions : members);
    const key =
      address && (address.path === "" ? address.definition : memberKey(address.definition, address.path));
    const isMethod = ts.isPropertySignature(declaration) && ts.isStringLiteral(declaration.name);
    const method = isMethod ? methods.get((declaration.name as ts.StringLiteral).text) : undefined;
    return [...((key && named?.get(key)) || []), ...(method ?? []), ...this.#mentions.of(declaration)].filter(
      ({ wireOnly }) => !wireOnly || origin.revision !== undefined,
    );
  }

  /** Members that a type has from one it extends are named by it, too. */
  #claimsOfOwners({ text }: Name, { owners, declarations }: Referred): Claim[] {
    if (!declarations.some((declaration) => this.#originOf(declaration.getSourceFile()))) return [];
    return owners.flatMap(({ symbol, aliasSymbol }) => {
      const holder = (aliasSymbol ?? symbol)?.declarations?.[0];
      const address = holder && this.#originOf(holder.getSourceFile()) && addressOf(holder);
      if (!address) return [];
      const path = address.path === "" ? text : `${address.path}.${text}`;
      return this.#targets.members.get(memberKey(address.definition, path)) ?? [];
    });
  }

  /** A method's name with a slash is unambiguous in every file; another name only in code that uses mcpgen. */
  #claimsOfLiteral(node: ts.StringLiteralLike): Claim[] {
    const methods = this.#targets.methods.get(node.text) ?? [];
    const entries = this.#targets.entries.get(node.text) ?? [];
    if (methods.length + entries.length === 0) return [];
    const takers = this.#takers(node).flatMap((each) => this.#origins.of(each.getSourceFile()) ?? []);
    const isOurs = takers.length > 0;
    // Functions of the SDKs take names of tools, too; some take methods.
    const takesMethods = takers.some(({ kind }) => kind !== "sdk") || (isOurs && isDispatched(node));
    const isCertain = node.text.includes("/") || takesMethods || isOfMessage(node);
    const certain = methods.filter(({ wireOnly }) => isCertain && (!wireOnly || isOfMessage(node)));
    return [...certain, ...(isOurs ? entries : [])];
  }

  /** Declarations of what takes a literal as an argument, alone or in an object. */
  #takers(node: ts.Node): readonly ts.Node[] {
    const { parent } = node;
    if (
      ts.isPropertyAssignment(parent) &&
      parent.initializer === node &&
      ts.isCallExpression(parent.parent.parent)
    )
      return this.#symbols.calledBy(parent.parent.parent);
    if (ts.isCallExpression(parent)) return this.#symbols.calledBy(parent);
    if (ts.isLiteralTypeNode(parent) && ts.isTypeReferenceNode(parent.parent))
      return this.#symbols.calledBy(parent.parent);
    return [];
  }

  /** Without the types of an official SDK: imports, and calls of clients and servers by name. */
  #claimsOfSdk({ text, parent }: Name, unresolved: ReadonlyMap<string, string>): Claim[] {
    const imported = unresolved.get(text);
    if (imported !== undefined) return this.#sdk.ofExport(imported);
    const isCalled = ts.isPropertyAccessExpression(parent) && ts.isCallExpression(parent.parent);
    return isCalled && parent.parent.expression === parent ? this.#sdk.ofFunction(text) : [];
  }

  #claimsByName({ text, parent }: Name, unresolved: ReadonlyMap<string, string>): Claim[] {
    const { definitions, members, methods, entries } = this.#targets;
    const imported = unresolved.get(text);
    if (imported !== undefined) return definitions.get(imported) ?? [];
    const isMember = ts.isPropertyAccessExpression(parent) || ts.isObjectLiteralElementLike(parent);
    const last = isMember
      ? [...members].filter(([key]) => key.endsWith(`.${text}`)).flatMap(([, claims]) => claims)
      : [];
    return [...last, ...(methods.get(text) ?? []), ...(entries.get(text) ?? [])];
  }

  #isNaming({ kind }: Origin): boolean {
    return (
      kind === "runtime" ||
      kind === this.#options.kind ||
      (kind === "sdk" && this.#options.kind === "protocol")
    );
  }

  /** A file of the code that the targets are names of. */
  #originOf(file: ts.SourceFile): Origin | undefined {
    const origin = this.#origins.of(file);
    if (!origin || !this.#isNaming(origin)) return undefined;
    const { contract } = this.#options;
    if (origin.kind === "contract" && contract !== undefined && !isInside(contract, file.fileName))
      return undefined;
    const { revision } = origin;
    return revision === undefined || !this.#revisions || this.#revisions.has(revision) ? origin : undefined;
  }
}
