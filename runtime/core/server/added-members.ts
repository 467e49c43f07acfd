// Members that packages of extensions add: each declares the interface again in a module "@mcpgen/runtime".

/** Members that extensions add to the definition of a tool. */
export interface AddedToolOptions {}

/** Members that extensions add to the context of handlers. */
export interface AddedContext {}
