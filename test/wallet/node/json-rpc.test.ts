import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { storeDeployed } from "../../../src/commands/contract/verify.js";
import { blockId } from "../../../src/protocol/block.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { BlockHeaderRaw } from "../../../src/protocol/messages.js";
import { parseConfiguration } from "../../../src/wallet/configuration/configuration.js";
import { loadSettings, nodeSettings } from "../../../src/wallet/configuration/settings.js";
import { callJsonRpc, developmentUrl } from "../../../src/wallet/node/json-rpc.js";
import { NodeClient } from "../../../src/wallet/node/node-client.js";
import { actsUnsigned } from "../../../src/wallet/transaction/impersonation.js";
import { answering } from "../answering-client.js";

/** Two servers, of a profile and of somebody else, and the headers that arrive. */
let servers: readonly Server[];
let urls: readonly string[];
let arrived: readonly IncomingHttpHeaders[][];
beforeEach(async () => {
	arrived = [[], []];
	servers = arrived.map((seen) =>
		createServer((request, response) => {
			seen.push(request.headers);
			response.end('{"result":true}');
		}),
	);
	for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(() => {
	for (const server of servers) server.close();
});

test("a profile's headers arrive at its own servers and at no others", async () => {
	const [own, foreign] = urls as [string, string];
	const text = `gateway = "${foreign}"\njsonrpc = "${foreign}"
profiles.main { http = "${own}", headers { "x-key" = secret } }`;
	const settings = await loadSettings({ profile: "main" }, {}, await parseConfiguration(text, "a test"));
	const client = new NodeClient(settings);
	await callJsonRpc(client, "dev_info", [], developmentUrl(settings));
	await callJsonRpc(client, "eth_blockNumber", []);
	await callJsonRpc(client, "coin_getStateHash", [], `${foreign}/jsonrpc`);
	expect(arrived.map((seen) => seen.map((headers) => headers["x-key"]))).toEqual([
		["secret", "secret"],
		[undefined],
	]);
});

const GENESIS = toHex(blockId(0n, sha256(BlockHeaderRaw.encode(new BlockHeaderRaw()))));
test.each([
	[GENESIS, { verified: "exact", stored: true }, ["dev_info", "dev_setContractSource", "dev_info"]],
	["00".repeat(32), { verified: "exact" }, ["dev_info", "dev_info"]],
])(
	"sources and unsigned transactions are for a gateway of the node's own chain: %s",
	async (genesis, outcome, methods) => {
		const asked: unknown[] = [];
		const answers = {
			getcontractinfo: { smart_contract: {}, runtimecode: "00" },
			getblockbynum: { block_header: { raw_data: {} } },
		};
		const { client } = answering(answers, { ...nodeSettings({ node: "http://127.0.0.1:1" }) });
		const send = async ({ body }: { body: string }): Promise<object> => {
			asked.push((JSON.parse(body) as { method: string }).method);
			return { status: 200, body: Buffer.from(JSON.stringify({ result: { genesis, unlockAll: true } })) };
		};
		Object.assign(client, { send });
		const runtime = { bytes: Uint8Array.of(0), libraries: new Map(), immutables: new Map() };
		const contract = { name: "Store", abi: [], creation: undefined, runtime, storageLayout: undefined };
		const sources = { contracts: [contract], compiler: "0.8.37", input: { sources: {} } };
		expect(await storeDeployed(client, new Uint8Array(21), contract, sources)).toEqual(outcome);
		expect(await actsUnsigned(client, new Uint8Array(21))).toBe(genesis === GENESIS);
		expect(asked).toEqual(methods);
	},
);
