// What packages of extensions add, each by a declaration of the same name in a module "@mcpgen/runtime".

/** Members that the definition of a tool may have for extensions. */
export interface AddedToolOptions {}

/** Members that the context of handlers has from extensions. */
export interface AddedContext {}
