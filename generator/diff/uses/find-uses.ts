import { ts } from "ts-morph";
import { type Address, addressOf, Mentions } from "./generated-names.js";
import { type GeneratedCode, type Origin, Callees, nameOf, isInside, Origins } from "./origins.js";
import { type CodeBase, isJavaScript, openCodeBase, syntaxRemark } from "./code-base.js";
import { EntryPlaces } from "./entry-places.js";
import { MethodPlaces } from "./method-places.js";
import { Renames, ValueFlow } from "./value-flow.js";
import { type Referred, Symbols } from "./symbols.js";
import { type Claim, type Target, type CodeUses, type Use, memberKey, TargetIndex } from "./targets.js";
import { type Compared, isOfMessage, SdkNames } from "./sdk.js";

interface FindOptions {
  /** Absolute path of a folder or a tsconfig file. */
  readonly path: string;
  /** Whether the targets are names in code generated from the protocol or from a contract. */
  readonly kind: "protocol" | "contract";
  /** For the protocol: the compared models. Code that imports an official SDK refers to them, too. */
  readonly compared: Compared;
  /** For the protocol: the compared revisions. Code of other revisions is not affected. */
  readonly revisions: readonly string[];
  /** For contracts: the folder generated from the compared contract, if known. */
  readonly contract?: string | undefined;
  readonly generated: GeneratedCode;
  /** Formats a path for messages. */
  readonly shown: (file: string) => string;
}

/**
 * Finds the places in code that use the subjects of findings. The compiler resolves names. If imports of
 * generated code cannot be resolved, equal names count as uses.
 *
 * @param targets the targets of each finding
 * @throws CodedError MG3209, see `openCodeBase`
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

/** The text of a negative number; error codes are negative. */
function numberOf({ operator, operand }: ts.PrefixUnaryExpression): string {
  return operator === ts.SyntaxKind.MinusToken && ts.isNumericLiteral(operand) ? `-${operand.text}` : "";
}

type Name = ts.Identifier | ts.StringLiteralLike;

const lists = ["tools", "prompts", "resources", "resourceTemplates"] as const;

/**
 * Whether a name is a use, rather than part of an import (whose use follows) or the new name in an export.
 */
function isReference(node: Name): boolean {
  const { parent } = node;
  if (ts.isImportSpecifier(parent)) return false;
  return !ts.isExportSpecifier(parent) || (parent.propertyName ?? parent.name) === node;
}

/** The types in JSDoc comments of JavaScript: `@param {Tool} tool`. */
function typesInComments(node: ts.Node, file: ts.SourceFile): ts.Node[] {
  const tags = node.getChildren(file).flatMap((child) => (ts.isJSDoc(child) ? [...(child.tags ?? [])] : []));
  return tags.flatMap((tag) => (tag as Partial<ts.JSDocTypeTag>).typeExpression ?? []);
}

/** The method for which a declaration is a member of a generated table. */
function methodName(declaration: ts.Node): string | undefined {
  if (!ts.isPropertySignature(declaration)) return undefined;
  const { name, parent } = declaration;
  if (ts.isStringLiteral(name)) return name.text;
  const isTable =
    ts.isInterfaceDeclaration(parent) && /(?:Requests|Notifications|Results)$/.test(parent.name.text);
  return isTable && ts.isIdentifier(name) ? name.text : undefined;
}

/** The error for which a declaration is an entry in a revision's table `errors`. */
function errorName(declaration: ts.Node): string | undefined {
  if (!ts.isPropertyAssignment(declaration) && !ts.isPropertySignature(declaration)) return undefined;
  let table: ts.Node = declaration.parent.parent;
  while (ts.isAsExpression(table) || ts.isSatisfiesExpression(table)) table = table.parent;
  const isTable = ts.isVariableDeclaration(table) && table.name.getText() === "errors";
  return isTable ? declaration.name.getText() : undefined;
}

/** Whether a name, with the name before it if the code has one, ends a path. */
function endsWith(path: readonly string[], node: Name): boolean {
  if (path.at(-1) !== node.text) return false;
  const before = path.at(-2);
  return before === undefined || nameBefore(node) === before;
}

/** The name before a member: `schema` in `tool.schema?.type` and in `{ schema: { type } }`. */
function nameBefore({ parent }: Name): string | undefined {
  if (ts.isPropertyAccessExpression(parent)) return nameOf(parent.expression);
  const holder = parent.parent.parent;
  return ts.isPropertyAssignment(holder) ? holder.name.getText() : undefined;
}

