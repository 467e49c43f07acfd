// Keeps the tasks of clients in files.
export { fileHandles } from "./client/file-handles.js";
