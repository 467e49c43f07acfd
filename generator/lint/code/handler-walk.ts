import { ts } from "ts-morph";
import { type EffectKind, chaining, EffectKinds } from "./effects.js";
import {
  type FunctionNode,
  type HandlerFunction,
  type Literals,
  bareOf,
  calledPath,
  calleeName,
  isFunction,
} from "./literals.js";

/** An expression in a handler that has an effect. */
export interface Effect {
  readonly at: ts.Node;
  readonly kind: EffectKind;
  /** Whether the handler may ask after it, or while it runs: answers then run it again. */
  isBeforeAsk: boolean;
}

/** The facts about a handler that decide whether it may run again. */
export interface HandlerFacts {
  /** The effects outside of `context.once`, in the order of the code. */
  readonly effects: readonly Effect[];
  /** The first call that certainly asks. */
  readonly ask: ts.Node | undefined;
  /** The places that catch what an ask throws, and do not throw it again. */
  readonly caught: readonly ts.Node[];
}

/** Reads a handler, in the order in which it runs. */
export function handlerFacts(handler: HandlerFunction, literals: Literals, helpers: Helpers): HandlerFacts {
  const { effects, ask, caught } = new HandlerWalk(handler, handler.parameters[1], { literals, helpers });
  return { effects: [...effects].sort((a, b) => a.at.pos - b.at.pos), ask, caught };
}

/** Functions that get the context or a part of it, each read once; undefined while one is read. */
export class Helpers {
  readonly #read = new Map<HandlerFunction, Map<string, HandlerWalk | undefined>>();

  /** @param index of the parameter; @param member what it gets of the context */
  walked(
    called: HandlerFunction,
    index: number,
    member: string,
    literals: Literals,
  ): HandlerWalk | undefined {
    const read = this.#read.get(called) ?? new Map<string, HandlerWalk | undefined>();
    this.#read.set(called, read);
    const key = `${index} ${member}`;
    if (!read.has(key)) {
      read.set(key, undefined);
      read.set(key, new HandlerWalk(called, called.parameters[index], { literals, helpers: this }, member));
    }
    return read.get(key);
  }
}

/** Functions that call the function that they are given, for each element. */
const iterating = /^(?:map|forEach|flatMap|filter|some|every|find\w*|reduce\w*|from|replace\w*)$/;

/** The effects and asks of a local function, which its later uses repeat. */
interface Walked {
  readonly passed: readonly Effect[];
  readonly asks: boolean;
  readonly certainlyAsks: boolean;
}

class HandlerWalk implements HandlerFacts {
  readonly effects: Effect[] = [];
  readonly caught: ts.Node[] = [];
  ask: ts.Node | undefined;
  readonly #handler: HandlerFunction;
  readonly #literals: Literals;
  readonly #helpers: Helpers;
  readonly #kinds: EffectKinds;
  /** Local functions; undefined while one is walked. */
  readonly #functions = new Map<ts.Node, Walked | undefined>();
  /** Effects in the order in which they run; those of a function that is called twice are in it twice. */
  readonly #passed: Effect[] = [];
  /** Effects that may have run on the path that is walked. */
  #before = new Set<Effect>();
  /** Effects before a `return` of the function. */
  #returned = new Set<Effect>();
  /** Effects before a `break` of the loop or `switch`. */
  #broken = new Set<Effect>();
  /** Effects before a `continue` of the loop. */
  #continued = new Set<Effect>();
  /** Asks that are not awaited yet. */
  #open = new Set<ts.Node>();
  #asks = 0;
  #certainAsks = 0;
  /** Whether `once` runs the code that is walked. */
  #isKept = false;

  constructor(
    handler: HandlerFunction,
    context: ts.ParameterDeclaration | undefined,
    { literals, helpers }: { readonly literals: Literals; readonly helpers: Helpers },
    member = "",
  ) {
    this.#handler = handler;
    this.#literals = literals;
    this.#helpers = helpers;
    this.#kinds = new EffectKinds(handler, literals);
    if (context) this.#kinds.declare(context.name, member);
    if (handler.body) this.#visit(handler.body);
  }

  get asks(): boolean {
    return this.#asks > 0;
  }