class Search {
  readonly found = new Map<number, Use[]>();
  readonly byName: string[] = [];
  readonly #targets: TargetIndex;
  readonly #options: FindOptions;
  readonly #origins: Origins;
  readonly #symbols: Symbols;
  readonly #mentions: Mentions;
  readonly #errors: ErrorNames;
  readonly #open: OpenNames;
  readonly #sdk: SdkNames;
  readonly #renames: Renames;
  readonly #methods: MethodPlaces;
  readonly #entries: EntryPlaces;
  readonly #revisions: ReadonlySet<string> | undefined;
  readonly #program: ts.Program;

  constructor(targets: TargetIndex, { program, files }: CodeBase, options: FindOptions) {
    this.#targets = targets;
    this.#options = options;
    this.#program = program;
    this.#origins = new Origins(options.generated);
    this.#symbols = new Symbols(program);
    const known = program.getSourceFiles().filter((file) => this.#origins.of(file));
    this.#revisions = concerned(known, this.#origins, options.revisions);
    this.#open = new OpenNames(known);
    const naming = known.filter((file) => this.#originOf(file));
    const isSdk = (file: ts.SourceFile): boolean => this.#origins.of(file)?.kind === "sdk";
    this.#mentions = new Mentions(
      naming.filter((file) => !isSdk(file)),
      targets,
      (name) => this.#definitionsNamed(name),
    );
    this.#errors = new ErrorNames(program, naming.filter(isSdk), targets);
    this.#sdk = new SdkNames(targets, options.compared);
    const written = files.filter((file) => !this.isGenerated(file));
    this.#renames = new Renames(written);
    const flow = new ValueFlow(program, written, this.#renames);
    const callees = new Callees(
      program,
      (file) => this.#origins.of(file)?.kind,
      (file) => this.#origins.of(file) !== undefined && !this.#originOf(file),
    );
    const methods = options.compared.models.flatMap((model) => model.methods.map(({ name }) => name));
    this.#methods = new MethodPlaces(program, callees, flow, new Set(methods));
    this.#entries = new EntryPlaces(program, callees, flow);
  }

  /**
   * The runtime does not count as generated: it is handwritten, so a search through its source reports uses.
   */
  isGenerated(file: ts.SourceFile): boolean {
    const kind = this.#origins.of(file)?.kind;
    return kind === "protocol" || kind === "contract";
  }

  readFile(file: ts.SourceFile): void {
    const unresolved = unresolvedNames(file, this.#program, this.#origins);
    if (unresolved.generated || (unresolved.sdk && this.#options.kind === "protocol"))
      this.byName.push(this.#options.shown(file.fileName));
    const isScript = isJavaScript(file);
    const visit = (node: ts.Node): void => {
      if ((ts.isIdentifier(node) || ts.isStringLiteralLike(node)) && isReference(node)) {
        const words = this.#renames.meantBy(node.text);
        if (words.some((word) => this.#isOfInterest(word))) this.#add(node, this.#claims(node, unresolved));
      }
      if (ts.isPrefixUnaryExpression(node)) this.#add(node, this.#targets.codes.get(numberOf(node)) ?? []);
      if (isScript) typesInComments(node, file).forEach(visit);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }

  #isOfInterest(word: string): boolean {
    return [this.#targets, this.#mentions, this.#errors, this.#sdk].some(({ words }) => words.has(word));
  }

  #add(node: Name | ts.PrefixUnaryExpression, claims: readonly Claim[]): void {
    if (claims.length === 0) return;
    const file = node.getSourceFile();
    // Report the position after a literal's quote.
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
      ...this.#claimsOfText(node, referred, unresolved),
    ];
    if (claims.length > 0 || !referred.unknown)
      return claims.filter(({ value }) => value === undefined || !this.#symbols.writesOther(node, value));
    return [
      ...(unresolved.generated ? this.#claimsByName(node, unresolved.generated) : []),
      ...(unresolved.sdk ? this.#claimsOfSdk(node, unresolved.sdk) : []),
    ];
  }

  /** The targets that a declaration in generated code or an SDK represents. */
  #claimsOf(declaration: ts.Node): Claim[] {
    const origin = this.#originOf(declaration.getSourceFile());
    if (!origin) return [];
    if (origin.kind === "sdk")
      return [...this.#sdk.ofDeclaration(declaration), ...this.#errors.of(declaration)];
    const named = origin.kind === this.#options.kind ? this.#named(declaration) : [];
    return [...named, ...this.#mentions.of(declaration)].filter(
      ({ wireOnly }) => !wireOnly || origin.revision !== undefined,
    );
  }

  /** The targets with the name of a declaration in generated code. */
  #named(declaration: ts.Node): Claim[] {
    const { definitions, members, methods, errors } = this.#targets;
    const error = errorName(declaration);
    const method = methodName(declaration);
    const address = this.#addressOf(declaration);
    return [
      ...((address?.path === "" && definitions.get(address.definition)) || []),
      ...((address && members.get(memberKey(address.definition, address.path))) ?? []),
      ...((method !== undefined && methods.get(method)) || []),
      ...((error !== undefined && errors.get(error)) || []),
    ];
  }

  #addressOf(declaration: ts.Node): Address | undefined {
    const address = addressOf(declaration);
    return address && this.#open.closed(address, declaration.getSourceFile());
  }

  /** The targets that a type name in generated code represents. */
  #definitionsNamed(name: ts.Identifier): Claim[] {
    return this.#symbols.referredBy(name).declarations.flatMap((declaration) => {
      const address =
        this.#originOf(declaration.getSourceFile())?.kind === this.#options.kind &&
        this.#addressOf(declaration);
      return address && address.path === "" ? (this.#targets.definitions.get(address.definition) ?? []) : [];
    });
  }

  /** Targets of a member, found through each type that has it and each type that these extend. */
  #claimsOfOwners({ text }: Name, { owners }: Referred): Claim[] {
    return owners.flatMap((owner) =>
      this.#symbols.withBases(owner, text).flatMap((holder) => {
        const origin = this.#originOf(holder.getSourceFile());
        const address = origin?.kind === this.#options.kind ? this.#addressOf(holder) : undefined;
        if (!address) return [];
        const path = address.path === "" ? text : `${address.path}.${text}`;
        return this.#targets.members.get(memberKey(address.definition, path)) ?? [];
      }),
    );
  }

  /**
   * Targets of a string or a table key that names a method, or of a string that names an entry of a contract.
   */
  #claimsOfText(node: Name, { declarations }: Referred, { generated, sdk }: Unresolved): Claim[] {
    const methods = this.#targets.methods.get(node.text) ?? [];
    const isGuessed = generated !== undefined || sdk !== undefined;
    // A name declared in generated code was handled above; it may belong to a revision that is not compared.
    const isDeclared = declarations.some((declaration) => this.#origins.of(declaration.getSourceFile()));
    const isMethod = methods.length > 0 && !isDeclared && this.#methods.isMethod(node, isGuessed);
    const named = isMethod ? methods.filter(({ wireOnly }) => !wireOnly || isOfMessage(node)) : [];
    return [...named, ...(ts.isIdentifier(node) ? [] : this.#claimsOfEntries(node, isGuessed))];
  }

  #claimsOfEntries(node: ts.StringLiteralLike, isGuessed: boolean): Claim[] {
    const { entries } = this.#targets;
    if (!lists.some((list) => entries.has(`${list}/${node.text}`))) return [];
    return [...this.#entries.listsOf(node, isGuessed)].flatMap(
      (list) => entries.get(`${list}/${node.text}`) ?? [],
    );
  }

  /**
   * Targets found by name alone if the types of an official SDK are missing: imports, and calls of clients
   * and servers.
   */
  #claimsOfSdk({ text, parent }: Name, unresolved: ReadonlyMap<string, string>): Claim[] {
    const imported = unresolved.get(text);
    // With `new`, the name is a class: an SDK has a class `ResourceTemplate`, named like a definition.
    if (imported !== undefined) return ts.isNewExpression(parent) ? [] : this.#sdk.ofExport(imported);
    const isCalled = ts.isPropertyAccessExpression(parent) && ts.isCallExpression(parent.parent);
    return isCalled && parent.parent.expression === parent ? this.#sdk.ofFunction(text) : [];
  }

  #claimsByName(node: Name, unresolved: ReadonlyMap<string, string>): Claim[] {
    const { text, parent } = node;
    const { definitions, members, methods, entries } = this.#targets;
    const imported = unresolved.get(text);
    if (imported !== undefined) return definitions.get(imported) ?? methods.get(imported) ?? [];
    const isMember = ts.isPropertyAccessExpression(parent) || ts.isObjectLiteralElementLike(parent);
    if (!isMember || parent.name !== node) return [];
    const last = [...members].filter(([key]) => endsWith(key.split(".").slice(1), node));
    const claims = last.flatMap(([, each]) => each);
    return [...claims, ...lists.flatMap((list) => entries.get(`${list}/${text}`) ?? [])];
  }

  #isNaming({ kind }: Origin): boolean {
    return (
      kind === "runtime" ||
      kind === this.#options.kind ||
      (kind === "sdk" && this.#options.kind === "protocol")
    );
  }

  /** The origin of a file whose declarations can represent targets; undefined for other files. */
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

/**
 * The revisions whose generated code a comparison concerns: the two compared ones, and the one that provides
 * the shared types.
 *
 * @returns undefined for all revisions, if no code was generated for the compared ones
 */
function concerned(
  generated: readonly ts.SourceFile[],
  origins: Origins,
  compared: readonly string[],
): ReadonlySet<string> | undefined {
  const known = new Set(generated.flatMap((file) => origins.of(file)?.revision ?? []));
  if (!compared.some((revision) => known.has(revision))) return undefined;
  const shared = generated
    .filter((file) => origins.of(file)?.kind === "protocol" && origins.of(file)?.revision === undefined)
    .flatMap(({ fileName, text }) =>
      /[\\/]authoring(?:\.d)?\.ts$/.test(fileName) ? (/from "\.\/([^/"]+)\/types/.exec(text)?.[1] ?? []) : [],
    );
  return new Set([...compared, ...shared]);
}

/** Names of error codes in official SDKs: `ErrorCode.UrlElicitationRequired` is −32042. */
class ErrorNames {
  readonly #claims = new Map<ts.Node, readonly Claim[]>();
  readonly words = new Set<string>();

