/** A small chain in memory for the tests of this folder. */

import { setActiveWitnesses } from "../../../src/node/consensus/slots.js";
import type { ChainRules } from "../../../src/node/rules/chain-rules.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../src/node/state/view.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { Block, BlockHeader, BlockHeaderRaw, Witness } from "../../../src/protocol/messages.js";

export const GENESIS_MS = 1_600_000_000_000n - (1_600_000_000_000n % 3000n);
export const INTERVAL_MS = 600_000n;

export const rules: ChainRules = {
	genesisTimestampMs: GENESIS_MS,
	genesisId: new Uint8Array(32),
	blackHole: new Uint8Array(21),
	genesisWitnesses: [],
	proposalExpireMs: 259_200_000n,
	energyLimitHeight: 4_727_890n,
	saveCancelDetails: false,
	release: "4.8.2",
	keepsNoteTree: true,
	checkFrozenTime: true,
};

/** The i-th address of a test; ascending as bytes. */
export function address(i: number): Uint8Array {
	const bytes = Buffer.alloc(21);
	bytes[0] = 0x41;
	bytes.writeUInt32BE(i, 17);
	return bytes;
}

/** A state after genesis with `count` active witnesses of falling votes, head at genesis. */
export async function openState(count: number): Promise<StateView> {
	const database = await StateDatabase.open(createMemoryDatabase());
	const state = createView(database.headBackend, {
		genesisTimestampMs: GENESIS_MS,
		maintenanceIntervalMs: INTERVAL_MS,
		committee: () => 0n,
	});
	state.properties.writeMissing();
	state.properties.set("latest_block_header_timestamp", GENESIS_MS);
	const addresses = Array.from({ length: count }, (_, i) => address(i));
	for (const [i, each] of addresses.entries()) {
		state.witness.put(each, Witness.create({ address: each, voteCount: BigInt(1000 - i), isJobs: true }));
	}
	setActiveWitnesses(state, addresses);
	return state;
}

/** Makes a block the head, as far as consensus reads it. */
export function setHead(state: StateView, number: bigint, timestampMs: bigint): void {
	state.properties.set("latest_block_header_number", number);
	state.properties.set("latest_block_header_timestamp", timestampMs);
}

export function blockOf(number: bigint, timestampMs: bigint, witness: Uint8Array, version = 32): SignedBlock {
	const raw = BlockHeaderRaw.create({ number, timestamp: timestampMs, witness_address: witness, version });
	return new SignedBlock(Block.create({ block_header: BlockHeader.create({ raw_data: raw }) }));
}
