/** Every listener is one that has budgets: places, shares of addresses, and times. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Files that make a server or socket themselves, and why they may. */
const OWN: ReadonlyMap<string, string> = new Map([
	["src/node/listening/connection-gate.ts", "the listener with budgets"],
	["src/node/api/http-listener.ts", "reads requests of connections that the gate lets in; it never listens"],
	["src/node/api/grpc/grpc-server.ts", "the library's server, which takes connections of the gate"],
	[
		"src/node/api/jsonrpc/subscriptions/web-sockets.ts",
		"takes over connections of an HTTP listener, within a room of its own",
	],
	["src/node/network/node-environment.ts", "peers: their budgets stand in src/node/network/peers/limits.ts"],
	["src/keystore/agent/server.ts", "a socket in a folder that only its user can enter"],
	["src/launch/control-server.ts", "a socket in a folder that only its user can enter"],
	["src/launch/configuration-check.ts", "looks whether a port is free, and closes at once"],
	["src/launch/development-options.ts", "looks whether a port is free, and closes at once"],
]);

const MAKES =
	/\b(?:createServer|createSecureServer|createSocket|bindAsync|new WebSocketServer|new Server)\s*\(/;

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
	.filter((path) => path.endsWith(".ts") && !path.includes("generated"))
	.map((path) => join("src", path));

test("nothing listens but through the gate", () => {
	const found = sources.filter((path) => MAKES.test(readFileSync(path, "utf8")));
	expect(found.sort()).toEqual([...OWN.keys()].sort());
});
