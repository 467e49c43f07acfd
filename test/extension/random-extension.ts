import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { type Random, randomFrom, shuffled } from "../../generator/sample/values.js";
import type { ExtensionText } from "./models.js";
import { cases } from "../support/cases.mjs";

type Role = "client" | "server";

/** Definitions that every revision has. */
const ofEveryBase = ["Implementation", "Prompt", "Resource", "Role", "TextContent", "Tool"];

const everyBase = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/** The revisions without requests from servers. */
const modern = "2026-07-28";

/** How many the long tests take. */
export const randomCount = cases(200, 12);

/** A random extension: its files, and the properties of it that the tests need. */
export interface RandomExtension extends ExtensionText {
  /** By method: who sends it, and whether it goes through pages. */
  readonly requests: ReadonlyMap<string, { readonly sender: Role; readonly paged: boolean }>;
  readonly notifications: ReadonlyMap<string, Role>;
}

/**
 * An extension as an author might write it: methods both ways, paging, settings, gates, added results, filters, members
 * of objects of the base, several bases. The same seed gives the same extension.
 */
export function randomExtension(seed: number | string, number: number): RandomExtension {
  return new Maker(randomFrom(`${seed}: extension ${number}`), number).extension();
}

class Maker {
  private readonly random: Random;
  private readonly name: string;
  private readonly definitions: JsonObject = {};
  private readonly notes: JsonObject[] = [];
  private readonly requests = new Map<string, { sender: Role; paged: boolean }>();
  private readonly notifications = new Map<string, Role>();
  private readonly bases: readonly string[];
  private readonly declaring: readonly Role[];
  /** Settings that are flags, by the side that declares them. */
  private readonly flags: Record<Role, string[]> = { client: [], server: [] };

  constructor(random: Random, number: number) {
    this.random = random;
    this.name = `x${number}`;
    const count = 1 + random.below(3);
    const bases = new Set(shuffled(everyBase, random).slice(0, count));
    this.bases = everyBase.filter((base) => bases.has(base));
    this.declaring = random.pick<readonly Role[]>([["server"], ["client", "server"], ["client", "server"]]);
  }

  extension(): RandomExtension {
    const settings = Object.fromEntries(
      this.declaring.map((side): [string, JsonValue] => [side, this.settings(side)]),
    );
    const count = 1 + this.random.below(4);
    for (let number = 1; number <= count; number++) this.request(number);
    for (let number = 1; number <= this.random.below(3); number++) this.notification(number);
    if (this.declaring.includes("client") && this.random.chance(0.4)) this.addedResult();
    if (this.random.chance(0.5)) this.member();
    if (this.bases.includes(modern) && this.random.chance(0.5)) this.filter();
    if (this.random.chance(0.3)) {
      this.note("error", String(-31000 - this.random.below(900)), {
        name: `${this.name.toUpperCase()}_REFUSED`,
      });
    }
    const place = `/extensions/com.example~1${this.name}`;
    const declared = Object.fromEntries(this.declaring.map((side) => [side, place]));
    return {
      id: `com.example/${this.name}`,
      bases: this.bases,
      about: { declared, settings },
      definitions: this.definitions,
      notes: this.notes,
      requests: this.requests,
      notifications: this.notifications,
    };
  }

  private settings(side: Role): JsonValue {
    if (this.random.chance(0.2)) return null;
    const name = `${side === "client" ? "Client" : "Server"}Settings`;
    const flags = ["deep", "wide"].filter(() => this.random.chance(0.6));
    this.flags[side].push(...flags);
    const members = Object.fromEntries(flags.map((flag): [string, JsonValue] => [flag, { type: "boolean" }]));
    if (this.random.chance(0.5)) members["limit"] = { type: "integer", minimum: 1 };
    this.definitions[name] = { type: "object", properties: members };
    return `#/$defs/${name}`;
  }

  private request(number: number): void {
    const sender: Role = this.random.chance(0.3) ? "server" : "client";
    const method = `${this.name}/m${number}`;
    const stem = `M${number}`;
    const paged = sender === "client" && this.random.chance(0.3);
    const params = this.members(1 + this.random.below(3));
    this.definitions[`${stem}Request`] = paged
      ? this.extending("PaginatedRequest", { method: { type: "string", const: method } }, ["method"])
      : this.extending(
          // Requests of a server inside of a result have no envelope.
          sender === "server" ? "Request" : "JSONRPCRequest",
          { method: { type: "string", const: method }, params: this.paramsOf(stem, params, sender) },
          ["method", "params"],
        );
    this.definitions[`${stem}Result`] = paged
      ? this.page(stem)
      : sender === "server"
        ? { type: "object", properties: this.members(2) }
        : this.random.chance(0.2)
          ? this.extending("Result", {}, [])
          : this.resultOf(stem);
    this.requests.set(method, { sender, paged });
    this.note("sender", method, { sender });
    const answering: Role = sender === "client" ? "server" : "client";
    const flag = this.flags[answering].length > 0 && this.random.chance(0.4);
    if (flag) {
      const capability = `/extensions/com.example~1${this.name}/${this.random.pick(this.flags[answering])}`;
      this.note("capability", method, { of: answering, capability });
    }
    if (this.declaring.includes(sender) && this.random.chance(0.4))
      this.note("requires", method, { of: sender });
  }

