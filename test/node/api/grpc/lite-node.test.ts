import { afterEach, describe, expect, it } from "vitest";
import { Broadcaster } from "../../../../src/node/api/broadcast.js";
import type { ApiNode, ServerKind } from "../../../../src/node/api/context.js";
import { GrpcServer } from "../../../../src/node/api/grpc/grpc-server.js";
import { RateLimiter } from "../../../../src/node/api/rate-limiter.js";
import { parseConfig } from "../../../../src/node/config/config.js";
import { GrpcClient } from "../../../../tools/replay/grpc-client.js";

const CLOSED = { error: { code: 14, message: "this API is closed because this node is a lite fullnode" } };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});

/** A server over a node that started from a snapshot without history, and that can't answer anything else. */
async function liteServer(kind: ServerKind, more = "") {
	const config = parseConfig(`storage { db.directory = "database" }\n${more}`);
	const limiter = new RateLimiter(config.rateLimiter);
	const node = { config, limiter, isLite: true, view: () => undefined, report: () => {} };
	const server = new GrpcServer(
		node as unknown as ApiNode,
		kind,
		new Broadcaster(node as unknown as ApiNode),
	);
	const port = await server.listen(0, "127.0.0.1");
	const client = new GrpcClient();
	closing.push(async () => {
		client.close();
		await server.close();
	});
	return (path: string) =>
		client.send(port, { port: "grpc", path, request: new Uint8Array(0), stream: false });
}

describe("a node without history", () => {
	it.each<[ServerKind, string]>([
		["full", "/protocol.Wallet/GetBlockByNum"],
		["full", "/protocol.Wallet/TotalTransaction"],
		["full", "/protocol.Database/GetBlockByNum"],
		["full", "/protocol.Wallet/ScanShieldedTRC20NotesByIvk"],
		["solidity", "/protocol.WalletSolidity/GetTransactionById"],
		["pbft", "/protocol.WalletSolidity/GetMarketPairList"],
	])("closes on %s %s", async (kind, path) => {
		const send = await liteServer(kind);
		expect(await send(path)).toEqual(CLOSED);
	});

	it.each<[ServerKind, string]>([
		["full", "/protocol.Wallet/GetNowBlock"],
		["full", "/protocol.Wallet/GetTransactionInfoByBlockNum"],
		["full", "/protocol.Database/GetNowBlock"],
	])("leaves open on %s %s", async (kind, path) => {
		const send = await liteServer(kind);
		expect(await send(path)).not.toEqual(CLOSED);
	});

	it("closes nothing where the configuration says so", async () => {
		const send = await liteServer("full", "node.openHistoryQueryWhenLiteFN = true");
		expect(await send("/protocol.Wallet/GetBlockByNum")).not.toEqual(CLOSED);
	});
});
