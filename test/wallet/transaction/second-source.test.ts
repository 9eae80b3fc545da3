import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blockId, refBlockOf } from "../../../src/protocol/block.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { BlockHeaderRaw, Transaction, TransactionRaw } from "../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { nodeSettings } from "../../../src/wallet/configuration/settings.js";
import { NodeClient } from "../../../src/wallet/node/node-client.js";
import { currentReference } from "../../../src/wallet/transaction/reference.js";
import { checkReference } from "../../../src/wallet/transaction/second-source.js";

const HEAD = 70_000n;
const idOf = (number: bigint): Uint8Array =>
	blockId(number, sha256(BlockHeaderRaw.encode(BlockHeaderRaw.create({ number }))));

/** A node whose blocks have no member but their number. */
let server: Server;
let url = "";
beforeAll(async () => {
	server = createServer(async (request, response) => {
		let body = "";
		for await (const chunk of request) body += String(chunk);
		const { num = HEAD } = JSON.parse(body || "{}") as { num?: number };
		const version = request.url?.startsWith("/other/") ? `,"version":1` : "";
		response.end(`{"block_header":{"raw_data":{"number":${num}${version}}}}`);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
	server.close();
});

const refersTo = (id: Uint8Array): SignedTransaction => {
	const { refBlockBytes, refBlockHash } = refBlockOf(id);
	const raw_data = TransactionRaw.create({ ref_block_bytes: refBlockBytes, ref_block_hash: refBlockHash });
	return new SignedTransaction(Transaction.create({ raw_data }));
};

const client = (referenceNode: string | undefined): NodeClient =>
	new NodeClient({ ...nodeSettings({ node: "http://127.0.0.1:1" }), referenceNode });

test.each([HEAD, HEAD - 20n, 65_535n, HEAD - 65_535n])("a second node knows block %d", async (number) => {
	await checkReference(client(url), refersTo(idOf(number)));
});

test("a block of another chain is refused, and nobody is asked without a second node", async () => {
	const foreign = idOf(HEAD - 20n).map((byte, index) => (index < 8 ? byte : byte ^ 1));
	await expect(checkReference(client(url), refersTo(foreign))).rejects.toMatchObject({
		code: "wrong_network",
		facts: { sent: false },
	});
	await checkReference(client(undefined), refersTo(foreign));
});

test("no reference is given out to a machine without network that a second node doesn't know", async () => {
	const of = (node: string) =>
		currentReference(new NodeClient({ ...nodeSettings({ node }), referenceNode: url }), 1, 0);
	await expect(of(`${url}/other`)).rejects.toMatchObject({ code: "wrong_network" });
	expect(await of(url)).toMatchObject({ number: HEAD });
});
