/**
 * Records which witness built which block, to tell faults from splits that consensus allows: a block is final
 * once enough witnesses built on it, but they may move to a longer branch, which can become final, too.
 */

import { toKey } from "../../src/protocol/bytes.js";
import { witnessesForFinality } from "../../src/protocol/timing.js";
import type { ProducingChain } from "./simulated-node.js";

interface Production {
	readonly id: Uint8Array;
	readonly number: bigint;
	readonly witness: Uint8Array;
}

export class Productions {
	/** Witnesses by block id. */
	private readonly witnesses = new Map<string, string>();
	/** The highest block of each witness. */
	private readonly highest = new Map<string, bigint>();

	constructor(private readonly witnessCount: number) {}

	/**
	 * Records a block that a chain has applied.
	 * @returns whether it is new and not higher than an earlier block of its witness, which is a fault
	 */
	isRepeated({ id, number, witness }: Production): boolean {
		const key = toKey(id);
		if (this.witnesses.has(key)) return false;
		const builder = toKey(witness);
		this.witnesses.set(key, builder);
		const before = this.highest.get(builder) ?? 0n;
		if (number > before) this.highest.set(builder, number);
		return number <= before;
	}

	/** Whether enough witnesses have built on a block of a chain, up to its head. */
	areEnough(chain: Pick<ProducingChain, "head" | "idAt">, number: bigint): boolean {
		const builders = new Set<string>();
		const needed = witnessesForFinality(this.witnessCount);
		for (let at = number; at <= chain.head.number && builders.size < needed; at++) {
			const witness = this.witnesses.get(toKey(chain.idAt(at) as Uint8Array));
			if (witness !== undefined) builders.add(witness);
		}
		return builders.size >= needed;
	}
}
