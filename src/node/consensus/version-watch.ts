/**
 * Watches blocks for versions unknown to this program (protocol/consensus §6): they are votes for rules it
 * can't follow. Once such a vote passes, the network moves on without this node.
 */

import type { SignedBlock } from "../../protocol/block.js";
import { toKey } from "../../protocol/bytes.js";

/** The current state of the vote for an unknown version. */
interface UnknownVote {
	/** The highest version voted for. */
	readonly version: number;
	/** Number of seen producers whose last block carries an unknown version. */
	readonly voters: number;
	readonly producers: number;
}

/** Maximum remembered producers: more than can produce blocks between two elections. */
const MAX_PRODUCERS = 100;

export class VersionWatch {
	/** The version of each producer's last block, least recently seen first. */
	private readonly last = new Map<string, number>();
	private voters = 0;

	/**
	 * @param newest version that this program knows
	 * @param warn called when a witness begins to vote for an unknown version
	 */
	constructor(
		private readonly newest: number,
		private readonly warn: (vote: UnknownVote) => void,
	) {}

	/** A block joined the chain. */
	committed({
		witness,
		raw,
	}: Pick<SignedBlock, "witness"> & { readonly raw: { readonly version: number } }): void {
		const key = toKey(witness);
		const before = this.last.get(key);
		this.last.delete(key);
		this.last.set(key, raw.version);
		const isUnknown = raw.version > this.newest;
		const wasUnknown = (before ?? 0) > this.newest;
		if (isUnknown !== wasUnknown) this.voters += isUnknown ? 1 : -1;
		this.forgetOldest();
		if (isUnknown && !wasUnknown) this.warn(this.vote());
	}

	private vote(): UnknownVote {
		return { version: Math.max(...this.last.values()), voters: this.voters, producers: this.last.size };
	}

	private forgetOldest(): void {
		for (const [key, version] of this.last) {
			if (this.last.size <= MAX_PRODUCERS) return;
			this.last.delete(key);
			if (version > this.newest) this.voters--;
		}
	}
}
