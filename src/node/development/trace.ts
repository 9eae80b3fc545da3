/**
 * Tracing past executions (protocol/development-chain §4.6): a transaction is executed again on the state before its block,
 * after its predecessors in the block; and the storage of a contract, row by row.
 */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, toHex, toKey } from "../../protocol/bytes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { OpenChain } from "../chain/open-chain.js";
import { locateTransaction } from "../chain/transaction-checks.js";
import { processTransaction } from "../chain/transaction-processor.js";
import { ChainError } from "../rules/errors.js";
import type { BlockScope } from "../rules/execution.js";
import { ForkGates } from "../rules/fork-gates.js";
import { stores } from "../state/definition.js";
import { StateLayer } from "../state/layer.js";
import { createView } from "../state/view.js";
import { recordParentId } from "../vm/block-hash-history.js";
import type { ContractMachine } from "../vm/contract-machine.js";
import { storageRowKey } from "../vm/storage-keys.js";
import { StructLog, type TraceStep } from "../vm/struct-log.js";
import { VmError } from "../vm/vm-error.js";

/** Something that can't be traced; the message is for the caller. */
export class TraceError extends Error {
	override readonly name = "TraceError";
}

export interface Trace {
	readonly failed: boolean;
	readonly steps: readonly TraceStep[];
}

/** Executes a transaction of a block again. @param id 32 bytes @throws {TraceError} */
export function traceTransaction(open: OpenChain, machine: ContractMachine, id: Uint8Array): Trace {
	const { chain, rules, seed, database } = open;
	const place = locateTransaction(chain.state, id);
	const block = place && "block" in place ? chain.blockByNumber(place.block) : undefined;
	if (!block) throw new TraceError(`transaction ${toHex(id)} is not in a block`);
	const former = database.stateBefore(block.number);
	if (!former) throw new TraceError(`state of block ${block.number} is gone`);
	const { view } = new StateLayer(createView(former, seed));
	view.properties.set("BLOCK_ENERGY_USAGE", 0n);
	recordParentId(view, block.number, block.parentId);
	const forks = new ForkGates(view, rules);
	const scope: BlockScope = {
		number: block.number,
		timestampMs: block.timestampMs,
		witness: block.witness,
		parentId: block.parentId,
		signed: false,
		own: true,
	};
	const log = new StructLog();
	for (const transaction of block.transactions) {
		const isWanted = equalBytes(transaction.id, id);
		const runner = isWanted ? machine.tracedBy(log.tracer) : machine;
		const environment = { state: view, rules, forks, machine: runner.run };
		const { transaction: executed } = processTransaction(environment, transaction, scope, { verified: true });
		if (!isWanted) continue;
		log.finish();
		return { failed: (executed.message.ret[0]?.contractRet ?? 0) > 1, steps: log.steps };
	}
	throw new TraceError(`transaction ${toHex(id)} is not in block ${block.number}`);
}

/** Executes a call on the head without effect. @param transaction unsigned @throws {TraceError} if it can't begin */
export function traceCall(
	open: OpenChain,
	machine: ContractMachine,
	transaction: SignedTransaction,
	energyLimit: bigint,
): Trace {
	const { chain, rules, forks } = open;
	const { number, timestampMs, witness } = chain.head;
	const log = new StructLog();
	let failed: boolean;
	try {
		const environment = { state: chain.state, rules, forks };
		const options = { block: { number, timestampMs, witness }, energyLimit };
		failed = machine.tracedBy(log.tracer).call(environment, transaction, options).reverted;
	} catch (error) {
		if (error instanceof ChainError) throw new TraceError(error.message);
		if (!(error instanceof VmError)) throw error;
		failed = true;
	}
	log.finish();
	return { failed, steps: log.steps };
}

interface StorageRange {
	/** By row key, hexadecimal. */
	readonly rows: readonly { readonly key: string; readonly value: string }[];
	/** Where the next range begins; undefined: that was all. */
	readonly nextKey: string | undefined;
}

/** Rows of a contract's storage in the order of their keys. @param startKey hexadecimal */
export async function storageRange(
	open: OpenChain,
	address: Uint8Array,
	startKey: string,
	limit: number,
): Promise<StorageRange> {
	const contract = open.chain.state.contract.get(address);
	if (!contract) throw new TraceError(`there is no contract at ${toBase58Check(address)}`);
	const { trx_hash: creationId, version } = contract;
	const prefix = toKey(storageRowKey({ address, creationId, version }, 0)).slice(0, 16);
	const rows: { key: string; value: string }[] = [];
	for await (const [key, value] of open.database.dump(stores.storageRow)) {
		// A row of zeros (#99) is as good as none.
		if (!key.startsWith(prefix) || value.every((byte) => byte === 0)) continue;
		const name = Buffer.from(key, "latin1").toString("hex");
		if (name < startKey) continue;
		if (rows.length === limit) return { rows, nextKey: name };
		rows.push({ key: name, value: toHex(value) });
	}
	return { rows, nextKey: undefined };
}