  readonly #visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node)) return this.#use(node);
    if (ts.isFunctionDeclaration(node)) return;
    if (isFunction(node)) return this.#function(node);
    if (ts.isVariableDeclaration(node)) return this.#variable(node);
    if (ts.isPropertyAccessExpression(node)) return this.#visit(node.expression);
    if (ts.isCallExpression(node)) return this.#call(node);
    if (ts.isAwaitExpression(node)) return this.#await(node);
    if (ts.isNewExpression(node)) return this.#new(node);
    if (ts.isIfStatement(node)) return this.#fork(node.expression, node.thenStatement, node.elseStatement);
    if (ts.isConditionalExpression(node)) return this.#fork(node.condition, node.whenTrue, node.whenFalse);
    if (ts.isSwitchStatement(node)) return this.#switch(node);
    if (ts.isTryStatement(node)) return this.#try(node);
    if (ts.isForOfStatement(node) || ts.isForInStatement(node)) {
      this.#visit(node.expression);
      return this.#loop(() => this.#visit(node.statement));
    }
    if (ts.isIterationStatement(node, false)) return this.#loop(() => ts.forEachChild(node, this.#visit));
    ts.forEachChild(node, this.#visit);
    if (ts.isReturnStatement(node)) this.#leave(this.#returned);
    else if (ts.isBreakStatement(node)) this.#leave(this.#broken);
    else if (ts.isContinueStatement(node)) this.#leave(this.#continued);
    else if (ts.isThrowStatement(node)) this.#leave();
    else this.#record(node);
  };

