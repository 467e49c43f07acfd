// Keeps the tasks of clients in files.
export { fileHandles, type FileHandlesOptions } from "./client/file-handles.js";
