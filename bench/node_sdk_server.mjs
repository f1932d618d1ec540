// The official SDK's usual stateless server on Node: a server and a transport
// a request, JSON answers. Answers list_sessions with the text it is given.
// Prints its port.
//
//     node node_sdk_server.mjs PACKAGES-FOLDER ANSWER-TEXT

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , packages, text] = process.argv;
const require = createRequire(`${packages}/package.json`);
const load = (name) =>
  import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Server } = await load("server/index.js");
const { StreamableHTTPServerTransport } = await load(
  "server/streamableHttp.js",
);
const { CallToolRequestSchema, ListToolsRequestSchema } = await load(
  "types.js",
);

function makeServer() {
  const server = new Server({ name: "reterm", version: "0.0.0" }, {
    capabilities: { tools: {} },
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{
      name: "list_sessions",
      inputSchema: { type: "object", properties: {} },
    }],
  }));
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: "text", text }],
  }));
  return server;
}

const http = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString());
  const server = makeServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on("close", () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, body);
});
http.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${http.address().port}\n`);
});
process.on("SIGTERM", () => process.exit(0));