  #record(at: ts.Node): void {
    const kind = this.#isKept ? undefined : this.#kinds.kindOf(at);
    if (!kind) return;
    const effect: Effect = { at, kind, isBeforeAsk: false };
    this.effects.push(effect);
    this.#pass(effect);
  }

  #pass(effect: Effect): void {
    this.#passed.push(effect);
    this.#before.add(effect);
    effect.isBeforeAsk ||= this.#open.size > 0;
  }

  #asked(at: ts.Node, isCertain: boolean): void {
    this.#asks++;
    if (isCertain) {
      this.#certainAsks++;
      this.ask ??= at;
    }
    markAll(this.#before);
    this.#open.add(at);
  }

  /** Ends the path. */
  #leave(into?: Set<Effect>): void {
    for (const effect of this.#before) into?.add(effect);
    this.#before = new Set();
  }

  #fork(condition: ts.Node, ...ways: readonly (ts.Node | undefined)[]): void {
    this.#visit(condition);
    const start = this.#before;
    const ends = ways.map((way) => {
      this.#before = new Set(start);
      if (way) this.#visit(way);
      return this.#before;
    });
    this.#before = union(...ends);
  }

  #switch({ expression, caseBlock: { clauses } }: ts.SwitchStatement): void {
    this.#visit(expression);
    const [start, broken] = [this.#before, this.#broken];
    this.#broken = new Set();
    for (const clause of clauses) {
      this.#before = union(start, this.#before);
      ts.forEachChild(clause, this.#visit);
    }
    this.#before = union(start, this.#before, this.#broken);
    this.#broken = broken;
  }

  #loop(body: () => void): void {
    const [start, broken, continued] = [new Set(this.#before), this.#broken, this.#continued];
    const asks = this.#asks;
    this.#broken = new Set();
    this.#continued = new Set();
    body();
    const turn = union(this.#before, this.#continued);
    // The ask of the next turn comes after the effects of this one.
    if (this.#asks > asks) markAll(turn);
    this.#before = union(start, turn, this.#broken);
    this.#broken = broken;
    this.#continued = continued;
  }

  #try({ tryBlock, catchClause, finallyBlock }: ts.TryStatement): void {
    const [start, first, asks, certain] = [
      new Set(this.#before),
      this.#passed.length,
      this.#asks,
      this.#certainAsks,
    ];
    this.#visit(tryBlock);
    let end = this.#before;
    // An ask without an answer throws: what follows then runs in each round.
    const asked = this.#asks > asks;
    const afterwards = (block: ts.Node): void => {
      const next = this.#passed.length;
      this.#before = union(start, end, this.#passed.slice(first));
      this.#visit(block);
      if (asked) markAll(this.#passed.slice(next));
    };
    if (catchClause) {
      if (this.#certainAsks > certain && !this.#rethrows(catchClause.block)) this.caught.push(catchClause);
      afterwards(catchClause);
      end = union(end, this.#before);
      this.#before = end;
    }
    if (!finallyBlock) return;
    afterwards(finallyBlock);
    if (this.#certainAsks > certain && returns(finallyBlock)) this.caught.push(finallyBlock);
  }

  /** Walks a function where it is written or used: there it may be called. */
  #function(node: FunctionNode): void {
    const [start, returned, broken] = [new Set(this.#before), this.#returned, this.#broken];
    this.#returned = new Set();
    this.#broken = new Set();
    for (const { initializer } of node.parameters) if (initializer) this.#visit(initializer);
    if (node.body) this.#visit(node.body);
    this.#before = union(start, this.#before, this.#returned);
    this.#returned = returned;
    this.#broken = broken;
  }

  /** Walks a function of the handler where its name is used. */
  #use(name: ts.Identifier): void {
    const declared = this.#literals.declarationOf(name);
    if (!declared || !isFunction(declared) || declared === this.#handler || !this.#kinds.isInside(declared))
      return;
    if (this.#functions.has(declared)) {
      const { asks = false, certainlyAsks = false, passed = [] } = this.#functions.get(declared) ?? {};
      if (asks) this.#asked(name, certainlyAsks);
      for (const effect of passed) this.#pass(effect);
      return;
    }
    const [first, asks, certain] = [this.#passed.length, this.#asks, this.#certainAsks];
    this.#functions.set(declared, undefined);
    this.#function(declared);
    const walked = {
      passed: this.#passed.slice(first),
      asks: this.#asks > asks,
      certainlyAsks: this.#certainAsks > certain,
    };
    // Effects inside of `once` were left out: another use may be outside.
    if (this.#isKept) this.#functions.delete(declared);
    else this.#functions.set(declared, walked);
  }

  #variable({ name, initializer }: ts.VariableDeclaration): void {
    const member = initializer && (this.#kinds.memberIn(initializer) ?? this.#boundMember(initializer));
    if (member !== undefined) return this.#kinds.declare(name, member);
    if (initializer && !isFunction(bareOf(initializer))) this.#visit(initializer);
    // What such an object does with the context is up to it.
    if (initializer && ts.isNewExpression(initializer) && this.#takesContext(initializer))
      this.#kinds.declare(name, "");
  }

  /** The member in `ask.elicit.bind(ask)`. */
  #boundMember(initializer: ts.Expression): string | undefined {
    const bare = bareOf(initializer);
    const isBound = ts.isCallExpression(bare) && calleeName(bare)?.text === "bind";
    return isBound ? this.#kinds.memberIn(bare.expression) : undefined;
  }

  #await(node: ts.AwaitExpression): void {
    const [open, passed] = [new Set(this.#open), this.#passed.length];
    this.#visit(node.expression);
    const bare = bareOf(node.expression);
    const isOfEarlier = !ts.isCallExpression(bare) || /^Promise\.\w+$/.test(calledPath(bare));
    // A promise that was made before is of an ask, if one is open.
    this.#open = isOfEarlier && this.#passed.length === passed ? new Set() : open;
  }

  /** What an object does that gets the context is not known: its methods may ask. */
  #new(node: ts.NewExpression): void {
    ts.forEachChild(node, this.#visit);
    this.#record(node);
    if (this.#takesContext(node)) this.#asked(node, false);
  }

  #takesContext({ arguments: args }: ts.NewExpression): boolean {
    return args?.some((each) => this.#kinds.passedMember(each) !== undefined) === true;
  }

  #call(call: ts.CallExpression): void {
    const member = this.#kinds.memberIn(call.expression);
    const [first, ...others] = call.arguments;
    if (member === "once") {
      // The result is stored, so the function may have effects; but its key must be the same in each run.
      if (first) this.#visit(first);
      const isKept = this.#isKept;
      this.#isKept = true;
      others.forEach(this.#visit);
      this.#isKept = isKept;
      return;
    }
    const certain = this.#certainAsks;
    const name = calleeName(call)?.text ?? "";
    const called = this.#literals.functionOf(calleeName(call));
    if (called && this.#kinds.isInside(called))
      for (const { member: passed, index } of this.#passedOn(call)) {
        const parameter = called.parameters[index];
        if (parameter) this.#kinds.declare(parameter.name, passed);
      }
    const [open, asks] = [new Set(this.#open), this.#asks];
    this.#visit(call.expression);
    const isChained = chaining.test(name);
    const isOfAsk = this.#asks > asks;
    const opened = this.#open;
    // The functions of `then` run when what they are chained to has its answer.
    if (isChained) this.#open = open;
    let asksInside = false;
    for (const [index, argument] of call.arguments.entries()) {
      const [next, before] = [this.#passed.length, this.#asks];
      if (iterating.test(name) && isFunction(argument)) this.#loop(() => this.#visit(argument));
      else this.#visit(argument);
      asksInside ||= this.#asks > before && isFunction(this.#literals.resolved(argument));
      // Those for a failure run in each round in which an ask has no answer.
      if (isChained && isOfAsk && (name !== "then" || index > 0)) markAll(this.#passed.slice(next));
    }
    if (isChained) this.#open = new Set([...opened, ...this.#open]);
    // A function that asks must not be kept by `once` as a whole.
    if (!asksInside) this.#record(call);
    if (member === "ask") this.#asked(call, true);
    else if (member === undefined) this.#askedThrough(call, called);
    if (this.#certainAsks > certain && this.#catches(call, name)) this.caught.push(call);
  }

  /** Whether a call on a promise keeps what the promise throws. */
  #catches(call: ts.CallExpression, name: string): boolean {
    if (/^Promise\.(?:allSettled|any)$/.test(calledPath(call))) return true;
    const handler = name === "catch" ? call.arguments[0] : name === "then" ? call.arguments[1] : undefined;
    if (!handler) return false;
    const { body } = this.#literals.functionOf(handler) ?? {};
    return !body || !this.#rethrows(body);
  }

  /** Whether code throws what it does not know: always, or in the branch of an `if` for all other errors. */
  #rethrows(node: ts.Node | undefined): boolean {
    if (!node) return false;
    if (ts.isBlock(node)) return node.statements.some((statement) => this.#rethrows(statement));
    if (ts.isThrowStatement(node)) return true;
    if (ts.isIfStatement(node))
      return this.#rethrows(isNegation(node.expression) ? node.thenStatement : node.elseStatement);
    if (ts.isTryStatement(node)) return this.#rethrows(node.tryBlock) || this.#rethrows(node.finallyBlock);
    if (ts.isSwitchStatement(node)) {
      const other = node.caseBlock.clauses.find(ts.isDefaultClause);
      return other?.statements.some((statement) => this.#rethrows(statement)) === true;
    }
    if (ts.isExpressionStatement(node) || ts.isReturnStatement(node) || ts.isAwaitExpression(node))
      return this.#rethrows(node.expression);
    return ts.isCallExpression(node) && (calledPath(node) === "Promise.reject" || this.#kinds.isNever(node));
  }

  /** Records the asks and effects of a function that receives the context, `once` or `ask`. */
  #askedThrough(call: ts.CallExpression, called: HandlerFunction | undefined): void {
    for (const { member, index } of this.#passedOn(call)) {
      if (!called?.body) {
        if (member === "once") continue;
        return this.#asked(call, false);
      }
      if (this.#kinds.isInside(called)) continue;
      const walk = this.#helpers.walked(called, index, member, this.#literals);
      if (!walk) continue;
      this.caught.push(...walk.caught);
      const effects = this.#isKept ? [] : walk.effects.map((effect) => ({ ...effect }));
      this.effects.push(...effects);
      for (const effect of effects) if (effect.isBeforeAsk) this.#pass(effect);
      const open = this.#open;
      this.#open = new Set(open);
      if (walk.asks) this.#asked(call, walk.ask !== undefined);
      const opened = this.#open;
      // Those after its last ask run when that one has its answer.
      this.#open = open;
      for (const effect of effects) if (!effect.isBeforeAsk) this.#pass(effect);
      this.#open = opened;
    }
  }

  /** The arguments of a call that pass the context, `once` or `ask` on. */
  #passedOn({ arguments: args }: ts.CallExpression): { readonly member: string; readonly index: number }[] {
    return args.flatMap((argument, index) => {
      const member = this.#kinds.passedMember(argument);
      return member === undefined ? [] : [{ member, index }];
    });
  }
}

/** Whether a condition holds for all other errors than those it names. */
function isNegation(condition: ts.Expression): boolean {
  const bare = bareOf(condition);
  if (ts.isPrefixUnaryExpression(bare)) return bare.operator === ts.SyntaxKind.ExclamationToken;
  if (!ts.isBinaryExpression(bare)) return false;
  const { kind } = bare.operatorToken;
  const { AmpersandAmpersandToken, ExclamationEqualsEqualsToken, ExclamationEqualsToken } = ts.SyntaxKind;
  if (kind === AmpersandAmpersandToken) return isNegation(bare.left) && isNegation(bare.right);
  return kind === ExclamationEqualsEqualsToken || kind === ExclamationEqualsToken;
}

function returns(node: ts.Node): boolean {
  if (ts.isReturnStatement(node)) return true;
  return ts.forEachChild(node, (child) => !isFunction(child) && returns(child)) ?? false;
}

function markAll(effects: Iterable<Effect>): void {
  for (const effect of effects) effect.isBeforeAsk = true;
}

function union(...sets: readonly Iterable<Effect>[]): Set<Effect> {
  return new Set(sets.flatMap((set) => [...set]));
}
