import { afterEach, describe, expect, it } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import type { Release } from "../../../src/node/rules/release.js";
import { COIN_ID, tokenBytes } from "../../../src/node/tokens/token-store.js";
import { be64 } from "../../../src/protocol/bytes.js";
import {
	Exchange,
	ExchangeTransactionContract,
	ShieldedTransferContract,
} from "../../../src/protocol/messages.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";
import { forge, keyOfWitness, openSmall, produce, signed, smallConfig, users } from "./small-chain.js";

const REJECTED = "ExchangeTransactionContract is rejected";
/** What a trade on a pair that isn't there comes to, where it is looked at. */
const NO_PAIR = "Exchange[1] not exists";

const PAIR = 2n;
const pair = Exchange.create({
	...{ exchange_id: PAIR, creator_address: users[0] as Uint8Array },
	...{ first_token_id: COIN_ID, first_token_balance: 1_000_000n },
	...{ second_token_id: tokenBytes("1000001"), second_token_balance: 1_000_000n },
});

let open: OpenChain;
afterEach(() => open.close());

/** @param votes of the five witnesses for version 33 */
async function start(release: Release, votes = 0, reopened = 0n): Promise<void> {
	open = await openSmall({
		config: smallConfig("", `node.release = "${release}"`),
		initialize: ({ properties, exchangeV2 }) => {
			properties.set("ALLOW_SAME_TOKEN_NAME", 1n);
			exchangeV2.put(be64(PAIR), pair);
			properties.setForkStatistics(
				33,
				Uint8Array.from({ length: 5 }, (_, i) => (i < votes ? 1 : 0)),
			);
			properties.set("ALLOW_HARDEN_EXCHANGE_CALCULATION", reopened);
		},
	});
	produce(open);
}

const trade = (exchange_id = 1n): SignedTransaction =>
	signed(
		open,
		0,
		"ExchangeTransactionContract",
		ExchangeTransactionContract.create({
			...{ owner_address: users[0] as Uint8Array, exchange_id },
			...{ token_id: COIN_ID, quant: 1_000n, expected: 1n },
		}),
	);

/** Offers a block with a trade on the head. */
function offerInBlock(): void {
	const { chain } = open;
	const witness = scheduledWitness(chain.state, 1n);
	const block = forge(chain.head, slotTimeMs(chain.state, 1n), {
		key: keyOfWitness(witness),
		witness,
		transactions: [trade()],
	});
	chain.push(block, "peer");
}

describe("a trade", () => {
	it.each([
		["4.8.0", NO_PAIR],
		["4.8.1", REJECTED],
		["4.8.2", REJECTED],
	] as const)("that comes to a node of release %s ends with: %s", async (release, text) => {
		await start(release);
		expect(() => open.chain.pushTransaction(trade())).toThrow(text);
	});

	it.each([
		["4.8.0", 3, NO_PAIR],
		["4.8.0", 4, REJECTED],
		["4.8.2", 3, NO_PAIR],
		["4.8.2", 4, REJECTED],
	] as const)(
		"in a block, at a node of release %s with %i of 5 for version 33: %s",
		async (release, votes, text) => {
			await start(release, votes);
			expect(offerInBlock).toThrow(text);
		},
	);

	it("is free again with #98", async () => {
		await start("4.8.2", 5, 1n);
		expect(() => open.chain.pushTransaction(trade())).toThrow(NO_PAIR);
		expect(offerInBlock).toThrow(NO_PAIR);
	});

	it("of a client is free again with #98 only at releases that know it", async () => {
		await start("4.8.1", 5, 1n);
		expect(() => open.chain.pushTransaction(trade())).toThrow(REJECTED);
		expect(offerInBlock).toThrow(NO_PAIR);
	});

	it.each([
		[3, 1],
		[4, 0],
	])(
		"that a node of release 4.8.0 took is packed only as long as its chain takes it: %i of 5 for version 33",
		async (votes, count) => {
			await start("4.8.0", votes);
			open.chain.pushTransaction(trade(PAIR));
			expect(produce(open).transactions).toHaveLength(count);
			expect(open.chain.pool.size).toBe(0);
		},
	);

	it("that waits, from a block that was undone, is neither executed again nor packed", async () => {
		await start("4.8.2");
		const wait = (): void => open.chain.pool.giveBack([{ transaction: trade(), receivedMs: 0n, feeSun: 0n }]);
		const left: unknown[] = [];
		open.chain.observe({ rejected: (transaction) => left.push(transaction.idHex) });
		wait();
		expect(open.chain.executeWaiting()).toBe(false);
		wait();
		expect(produce(open).transactions).toEqual([]);
		expect(open.chain.pool.size).toBe(0);
		// It was not even executed.
		expect(left).toEqual([]);
	});
});

describe("a shielded transfer that comes to a node", () => {
	const shielded = (): SignedTransaction =>
		signed(open, 0, "ShieldedTransferContract", ShieldedTransferContract.create({}));

	it("of release 4.8.0 is looked at", async () => {
		await start("4.8.0");
		expect(() => open.chain.pushTransaction(shielded())).toThrow("there should be no signatures");
	});

	it("of release 4.8.0 is dropped where the node doesn't serve it", async () => {
		const settings = 'node { release = "4.8.0", fullNodeAllowShieldedTransaction = false }';
		open = await openSmall({ config: smallConfig("", settings) });
		produce(open);
		expect(open.chain.pushTransaction(shielded())).toBeUndefined();
		expect(open.chain.pool.size).toBe(0);
	});

	it.each(["4.8.1", "4.8.2"] as const)(
		"of release %s is not supported, whatever the switch",
		async (release) => {
			await start(release);
			expect(() => open.chain.pushTransaction(shielded())).toThrow(
				"ShieldedTransferContract is not supported.",
			);
		},
	);
});
