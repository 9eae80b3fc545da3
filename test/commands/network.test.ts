import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeEnvironment } from "../../src/node/network/node-environment.js";
import { NO_CANDIDATES } from "../../src/node/network/transport/candidates.js";
import { PeerTransport } from "../../src/node/network/transport/peer-transport.js";
import {
	ApplicationType,
	HelloMessage,
	helloBlockId,
} from "../../src/node/network/wire/application-messages.js";
import { toHex, utf8 } from "../../src/protocol/bytes.js";
import { freePort } from "../free-port.js";
import { errorRecord, Home } from "./coin-process.js";

const genesis = { id: new Uint8Array(32).fill(0, 0, 8).fill(7, 8), number: 0n };
const GENESIS = toHex(genesis.id);
const nodeId = new Uint8Array(64).fill(0xcd);

let home: Home;
let transport: PeerTransport;
let address: string;
/** A port on which nobody listens. */
let nobody: string;

beforeAll(async () => {
	home = new Home();
	const port = await freePort();
	transport = new PeerTransport({
		environment: nodeEnvironment(),
		config: {
			listenPort: port,
			networkId: 4711,
			active: [],
			// Trusted, so that one probe after the other is let in.
			passive: [{ host: "127.0.0.1", port: 1 }],
			fastForward: [],
			maxConnections: 30,
			minConnections: 0,
			minActiveConnections: 0,
			maxConnectionsWithSameIp: 2,
			detectNodes: false,
		},
		candidates: NO_CANDIDATES,
		self: { ipv4: "127.0.0.1", ipv6: "" },
		host: "127.0.0.1",
		nodeId,
		listener: {
			connected: (connection) => {
				const id = helloBlockId(genesis);
				const hello = {
					version: 4711,
					genesisBlockId: id,
					solidBlockId: id,
					headBlockId: id,
					codeVersion: utf8("4.8.0"),
				};
				connection.send(ApplicationType.P2P_HELLO, HelloMessage.encode(HelloMessage.create(hello)));
			},
			received: () => undefined,
			oversized: () => undefined,
			disconnected: () => undefined,
		},
	});
	await transport.start();
	address = `127.0.0.1:${port}`;
	nobody = `127.0.0.1:${await freePort()}`;
});
afterAll(async () => {
	await transport.stop();
	home.remove();
});

describe("coin network probe", () => {
	it("prints one line of JSON about a node", async () => {
		const { code, stdout, stderr } = await home.run([
			"network",
			"probe",
			address,
			"--genesis",
			GENESIS,
			"--json",
		]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const report = JSON.parse(stdout) as Record<string, unknown>;
		expect(report).toEqual({
			address,
			nodeId: toHex(nodeId),
			networkId: 4711,
			transportVersion: 1,
			connections: { current: 0, max: 30 },
			codeVersion: "4.8.0",
			nodeType: "full",
			lowestBlock: "0",
			genesis: GENESIS,
			solid: { number: "0", id: GENESIS },
			head: { number: "0", id: GENESIS },
			latencyMs: report["latencyMs"],
		});
		expect(report["latencyMs"]).toBeGreaterThanOrEqual(0);
		expect(stdout.trimEnd()).not.toContain("\n");
	});

	it("prints lines for people", async () => {
		const { code, stdout } = await home.run(["network", "probe", address]);
		expect(code).toBe(0);
		expect(stdout.split("\n").slice(0, 4)).toEqual([
			`node         4.8.0 at ${address}, full`,
			`node id      ${toHex(nodeId)}`,
			"network      4711, transport version 1",
			"connections  0 of 30",
		]);
	});

	it.each([
		["of another network", "$address --network-id 1", 1, "wrong_network", "belongs to another network: 4711"],
		["of another chain", `$address --genesis ${"00".repeat(32)}`, 1, "wrong_network", `block ${GENESIS}`],
		["that isn't there", "$nobody", 1, "network", "ECONNREFUSED"],
		["without an address", "somewhere:port", 2, "bad_value", "is not an address"],
		["by half an id", "$address --genesis abc", 2, "bad_value", "is not a block id"],
		["for 5 of nothing", "$address --timeout 5", 2, "bad_value", "has no unit"],
	])("refuses to tell of a node %s", async (_name, line, exit, kind, message) => {
		const words = line.replace("$address", address).replace("$nobody", nobody).split(" ");
		const outcome = await home.run(["network", "probe", ...words, "--json"]);
		expect(outcome).toMatchObject({ code: exit, stdout: "" });
		expect(errorRecord(outcome)).toMatchObject({
			code: kind,
			message: expect.stringContaining(message) as string,
		});
	});
});
