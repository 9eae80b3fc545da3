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
	["src/wallet/node/http-request.ts", "a client, which loads what it asks with when it asks"],
	[
		"src/keystore/signer/server.ts",
		"a socket for its user and group: its budgets stand in src/keystore/signer/requests.ts",
	],
	["src/keystore/signer/tls-listener.ts", "does the handshakes of connections of the gate; it never listens"],
	["src/keystore/agent/server.ts", "a socket in a folder that only its user can enter"],
	["src/launch/control-server.ts", "a socket in a folder that only its user can enter"],
	["src/launch/configuration-check.ts", "looks whether a port is free, and closes at once"],
	["src/launch/development-options.ts", "looks whether a port is free, and closes at once"],
]);

/** What can listen. */
const MODULES = "(?:node:)?(?:net|tls|http|https|http2|dgram)|ws|@grpc/grpc-js";

/** What of it is used elsewhere: clients, constants, and what tells addresses apart. Nothing of it listens. */
const HARMLESS: ReadonlySet<string> = new Set([
	...[
		"isIP",
		"isIPv4",
		"isIPv6",
		"SocketAddress",
		"connect",
		"request",
		"Agent",
		"IncomingMessage",
		"STATUS_CODES",
	],
	...["Client", "Metadata", "credentials", "status", "constants", "WebSocket"],
	...["ServerInterceptingCall", "ServerListenerBuilder"],
]);

const STATEMENT = new RegExp(`\\b(import|export)\\s([^;"]*?)\\bfrom\\s*"(?:${MODULES})"`, "g");
const LOADED_LATER = new RegExp(
	`\\b(?:import|require|getBuiltinModule)\\s*\\(\\s*["'\x60](?:${MODULES})["'\x60]`,
);

/** What a file takes of the modules that can listen, beside types and what is harmless. */
function taken(text: string): readonly string[] {
	const found = LOADED_LATER.test(text) ? ["a module that is loaded later"] : [];
	for (const [, word, clause = ""] of text.matchAll(STATEMENT)) {
		if (/^type\b/.test(clause)) continue;
		const [, names] = /^\{([^}]*)\}\s*$/.exec(clause) ?? [];
		if (names === undefined || word === "export") found.push(clause.trim());
		else {
			const values = names.split(",").map((name) => name.trim());
			const listed = values.filter((name) => name !== "" && !name.startsWith("type "));
			found.push(...listed.filter((name) => !HARMLESS.has(name.split(" ")[0] as string)));
		}
	}
	return found;
}

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
	.filter((path) => path.endsWith(".ts") && !path.includes("generated"))
	.map((path) => join("src", path));

test("nothing listens but through the gate", () => {
	const found = sources.filter((path) => taken(readFileSync(path, "utf8")).length > 0);
	expect(found.sort(), "each has a row in OWN, with why it may").toEqual([...OWN.keys()].sort());
});

test.each([
	['import { createServer } from "node:http";', ["createServer"]],
	['import { type Socket, Server as Any } from "net";', ["Server as Any"]],
	['import http2 from "node:http2";', ["http2"]],
	['import * as dgram from "node:dgram";', ["* as dgram"]],
	['import {\n\tstatus,\n\tServer,\n} from "@grpc/grpc-js";', ["Server"]],
	['export { WebSocketServer } from "ws";', ["{ WebSocketServer }"]],
	['const { createServer } = await import("node:tls");', ["a module that is loaded later"]],
	['import type { Server } from "node:net";\nimport { isIP, connect as open } from "node:net";', []],
])("%s is seen", (text, found) => {
	expect(taken(text)).toEqual(found);
});
