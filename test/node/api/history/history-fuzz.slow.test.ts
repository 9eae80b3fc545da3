/** Requests to the history interface that no client should send: each has an answer, and none is a fault of the node. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { DevelopmentNode } from "../development/development-node.js";

let chain: DevelopmentNode;
beforeAll(async () => {
	chain = await DevelopmentNode.start();
	for (const amount of [1, 2, 3]) {
		await chain.act("createtransaction", { to_address: chain.account(1).address, amount });
	}
});
// An internal error in the log of the node fails the test.
afterAll(() => chain.stop());

/** The same numbers in each run. */
function generator(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

const ROOTS = ["accounts", "contracts", "transactions", "blocks", "assets", "orc20", "trc20", "event", ""];
const NAMES = [
	"transactions",
	"transactions/trc20",
	"events",
	"events/",
	"tokens",
	"source",
	"stats",
	"info",
	"list",
	"internal-transactions",
	"orc20/balance",
	"resources",
	"",
];
const VALUES = [
	"0",
	"1",
	"-1",
	"200",
	"201",
	"1e3",
	"true",
	"TRUE",
	"none",
	"9".repeat(18),
	"9".repeat(40),
	"",
	"%00",
	"%ff",
	"é",
];
const PARAMETERS = [
	"limit",
	"fingerprint",
	"order_by",
	"min_timestamp",
	"max_block_timestamp",
	"only_confirmed",
	"only_to",
	"onlyFrom",
	"block_number",
	"event_name",
	"contract_address",
	"contract_list",
	"search_internal",
	"size",
	"sort",
];

it("answers whatever is asked", async () => {
	const below = generator(7);
	const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
	const { address, hex } = chain.account(0);
	const fingerprints = ["AAAA", "AAAAAAAA", Buffer.alloc(80, 7).toString("base64url")];
	const subjects = [
		address,
		hex,
		`0x${hex}`,
		address.slice(1),
		"latest",
		"0",
		"1000001",
		"ab".repeat(32),
		"..",
		"%2e%2e",
		"*",
	];
	const orders = ["block_timestamp,asc", "balance,desc", "id,desc", "-block_timestamp", ","];
	for (let n = 0; n < 700; n++) {
		const query = Array.from({ length: below(4) }, () => {
			const name = pick(PARAMETERS);
			return `${name}=${pick([...VALUES, ...fingerprints, ...orders, address])}`;
		}).join("&");
		const root = pick(ROOTS);
		const path = root === "event" ? `/event/${pick(["contract", "transaction"])}` : `/v1/${root}`;
		const url = `${path}/${pick(subjects)}/${pick(NAMES)}?${query}`;
		const answer = await chain.get(url);
		const text = await answer.text();
		expect({ url, status: [200, 400, 404].includes(answer.status) }).toEqual({ url, status: true });
		if (text !== "") expect(() => JSON.parse(text) as unknown, url).not.toThrow();
		else expect({ url, status: answer.status }).toEqual({ url, status: 400 });
	}
});