  /** @param files files of SDKs */
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

/** Name of the generated table with the open type of each definition, which a tolerant reader uses. */
const table = "OpenDefinitions";

/** Maps open types to their definitions: `OpenTool` is the definition `Tool`. */
class OpenNames {
  readonly #definitions = new Map<ts.SourceFile, ReadonlyMap<string, string>>();

  /** @param files files of generated code */
  constructor(files: readonly ts.SourceFile[]) {
    for (const file of files) {
      const found = file.statements.find(
        (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === table,
      );
      if (found) this.#definitions.set(file, definitionsIn(found as ts.InterfaceDeclaration));
    }
  }

  /** Replaces an open type by its definition; returns other addresses unchanged. */
  closed(address: Address, file: ts.SourceFile): Address {
    const definition = this.#definitions.get(file)?.get(address.definition);
    return definition === undefined ? address : { ...address, definition };
  }
}

function definitionsIn({ members }: ts.InterfaceDeclaration): ReadonlyMap<string, string> {
  return new Map(
    members.flatMap((member) =>
      ts.isPropertySignature(member) && member.type
        ? [[member.type.getText(), member.name.getText()] as const]
        : [],
    ),
  );
}

/** Names that a file imports from modules that cannot be resolved: local name → exported name. */
interface Unresolved {
  /** Imports of generated code or the runtime; undefined if all can be resolved. */
  readonly generated: ReadonlyMap<string, string> | undefined;
  /** Imports of official SDKs; undefined if all can be resolved. */
  readonly sdk: ReadonlyMap<string, string> | undefined;
}

function unresolvedNames(file: ts.SourceFile, program: ts.Program, origins: Origins): Unresolved {
  return {
    generated: namesFrom(file, program, (specifier) => origins.isNamed(specifier, file.fileName)),
    sdk: namesFrom(file, program, (specifier) => origins.isOfSdk(specifier)),
  };
}

function namesFrom(
  file: ts.SourceFile,
  program: ts.Program,
  isNamed: (specifier: string) => boolean,
): ReadonlyMap<string, string> | undefined {
  const names = new Map<string, string>();
  let any = false;
  const checker = program.getTypeChecker();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    if (!isNamed(statement.moduleSpecifier.text)) continue;
    if (checker.getSymbolAtLocation(statement.moduleSpecifier)) continue;
    any = true;
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    for (const { name, propertyName } of bindings.elements) names.set(name.text, (propertyName ?? name).text);
  }
  return any ? names : undefined;
}
