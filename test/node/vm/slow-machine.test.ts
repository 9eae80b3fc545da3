/** A machine that is so slow that every execution takes longer than its producer's limit. */

import { afterEach, expect, test, vi } from "vitest";
import { transactionInfosOf } from "../../../src/node/chain/block-store.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex, fromUtf8 } from "../../../src/protocol/bytes.js";
import { TransactionResultContractResult } from "../../../src/protocol/messages.js";
import { produce, smallConfig } from "../chain/small-chain.js";
import { CONTRACTS, COUNTING, calling, config, deployment, openWithContracts } from "../faults/planted.js";

const { SUCCESS, OUT_OF_TIME } = TransactionResultContractResult;
/** Far more than the 80 ms of a transaction. */
const STEP_MS = 60_000;

afterEach(() => vi.restoreAllMocks());

/** From here on each look at the clock is a minute after the one before. */
function slowDown(): void {
	vi.restoreAllMocks();
	let now = performance.now();
	vi.spyOn(performance, "now").mockImplementation(() => {
		now += STEP_MS;
		return now;
	});
}

/** However busy this machine is, no time passes. */
function standStill(): void {
	const now = performance.now();
	vi.spyOn(performance, "now").mockImplementation(() => now);
}

async function withContract(): Promise<{
	readonly open: OpenChain;
	readonly address: Uint8Array;
	readonly first: SignedBlock;
}> {
	const open = await openWithContracts(config, true);
	open.chain.pushTransaction(deployment(open, COUNTING));
	const first = produce(open);
	const [info] = transactionInfosOf(open.chain.state, first);
	return { open, first, address: info?.contract_address as Uint8Array };
}

const resultsOf = ({
	message,
}: {
	readonly message: { readonly ret: readonly { readonly contractRet: number }[] };
}) => message.ret.map(({ contractRet }) => contractRet);

test("takes every block in which a quicker machine recorded a success", async () => {
	standStill();
	const quick = await withContract();
	const slow = await openWithContracts(config, true);
	slow.chain.push(quick.first, "peer");
	const blocks: SignedBlock[] = [];
	for (let round = 0; round < 3; round++) {
		quick.open.chain.pushTransaction(calling(quick.open, quick.address, 5_000 + round));
		quick.open.chain.pushTransaction(calling(quick.open, quick.address, 6_000 + round));
		blocks.push(produce(quick.open));
	}
	const again = await openWithContracts(config, true);
	again.chain.push(quick.first, "import");
	slowDown();
	for (const block of blocks) {
		expect(block.transactions.map(resultsOf)).toEqual([[SUCCESS], [SUCCESS]]);
		expect(slow.chain.push(block, "peer").kind).toBe("head");
		expect(again.chain.push(block, "import").kind).toBe("head");
	}
	for (const block of blocks)
		expect(transactionInfosOf(slow.chain.state, block)).toEqual(
			transactionInfosOf(quick.open.chain.state, block),
		);
	// The clock is the one that limits: what this machine packs itself runs out of time.
	const own = slow.chain.pushTransaction(calling(slow, quick.address, 7_000));
	expect(own?.resMessage.length).toBeGreaterThan(0);
	const packed = produce(slow);
	expect(packed.transactions.map(resultsOf)).toEqual([[OUT_OF_TIME]]);
	await Promise.all([quick.open.close(), slow.close(), again.close()]);
});

test("names the last operation of what took too long only in all", async () => {
	const open = await openWithContracts(smallConfig(`${CONTRACTS}, allowEnergyAdjustment = 1`), true);
	produce(open);
	const texts = new Set<string>();
	for (let look = 0; look < 12; look++) {
		// The clock stands still up to one of the looks at it.
		const start = performance.now();
		let looks = 0;
		vi.spyOn(performance, "now").mockImplementation(() => (looks++ > look ? start + STEP_MS : start));
		// RETURN, and an operation behind it.
		const info = open.chain.pushTransaction(
			deployment(open, Uint8Array.of(...fromHex("60016000f35b"), look)),
		);
		texts.add(fromUtf8(info?.resMessage as Uint8Array));
		vi.restoreAllMocks();
	}
	const timedOut = (name: string): string => `CPU timeout for '${name}' operation executing`;
	expect([...texts].sort()).toEqual(["", timedOut("RETURN"), timedOut("RETURN(TX_LAST_OP)")]);
	await open.close();
});
