import {
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
} from "yaml";
import { type Resolve, aliasesOf, isMergeKey, keyText } from "../yaml-value.js";
import type { Entry, Part } from "./parts.js";

/** The values in a YAML text that has been read as a contract; an alias is the value that it stands for. */
export function yamlParts(text: string): Part {
  const document: Document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  return new Parts(text, aliasesOf(document)).of(document.contents);
}

const nothing: Part = { start: 0, end: 0, style: "scalar", isList: false, entries: [], merged: [] };

class Parts {
  readonly #text: string;
  readonly #resolve: Resolve;
  /** A value that several aliases stand for is one part. */
  readonly #known = new Map<Node, Part>();

  constructor(text: string, resolve: Resolve) {
    this.#text = text;
    this.#resolve = resolve;
  }

  of(node: unknown): Part {
    const target = isAlias(node) ? this.#resolve(node) : node;
    if (!isNode(target) || !target.range) return nothing;
    const known = this.#known.get(target);
    if (known) return known;
    const part = isMap(target) ? this.#mapping(target) : isSeq(target) ? this.#list(target) : scalar(target);
    this.#known.set(target, part);
    return part;
  }

  #mapping(node: YAMLMap): Part {
    const merging = node.items.filter(({ key }) => isMergeKey(key));
    const own = node.items.filter(({ key }) => !isMergeKey(key) && isNode(key));
    return {
      ...this.#extent(node),
      isList: false,
      entries: own.map((pair) => this.#member(pair)),
      merged: merging.flatMap(({ value }) => {
        const part = this.of(value);
        return part.isList ? part.entries.map((entry) => entry.value) : [part];
      }),
    };
  }

  #member({ key, value }: Pair): Entry {
    const { range } = key as Node;
    const inner = isAlias(key) ? this.#resolve(key) : key;
    const keyEnd = range![1];
    // A value that the text leaves out ends with the colon.
    const colon = this.#text.indexOf(":", keyEnd) + 1;
    const end = Math.max(isNode(value) ? this.#endOf(value) : colon, keyEnd);
    return { name: keyText(inner) ?? "", start: range![0], keyEnd, end, value: this.of(value) };
  }

  #list(node: YAMLSeq): Part {
    const entries = node.items.map((item, index): Entry => {
      const value = this.of(item);
      const [first] = isNode(item) ? item.range! : [0];
      const dash = node.flow ? first : this.#text.lastIndexOf("-", first - 1);
      const end = isNode(item) ? this.#endOf(item) : first;
      return { name: String(index), start: dash, keyEnd: node.flow ? first : dash + 1, end, value };
    });
    return { ...this.#extent(node), isList: true, entries, merged: [] };
  }

  #extent(node: YAMLMap | YAMLSeq): Pick<Part, "start" | "end" | "style"> {
    return {
      start: node.range![0],
      end: this.#endOf(node),
      style: node.flow === true ? "flow" : "block",
    };
  }

  /** The end of the last character: the range of a value that is written by lines reaches over what follows it. */
  #endOf(node: Node): number {
    let last: unknown = node;
    while ((isMap(last) || isSeq(last)) && last.flow !== true && last.items.length > 0) {
      const item: unknown = last.items.at(-1);
      const { key, value } = (isNode(item) ? { key: item, value: item } : item) as Pair;
      last = isNode(value) && value.range![1] > value.range![0] ? value : key;
      if (last === key && isScalar(key) && key !== value) return this.#text.indexOf(":", key.range![1]) + 1;
    }
    const end = (last as Node).range![1];
    return this.#text.slice(0, end).trimEnd().length;
  }
}

function scalar({ range }: Node): Part {
  return { ...nothing, start: range![0], end: range![1] };
}
