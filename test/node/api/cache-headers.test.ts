/** What tells caches that an answer can't change any more. */

import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { produce } from "../chain/small-chain.js";
import { type PastChain, startPastChain } from "./past-chain.js";

let chain: PastChain;
let silent: PastChain;
beforeAll(async () => {
	[chain, silent] = await Promise.all([startPastChain("node.http.cacheHeaders = true"), startPastChain("")]);
	for (const { node } of [chain, silent]) for (let blocks = 0; blocks < 5; blocks++) produce(node.open);
});
afterAll(() => Promise.all([chain.node.close(), silent.node.close()]));

interface Sent {
	readonly status: number | undefined;
	readonly cache: string | undefined;
	readonly tag: string | undefined;
	readonly length: string | undefined;
	readonly text: string;
}

function ask(
	path: string,
	{ node }: PastChain = chain,
	headers: Record<string, string> = {},
	method = "GET",
): Promise<Sent> {
	const port = path.startsWith("/walletsolidity") ? node.ports.solidity : node.ports.full;
	return new Promise((resolve, reject) => {
		const asked = request({ host: "127.0.0.1", port, path, headers, method }, (answer) => {
			let text = "";
			answer.setEncoding("utf8").on("data", (part: string) => {
				text += part;
			});
			const { "cache-control": cache, etag: tag, "content-length": length } = answer.headers;
			answer.on("end", () => resolve({ status: answer.statusCode, cache, tag, length, text }));
		});
		asked.on("error", reject);
		asked.end(method === "POST" ? '{"num":1}' : undefined);
	});
}

const FINAL = "public, max-age=31536000, immutable";

/** Paths about a block that can't be undone: the block with a transaction, by number and id, and that transaction. */
async function finalPaths(): Promise<readonly string[]> {
	const { text } = await ask(`/wallet/getblockbynum?num=${chain.deployed}`);
	const { blockID, transactions } = JSON.parse(text) as {
		readonly blockID: string;
		readonly transactions: readonly { readonly txID: string }[];
	};
	return [
		`getblockbynum?num=${chain.deployed}`,
		`getblockbyid?value=${blockID}`,
		`gettransactionbyid?value=${transactions[0]?.txID}`,
		`gettransactioninfobyid?value=${transactions[0]?.txID}`,
	];
}

it("says so of blocks, transactions and receipts that can't be undone, and nothing else of their answers changes", async () => {
	expect(chain.node.open.database.finalizedNumber).toBeGreaterThan(chain.deployed);
	for (const path of await finalPaths())
		for (const folder of ["wallet", "walletsolidity"]) {
			const answer = await ask(`/${folder}/${path}`);
			expect([path, answer.status, answer.cache, answer.tag]).toEqual([
				path,
				200,
				FINAL,
				expect.stringMatching(/^"[0-9a-f]{64}-\w+"$/),
			]);
			const plain = await ask(`/${folder}/${path}`, silent);
			expect(plain).toEqual({ ...answer, cache: undefined, tag: undefined });
		}
});

it("sends nothing but the head again to who has the answer, whoever reads the request", async () => {
	for (const path of await finalPaths())
		for (const more of [{}, { te: "trailers" }]) {
			const { tag = "" } = await ask(`/wallet/${path}`);
			const again = await ask(`/wallet/${path}`, chain, { "if-none-match": tag, ...more });
			expect(again).toEqual({ status: 304, cache: FINAL, tag, length: undefined, text: "" });
			const other = await ask(`/wallet/${path}`, chain, { "if-none-match": '"other"', ...more });
			expect([other.status, other.tag]).toEqual([200, tag]);
		}
});

it("says nothing of what may change, isn't there, was posted, or failed", async () => {
	const head = chain.node.open.chain.head.number;
	for (const path of [
		"getnowblock",
		`getblockbynum?num=${head}`,
		`getblockbynum?num=${head + 5n}`,
		"getblockbynum?num=-1",
		"getblockbynum?num=x",
		"gettransactionbyid?value=00",
		"gettransactioninfobyblocknum?num=0",
		"getchainparameters",
	]) {
		const { status, cache, tag } = await ask(`/wallet/${path}`);
		expect([path, status, cache, tag]).toEqual([path, 200, undefined, undefined]);
	}
	const posted = await ask("/wallet/getblockbynum", chain, { "content-type": "application/json" }, "POST");
	expect([posted.status, posted.cache, posted.tag]).toEqual([200, undefined, undefined]);
	expect(posted.text).toContain('"blockID"');
});