  /**
   * Returns params in place, or a reference to a definition. If the base requires `_meta` in requests, the params
   * extend the params of the base.
   */
  private paramsOf(stem: string, members: JsonObject, sender: Role): JsonObject {
    const required = Object.keys(members).filter(() => this.random.chance(0.6));
    const own: JsonObject = { type: "object", properties: members, ...(required.length > 0 && { required }) };
    const newer = this.bases.filter((base) => base >= "2025-11-25" && (sender === "client" || base < modern));
    if (newer.length === 0 && this.random.chance(0.5)) return own;
    this.definitions[`${stem}Params`] = own;
    if (newer.length > 0)
      this.note("extends", `/$defs/${stem}Params`, { base: "base#/$defs/RequestParams", bases: newer });
    return { $ref: `#/$defs/${stem}Params` };
  }

  private page(stem: string): JsonObject {
    this.definitions[`${stem}Item`] = {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" } },
    };
    const item = this.random.chance(0.5) ? `#/$defs/${stem}Item` : "base#/$defs/Resource";
    const list = { type: "array", items: { $ref: item } };
    return this.extending("PaginatedResult", { entries: list }, ["entries"]);
  }

  private resultOf(stem: string): JsonObject {
    const members = this.members(1 + this.random.below(3));
    const required = Object.keys(members).filter(() => this.random.chance(0.5));
    const result = this.extending("Result", members, required);
    if (this.random.chance(0.3)) {
      const cacheable = this.bases.filter((base) => base >= modern);
      if (cacheable.length > 0) {
        this.note("extends", `/$defs/${stem}Result`, {
          base: "base#/$defs/CacheableResult",
          bases: cacheable,
        });
        this.note("cacheable", `${this.name}/${stem.toLowerCase()}`, { bases: cacheable });
      }
    }
    return result;
  }

  private notification(number: number): void {
    const method = `notifications/${this.name}/n${number}`;
    const sender = this.random.pick<Role>(["client", "server"]);
    this.definitions[`N${number}Notification`] = this.extending(
      "JSONRPCNotification",
      { method: { type: "string", const: method }, params: { type: "object", properties: this.members(2) } },
      ["method"],
    );
    this.notifications.set(method, sender);
    this.note("sender", method, { sender });
  }

  private addedResult(): void {
    this.definitions["LaterResult"] = this.extending(
      "Result",
      { ticket: { type: "string" }, resultType: { type: "string", const: `later-${this.name}` } },
      ["ticket", "resultType"],
    );
    this.note("augments", "tools/call", {
      result: "LaterResult",
      mark: { resultType: `later-${this.name}` },
    });
    if (this.random.chance(0.5)) {
      this.definitions["Outcome"] = { type: "object", properties: { result: { type: "object" } } };
      this.note("carries", "/$defs/Outcome/properties/result", { of: "tools/call" });
    }
  }

  private member(): void {
    this.definitions["Mark"] = { type: "object", properties: this.members(2) };
    const target = `base#/$defs/${this.random.pick(["Tool", "Resource", "Prompt"])}`;
    this.note("member", target, { member: `/_meta/com.example~1${this.name}`, definition: "Mark" });
  }

  private filter(): void {
    const isList = this.random.chance(0.5);
    const member = `${this.name}Jobs`;
    const type: JsonObject = isList ? { type: "array", items: { type: "string" } } : { type: "boolean" };
    this.definitions["JobFilter"] = { type: "object", properties: { [member]: type } };
    const method = `notifications/${this.name}/job`;
    const params = { type: "object", required: ["job"], properties: { job: { type: "string" } } };
    this.definitions["JobNotification"] = this.extending(
      "JSONRPCNotification",
      { method: { type: "string", const: method }, params },
      ["method", "params"],
    );
    this.notifications.set(method, "server");
    this.note("sender", method, { sender: "server" });
    this.note("subscription", method, {
      filter: `/$defs/JobFilter/properties/${member}`,
      ...(isList && { key: "job" }),
      bases: [modern],
    });
  }

  private extending(base: string, properties: JsonObject, required: readonly string[]): JsonObject {
    const own: JsonObject = {
      type: "object",
      properties,
      ...(required.length > 0 && { required: [...required] }),
    };
    return { allOf: [{ $ref: `base#/$defs/${base}` }, own] };
  }

  private members(count: number): JsonObject {
    const names = shuffled(["alpha", "beta", "gamma-ray", "delta", "uri", "constructor"], this.random);
    return Object.fromEntries(
      names.slice(0, count).map((name): [string, JsonValue] => [name, this.value(2)]),
    );
  }

  private value(depth: number): JsonValue {
    const kinds = [
      "string",
      "integer",
      "boolean",
      "enum",
      "base",
      ...(depth > 0 ? ["array", "object", "union"] : []),
    ];
    switch (this.random.pick(kinds)) {
      case "integer":
        return { type: "integer", minimum: this.random.below(3) };
      case "boolean":
        return { type: "boolean" };
      case "enum":
        return { type: "string", enum: ["one", "two", "three"] };
      case "base":
        return { $ref: `base#/$defs/${this.random.pick(ofEveryBase)}` };
      case "array":
        return { type: "array", items: this.value(depth - 1) };
      case "object":
        return { type: "object", properties: { inner: this.value(depth - 1) } };
      case "union":
        return {
          anyOf: [{ type: "string" }, { type: "object", properties: { inner: this.value(depth - 1) } }],
        };
      default:
        return { type: "string" };
    }
  }

  private note(kind: string, target: string, fields: JsonObject): void {
    this.notes.push({ kind, target, ...fields });
  }
}
