/** Stored confirmations on their way to peers that synchronise (sheet 09 §11.4). */

import { equalBytes, toHex } from "../../../protocol/bytes.js";
import { sha256 } from "../../../protocol/hash.js";
import { PBFTMessageDataType } from "../../../protocol/messages.js";
import { recoverAddress, SignatureError } from "../../../protocol/signature.js";
import { Recent } from "../../memory/recent.js";
import {
	ApplicationType,
	PBFTCommitResult,
	PBFTMessageRaw,
	type SignedBlock,
} from "../wire/application-messages.js";
import type { Peer } from "./peer.js";
import type { PeerWorld } from "./peer-world.js";

const RECEIVED_CACHE = 200;
const RECEIVED_MS = 600_000;
const SENT_CACHE = 200;
const SENT_MS = 3_600_000;

export class PbftCommits {
	/** By block number, or by epoch: the view number of a cycle's confirmation is its epoch. */
	private readonly received: Recent<PBFTCommitResult>;
	/** Epochs whose confirmation was sent, to whomever. */
	private readonly sentEpochs: Recent;

	constructor(private readonly world: PeerWorld) {
		this.received = new Recent(RECEIVED_CACHE, RECEIVED_MS, world.now);
		this.sentEpochs = new Recent(SENT_CACHE, SENT_MS, world.now);
	}

	/** Sends what is stored about a block, and once an hour about its cycle. */
	beforeBlock(peer: Peer, block: SignedBlock): void {
		const { chain } = this.world;
		if (!chain.allowPbft || peer.isSynced) return;
		const stored = chain.commit(`BLOCK${block.number}`);
		if (stored) this.world.send(peer, ApplicationType.PBFT_COMMIT_MSG, stored);
		const interval = chain.maintenanceIntervalMs;
		const epoch = stored
			? readRaw(PBFTCommitResult.decode(stored)).epoch
			: (block.timestampMs / interval + 1n) * interval;
		const cycle = this.sentEpochs.has(String(epoch)) ? undefined : chain.commit(`SRL${epoch}`);
		if (!cycle) return;
		this.sentEpochs.put(String(epoch), true);
		this.world.send(peer, ApplicationType.PBFT_COMMIT_MSG, cycle);
	}

	/** Keeps a peer's confirmation until its block is applied. @throws {DecodeError} */
	receive(payload: Uint8Array): void {
		if (!this.world.chain.allowPbft) return;
		const commit = PBFTCommitResult.decode(payload);
		this.received.renew(String(readRaw(commit).view_n), commit);
	}

	/** A block of a list was applied: what came about it is checked and stored. */
	afterBlock(block: SignedBlock): void {
		if (!this.world.chain.allowPbft) return;
		const commit = this.received.get(String(block.number));
		if (!commit) return;
		this.received.delete(String(block.number));
		const { epoch } = readRaw(commit);
		this.store(commit);
		const cycle = this.received.get(String(epoch));
		if (!cycle) return;
		this.received.delete(String(epoch));
		this.store(cycle);
	}

	private store(commit: PBFTCommitResult): void {
		if (!this.isValid(commit)) return;
		const { chain } = this.world;
		const { data_type, view_n, epoch } = readRaw(commit);
		const key = data_type === PBFTMessageDataType.BLOCK ? `BLOCK${view_n}` : `SRL${epoch}`;
		if (!chain.commit(key)) chain.storeCommit(key, PBFTCommitResult.encode(commit));
	}

	/** Enough signatures, each of a witness. A list without any passes on the network (sheet 09 §11.4). */
	private isValid({ data, signature }: PBFTCommitResult): boolean {
		if (signature.length === 0) return true;
		const distinct = new Set(signature.map(toHex));
		if (distinct.size < this.world.settings.quorum) return false;
		const hash = sha256(data);
		const { activeWitnesses } = this.world.chain;
		return signature.every((each) => {
			try {
				const signer = recoverAddress(hash, each);
				return activeWitnesses.some((witness) => equalBytes(witness, signer));
			} catch (error) {
				if (error instanceof SignatureError) return false;
				throw error;
			}
		});
	}
}

function readRaw({ data }: PBFTCommitResult): PBFTMessageRaw {
	return PBFTMessageRaw.decode(data);
}
