import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { McpError, type TemplateValue, UriTemplate, createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { cases } from "../../support/cases.mjs";

describe("a URI template returns the variables of a URI, or undefined if the URI does not match", () => {
  test.each<[string, string, { [name: string]: string | string[] } | undefined]>([
    ["note://{id}", "note://a%20b", { id: "a b" }],
    ["note://{id}", "note://a/b", undefined],
    ["note://{id}", "note://", undefined],
    ["file:///{+path}", "file:///a/b?c#d", { path: "a/b?c#d" }],
    ["db://{table}{/row}", "db://people/7", { table: "people", row: "7" }],
    ["q://s{?x,y}", "q://s?x=1&y=2", { x: "1", y: "2" }],
    ["q://s{?x,y}", "q://s?y=2", { y: "2" }],
    ["q://s{?x,y}", "q://s?x=1", { x: "1" }],
    ["q://s{?x,y}", "q://s", {}],
    ["q://s{?x,y}", "q://s?x=&y=2", { x: "", y: "2" }],
    ["q://s{?x,y}", "q://s?z=1", undefined],
    ["q://s{?x}", "q://s?x=1&z=2", undefined],
    ["q://s{?x,y}{#p}", "q://s?x=1#top", { x: "1", p: "top" }],
    ["q://s?fixed=1{&x}", "q://s?fixed=1&x=2", { x: "2" }],
    ["q://{+a}{?b}", "q://one?two&three?b=4", { a: "one?two&three", b: "4" }],
    ["q://{+a}{?b}", "q://one&two", { a: "one&two" }],
    ["q://{__proto__}", "q://x", JSON.parse('{"__proto__":"x"}') as { [name: string]: string }],
    ["q://{a}", "q://%E0%A4%A", undefined],
    ["q://{a,b}", "q://1,2%2C3", { a: "1", b: "2,3" }],
    ["q://{a,b}", "q://1", undefined],
    ["q://{a,b}", "q://1,2,3", undefined],
    ["q://s{;x,xy}", "q://s;xy=1", { xy: "1" }],
    ["q://s{;x,xy}", "q://s;x;xy=", { x: "", xy: "" }],
    ["q://s{;x}", "q://s;x=1;z=2", undefined],
    ["q://s{;x}", "q://s;x1", undefined],
    ["file://{/path*}", "file:///a/b%2Fc/", { path: ["a", "b/c", ""] }],
    ["file://{/path*}", "file://", {}],
    ["file://{/path*}?all", "file:///a/b?all", { path: ["a", "b"] }],
    ["file://{/path*}{?q}", "file:///a/b?q=1", { path: ["a", "b"], q: "1" }],
    ["q://s{?tag*,n}", "q://s?tag=a&tag=b%26&n=1", { tag: ["a", "b&"], n: "1" }],
    ["q://s{?tag*,n}", "q://s?n=1", { n: "1" }],
    ["q://s{?tag*}", "q://s?tag=a&other=b", undefined],
    ["q://s{;tag*}", "q://s;tag=a;tag;tag=c", { tag: ["a", "", "c"] }],
    ["q://{tag*}/x", "q://a,b/x", { tag: ["a", "b"] }],
    ["q://{tag*}", "q://", {}],
  ])("%s and %s", (template, uri, values) => {
    expect(new UriTemplate(template).match(uri)).toEqual(values);
  });
});

describe("a URI template is refused if its expansion does not determine the values", () => {
  test.each([
    ["q://{a:3}", /{a} cannot be matched: the URI has only the first 3 characters of its value/],
    ["q://{+a,b}", /{a} cannot be matched: its value may contain the character that separates it/],
    ["q://{#a*}", /{a} cannot be matched: its value may contain/],
    ["q://{.a,b}", /{a} cannot be matched: its value may contain/],
    ["q://{a}{b}", /{b} cannot be matched: no text separates it/],
    ["q://{/a}{+b}", /{b} cannot be matched: no text separates it/],
    ["q://{/a*,b}", /{b} cannot be matched: the list before it has no end/],
    ["q://{/a*}{/b}", /{b} cannot be matched: the list before it has no end/],
    ["q://{a*,b}", /{b} cannot be matched: the list before it has no end/],
    ["q://{a}/{a}", /it has the variable a twice/],
  ])("%s", (text, reason) => {
    const template = new UriTemplate(text);
    expect(typeof template.expand({ a: "x", b: "y" })).toBe("string");
    expect(() => template.match("q://x")).toThrow(expect.objectContaining({ code: "invalid-definition" }));
    expect(() => template.match("q://x")).toThrow(reason);
  });
});

test.each([
  ["q://{", "a { is never closed"],
  ["q://}", "a } was never opened"],
  ["q://{a}}", "a } was never opened"],
  ["q://{|a}", 'RFC 6570 has no operator "|"'],
  ["q://{=a}", 'RFC 6570 has no operator "="'],
  ["q://{}", '"" is not the name of a variable'],
  ["q://{a,}", '"" is not the name of a variable'],
  ["q://{a..b}", '"a..b" is not the name of a variable'],
  ["q://{a b}", '"a b" is not the name of a variable'],
  ["q://{a:0}", '"a:0" is not the name of a variable'],
  ["q://{a:10000}", '"a:10000" is not the name of a variable'],
  ["q://{a%2}", '"a%2" is not the name of a variable'],
])("%s is not a URI template", (text, problem) => {
  expect(() => new UriTemplate(text)).toThrow(McpError);
  expect(() => new UriTemplate(text)).toThrow(problem);
});

/** RFC 6570, 3.2. */
const given: { readonly [name: string]: TemplateValue } = {
  count: ["one", "two", "three"],
  dom: ["example", "com"],
  dub: "me/too",
  hello: "Hello World!",
  half: "50%",
  var: "value",
  who: "fred",
  base: "http://example.com/home/",
  path: "/foo/bar",
  list: ["red", "green", "blue"],
  keys: { semi: ";", dot: ".", comma: "," },
  v: "6",
  x: 1024,
  y: 768,
  empty: "",
  empty_keys: {},
  undef: null,
};

test.each([
  ["{count}", "one,two,three"],
  ["{count*}", "one,two,three"],
  ["{/count}", "/one,two,three"],
  ["{/count*}", "/one/two/three"],
  ["{;count}", ";count=one,two,three"],
  ["{;count*}", ";count=one;count=two;count=three"],
  ["{?count}", "?count=one,two,three"],
  ["{?count*}", "?count=one&count=two&count=three"],
  ["{&count*}", "&count=one&count=two&count=three"],
  ["{var}", "value"],
  ["{hello}", "Hello%20World%21"],
  ["{half}", "50%25"],
  ["O{empty}X", "OX"],
  ["O{undef}X", "OX"],
  ["{x,y}", "1024,768"],
  ["{x,hello,y}", "1024,Hello%20World%21,768"],
  ["?{x,empty}", "?1024,"],
  ["?{x,undef}", "?1024"],
  ["?{undef,y}", "?768"],
  ["{var:3}", "val"],
  ["{var:30}", "value"],
  ["{list}", "red,green,blue"],
  ["{list*}", "red,green,blue"],
  ["{keys}", "semi,%3B,dot,.,comma,%2C"],
  ["{keys*}", "semi=%3B,dot=.,comma=%2C"],
  ["{+var}", "value"],
  ["{+hello}", "Hello%20World!"],
  ["{+half}", "50%25"],
  ["{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"],
  ["{+base}index", "http://example.com/home/index"],
  ["O{+empty}X", "OX"],
  ["O{+undef}X", "OX"],
  ["{+path}/here", "/foo/bar/here"],
  ["here?ref={+path}", "here?ref=/foo/bar"],
  ["up{+path}{var}/here", "up/foo/barvalue/here"],
  ["{+x,hello,y}", "1024,Hello%20World!,768"],
  ["{+path,x}/here", "/foo/bar,1024/here"],
  ["{+path:6}/here", "/foo/b/here"],
  ["{+list}", "red,green,blue"],
  ["{+list*}", "red,green,blue"],
  ["{+keys}", "semi,;,dot,.,comma,,"],
  ["{+keys*}", "semi=;,dot=.,comma=,"],
  ["{#var}", "#value"],
  ["{#hello}", "#Hello%20World!"],
  ["{#half}", "#50%25"],
  ["foo{#empty}", "foo#"],
  ["foo{#undef}", "foo"],
  ["{#x,hello,y}", "#1024,Hello%20World!,768"],
  ["{#path,x}/here", "#/foo/bar,1024/here"],
  ["{#path:6}/here", "#/foo/b/here"],
  ["{#list}", "#red,green,blue"],
  ["{#list*}", "#red,green,blue"],
  ["{#keys}", "#semi,;,dot,.,comma,,"],
  ["{#keys*}", "#semi=;,dot=.,comma=,"],
  ["{.who}", ".fred"],
  ["{.who,who}", ".fred.fred"],
  ["{.half,who}", ".50%25.fred"],
  ["www{.dom*}", "www.example.com"],
  ["X{.var}", "X.value"],
  ["X{.empty}", "X."],
  ["X{.undef}", "X"],
  ["X{.var:3}", "X.val"],
  ["X{.list}", "X.red,green,blue"],
  ["X{.list*}", "X.red.green.blue"],
  ["X{.keys}", "X.semi,%3B,dot,.,comma,%2C"],
  ["X{.keys*}", "X.semi=%3B.dot=..comma=%2C"],
  ["X{.empty_keys}", "X"],
  ["X{.empty_keys*}", "X"],
  ["{/who}", "/fred"],
  ["{/who,who}", "/fred/fred"],
  ["{/half,who}", "/50%25/fred"],
  ["{/who,dub}", "/fred/me%2Ftoo"],
  ["{/var}", "/value"],
  ["{/var,empty}", "/value/"],
  ["{/var,undef}", "/value"],
  ["{/var,x}/here", "/value/1024/here"],
  ["{/var:1,var}", "/v/value"],
  ["{/list}", "/red,green,blue"],
  ["{/list*}", "/red/green/blue"],
  ["{/list*,path:4}", "/red/green/blue/%2Ffoo"],
  ["{/keys}", "/semi,%3B,dot,.,comma,%2C"],
  ["{/keys*}", "/semi=%3B/dot=./comma=%2C"],
  ["{;who}", ";who=fred"],
  ["{;half}", ";half=50%25"],
  ["{;empty}", ";empty"],
  ["{;v,empty,who}", ";v=6;empty;who=fred"],
  ["{;v,bar,who}", ";v=6;who=fred"],
  ["{;x,y}", ";x=1024;y=768"],
  ["{;x,y,empty}", ";x=1024;y=768;empty"],
  ["{;x,y,undef}", ";x=1024;y=768"],
  ["{;hello:5}", ";hello=Hello"],
  ["{;list}", ";list=red,green,blue"],
  ["{;list*}", ";list=red;list=green;list=blue"],
  ["{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"],
  ["{;keys*}", ";semi=%3B;dot=.;comma=%2C"],
  ["{?who}", "?who=fred"],
  ["{?half}", "?half=50%25"],
  ["{?x,y}", "?x=1024&y=768"],
  ["{?x,y,empty}", "?x=1024&y=768&empty="],
  ["{?x,y,undef}", "?x=1024&y=768"],
  ["{?var:3}", "?var=val"],
  ["{?list}", "?list=red,green,blue"],
  ["{?list*}", "?list=red&list=green&list=blue"],
  ["{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"],
  ["{?keys*}", "?semi=%3B&dot=.&comma=%2C"],
  ["{&who}", "&who=fred"],
  ["{&half}", "&half=50%25"],
  ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
  ["{&x,y,empty}", "&x=1024&y=768&empty="],
  ["{&x,y,undef}", "&x=1024&y=768"],
  ["{&var:3}", "&var=val"],
  ["{&list}", "&list=red,green,blue"],
  ["{&list*}", "&list=red&list=green&list=blue"],
  ["{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"],
  ["{&keys*}", "&semi=%3B&dot=.&comma=%2C"],
])("%s expands to %s (RFC 6570, 3.2)", (text, expansion) => {
  expect(new UriTemplate(text).expand(given)).toBe(expansion);
});

test.each<[string, { readonly [name: string]: TemplateValue }, string]>([
  // 2.4.1: characters are counted before they are encoded.
  ["{a:2}", { a: "é😀x" }, "%C3%A9%F0%9F%98%80"],
  ["{+a}", { a: "%41%4%zz" }, "%41%254%25zz"],
  // 3.1: literals.
  ["é /{a}?%41", { a: true }, "%C3%A9%20/true?%41"],
  ["{a}{constructor}", { a: "1" }, "1"],
  ["{a,b}{?c*}", { a: [], b: [null, undefined], c: { d: null } }, ""],
  ["{;a*}{?b*}", { a: ["", "x"], b: { k: "" } }, ";a;a=x?k="],
])("%s with %j expands to %s", (text, values, expansion) => {
  expect(new UriTemplate(text).expand(values)).toBe(expansion);
});

test.each<[string, { readonly [name: string]: TemplateValue }]>([
  ["{a:3}", { a: ["x"] }],
  ["{a:3}", { a: { b: "x" } }],
  ["{a}", { a: "\ud800" }],
])("%s refuses %j", (text, values) => {
  expect(() => new UriTemplate(text).expand(values)).toThrow(
    expect.objectContaining({ code: "invalid-params" }),
  );
});

test("a template has each of its variables once", () => {
  const template = new UriTemplate("{a}{?b*,a:3}{+c}");
  expect([template.text, template.variables]).toEqual(["{a}{?b*,a:3}{+c}", ["a", "b", "c"]]);
});

const text = fc.stringMatching(/^[a-z0-9 é%/&,;=.]{1,6}$/u);
const maybe = fc.option(text, { nil: undefined });
const list = fc.option(fc.array(fc.oneof(text, fc.constant("")), { minLength: 1, maxLength: 3 }), {
  nil: undefined,
});

/** A value, a list of segments, path parameters, a query and a fragment, in the order of a URI. */
const values = fc.record({
  a: text,
  b: text,
  c: list,
  d: maybe,
  e: list,
  f: maybe,
  g: list,
  h: fc.option(fc.stringMatching(/^[a-z]{0,4}$/), { nil: undefined }),
});

test("a template matches each of its expansions, and returns the values of the expansion", () => {
  const template = new UriTemplate("x://{a,b}{/c*}{;d,e*}{?f,g*}{#h}");
  fc.assert(
    fc.property(values, (each) => {
      const there = Object.entries(each).filter(([, value]) => value !== undefined);
      expect(template.match(template.expand(each))).toEqual(Object.fromEntries(there));
    }),
    { numRuns: cases(5000) },
  );
});

test("a hostile URI and a hostile template take time that grows with their length", () => {
  const uri = `x://${"/a,;=&?".repeat(150_000)}`;
  for (const each of ["x://{/c*}/end", "x://{a,b}{?g*}", "x://s{;d,e*}", "x://{+a}{?b,c}{#d}"])
    expect(new UriTemplate(each).match(uri)).toSatisfy(
      (found) => found === undefined || typeof found === "object",
    );
  const expressions = "{a}/".repeat(100_000);
  expect(new UriTemplate(expressions).expand({ a: "x" })).toHaveLength(200_000);
  const problem = (text: string): unknown => {
    try {
      return new UriTemplate(text);
    } catch (error) {
      return error;
    }
  };
  expect(problem("{".repeat(300_000))).toMatchObject({ code: "invalid-definition" });
  expect((problem("{".repeat(300_000)) as Error).message.length).toBeLessThan(300);
});

test.each(["2025-11-25", "2026-07-28"])(
  "a server gives the lists of a template to its handler (%s)",
  async (revision) => {
    const server = createServer({ name: "files", version: "1" }, { revisions: serverRevisions });
    server.resourceTemplate("file://{/path*}{?line}", {}, (variables) => JSON.stringify(variables));
    expect(() => server.resourceTemplate("x://{a}{b}", {}, () => "")).toThrow("no text separates it");
    const { client } = await createTestPair({ server, revisions: clientRevisions, revision });
    onTestFinished(() => client.close());
    const uri = new UriTemplate("file://{/path*}{?line}").expand({ path: ["a", "b/c"], line: 3 });
    const { contents } = await client.readResource(uri);
    expect(contents).toEqual([{ uri, text: JSON.stringify({ path: ["a", "b/c"], line: "3" }) }]);
  },
);
