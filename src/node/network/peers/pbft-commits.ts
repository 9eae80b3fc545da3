/** Stored confirmations on their way to peers that synchronise (protocol/peers §11.4). */

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

/** Confirmations of one peer: of the blocks that it was asked for, and of cycles. */
const RECEIVED_BLOCKS = 100;
const RECEIVED_CYCLES = 4;
const RECEIVED_MS = 600_000;
/** The greatest quorum is 27, one a witness. */
const MAX_SIGNATURES = 54;
const SENT_CACHE = 200;
const SENT_MS = 3_600_000;

export class PbftCommits {
	private readonly received = new Map<Peer, Received>();
	/** Epochs whose confirmation was sent, to whomever. */
	private readonly sentEpochs: Recent;

	constructor(private readonly world: PeerWorld) {
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

	/**
	 * Keeps a peer's confirmation until its block is applied: it comes before a block that the peer was asked for, and
	 * what comes about others is not kept. @throws {DecodeError}
	 */
	receive(peer: Peer, payload: Uint8Array): void {
		const { chain, settings } = this.world;
		if (!chain.allowPbft) return;
		const commit = PBFTCommitResult.decode(payload);
		const { data_type, view_n } = readRaw(commit);
		const { length } = commit.signature;
		if (length < settings.quorum || length > MAX_SIGNATURES) return;
		const isBlock = data_type === PBFTMessageDataType.BLOCK;
		if (isBlock && ![...peer.requested.values()].some(({ block }) => block.number === view_n)) return;
		const received = this.received.get(peer) ?? new Received(this.world.now);
		this.received.set(peer, received);
		(isBlock ? received.blocks : received.cycles).renew(String(view_n), commit);
	}

	/** What a peer sent although it wasn't needed. */
	peerLeft(peer: Peer): void {
		this.received.delete(peer);
	}

	/** A block of a list was applied: what came about it is checked and stored. */
	afterBlock(block: SignedBlock): void {
		if (!this.world.chain.allowPbft) return;
		const number = String(block.number);
		for (const { blocks, cycles } of this.received.values()) {
			const commit = blocks.get(number);
			if (!commit) continue;
			blocks.delete(number);
			const epoch = String(readRaw(commit).epoch);
			this.store(commit);
			const cycle = cycles.get(epoch);
			if (!cycle) continue;
			cycles.delete(epoch);
			this.store(cycle);
		}
	}

	private store(commit: PBFTCommitResult): void {
		const { chain } = this.world;
		const { data_type, view_n, epoch } = readRaw(commit);
		const key = data_type === PBFTMessageDataType.BLOCK ? `BLOCK${view_n}` : `SRL${epoch}`;
		if (!chain.commit(key) && this.isValid(commit)) chain.storeCommit(key, PBFTCommitResult.encode(commit));
	}

	/**
	 * Each signature is of a witness, and enough witnesses signed. The network counts signatures, of which one witness can
	 * make many, and lets a list without any pass (protocol/peers §11.4): what it would store is unconfirmed.
	 */
	private isValid({ data, signature }: PBFTCommitResult): boolean {
		const hash = sha256(data);
		const { activeWitnesses } = this.world.chain;
		const signers = new Set<string>();
		for (const each of signature) {
			try {
				const signer = recoverAddress(hash, each);
				if (!activeWitnesses.some((witness) => equalBytes(witness, signer))) return false;
				signers.add(toHex(signer));
			} catch (error) {
				if (error instanceof SignatureError) return false;
				throw error;
			}
		}
		return signers.size >= this.world.settings.quorum;
	}
}

/** What one peer said. */
class Received {
	/** By block number. */
	readonly blocks: Recent<PBFTCommitResult>;
	/** By epoch, which is the view number of a cycle's confirmation. */
	readonly cycles: Recent<PBFTCommitResult>;

	constructor(now: () => number) {
		this.blocks = new Recent(RECEIVED_BLOCKS, RECEIVED_MS, now);
		this.cycles = new Recent(RECEIVED_CYCLES, RECEIVED_MS, now);
	}
}

function readRaw({ data }: PBFTCommitResult): PBFTMessageRaw {
	return PBFTMessageRaw.decode(data);
}
