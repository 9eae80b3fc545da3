/**
 * Snapshots of a development chain (protocol/development-chain §4.4): a mark in the state history, plus
 * everything that isn't state.
 */

import type { Chain } from "../chain/chain.js";
import type { PendingTransaction } from "../chain/pending-pool.js";
import type { StateHistory, StateMark } from "../state/state-history.js";
import type { CapturedConditions, DevelopmentConditions } from "./conditions.js";

interface Snapshot {
	readonly id: number;
	readonly mark: StateMark;
	readonly headNumber: bigint;
	readonly waiting: readonly PendingTransaction[];
	readonly conditions: CapturedConditions;
	/** Number of account batches at that time. */
	readonly batches: number;
}

/** An unknown snapshot id, or that of a deleted one. */
export class UnknownSnapshotError extends Error {
	override readonly name = "SnapshotError";
}

export class Snapshots {
	/** Oldest first. */
	private kept: Snapshot[] = [];
	private last = 0;

	constructor(
		private readonly chain: Chain,
		private readonly history: StateHistory,
		private readonly conditions: DevelopmentConditions,
	) {}

	/** Ids of the available snapshots, oldest first. */
	get ids(): readonly string[] {
		return this.kept.map(({ id }) => idText(id));
	}

	/** @returns its id: `0x1`, `0x2`, … */
	take(batches: number): string {
		const waiting = this.chain.suspend();
		try {
			const id = ++this.last;
			this.kept.push({
				id,
				mark: this.history.mark(),
				headNumber: this.chain.state.properties.headNumber,
				waiting,
				conditions: this.conditions.capture(),
				batches,
			});
			return idText(id);
		} finally {
			this.chain.resume(waiting);
		}
	}

	/**
	 * Reverts everything to a snapshot; it and all later ones are consumed.
	 * @returns batches of accounts that remain
	 * @throws {UnknownSnapshotError}
	 */
	revert(id: string): number {
		const position = this.find(id);
		const snapshot = this.kept[position] as Snapshot;
		this.chain.announceUndoing(snapshot.headNumber);
		this.chain.suspend();
		this.history.returnTo(snapshot.mark);
		for (const gone of this.kept.splice(position)) this.history.forget(gone.mark);
		this.conditions.restore(snapshot.conditions);
		this.chain.resume(snapshot.waiting);
		return snapshot.batches;
	}

	/** Drops one snapshot. @throws {UnknownSnapshotError} */
	drop(id: string): void {
		const [gone] = this.kept.splice(this.find(id), 1);
		if (gone) this.history.forget(gone.mark);
	}

	/** Drops all, because the state was replaced. */
	clear(): void {
		this.kept = [];
	}

	private find(id: string): number {
		const position = this.kept.findIndex((snapshot) => idText(snapshot.id) === id.toLowerCase());
		if (position < 0) throw new UnknownSnapshotError(`unknown snapshot id: ${id}`);
		return position;
	}
}

function idText(id: number): string {
	return `0x${id.toString(16)}`;
}
