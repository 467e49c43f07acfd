/** Calls when the head of an answer is written. */
export function onHead(response, listener) {
  const { writeHead } = response;
  response.writeHead = (...args) => {
    listener();
    return writeHead.apply(response, args);
  };
}
