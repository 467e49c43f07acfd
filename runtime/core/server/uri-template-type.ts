/** Values of the variables of a URI template, given as a literal type; those of a query or a fragment may be absent. */
export type VariablesOf<Template extends string> = string extends Template
  ? { readonly [name: string]: string }
  : { readonly [Name in NamesIn<Always<Expression<Template>>>]: string } & {
      readonly [Name in NamesIn<Optional<Expression<Template>>>]?: string;
    };

/** Names of the variables of a URI template. */
export type VariableNames<Template extends string> = string extends Template
  ? string
  : NamesIn<Always<Expression<Template>>> | NamesIn<Optional<Expression<Template>>>;

/** What stands between braces. */
type Expression<Template extends string> = Template extends `${string}{${infer Inner}}${infer Rest}`
  ? Inner | Expression<Rest>
  : never;

type Always<Inner> = Inner extends `${"?" | "&" | "#"}${string}`
  ? never
  : Inner extends `${"+" | "." | "/"}${infer Names}`
    ? Names
    : Inner;

type Optional<Inner> = Inner extends `${"?" | "&" | "#"}${infer Names}` ? Names : never;

type NamesIn<List> = List extends `${infer Name},${infer Others}` ? Name | NamesIn<Others> : List & string;
