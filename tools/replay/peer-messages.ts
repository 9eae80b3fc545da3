/** Handles recorded transactions and handshakes of peers, and answers in the reference's words. */

import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { NodeChain } from "../../src/node/network/node-chain.js";
import { conductOf } from "../../src/node/network/peers/conduct.js";
import { acceptHello, decodeHello } from "../../src/node/network/peers/handshake.js";
import { errorKind, Misconduct } from "../../src/node/network/peers/misconduct.js";
import type { Peer } from "../../src/node/network/peers/peer.js";
import type { PeerWorld } from "../../src/node/network/peers/peer-world.js";
import { readTransactions, TransactionIntake } from "../../src/node/network/peers/transactions.js";
import { Reason } from "../../src/node/network/wire/application-messages.js";
import type { HelloLine, PeerError, PeerTransactionsLine } from "./recording.js";

/** A peer network with only the chain, which accepts only witnesses. */
function worldOf({ rules }: OpenChain, chain: NodeChain): PeerWorld {
	const { network, release } = rules;
	return {
		chain,
		conduct: conductOf(release),
		settings: { network, release, isFastForward: true },
		peers: [],
		now: () => 0,
		sortByLatency: () => {},
		environment: { soon: () => {} },
	} as unknown as PeerWorld;
}

function withWorld<T>(open: OpenChain, use: (world: PeerWorld) => T): T {
	const chain = new NodeChain({ open, pool: undefined, report: () => {} });
	try {
		return use(worldOf(open, chain));
	} finally {
		chain.close();
	}
}

const asError = ({ message, reason }: Misconduct): PeerError => ({
	error: `P2pException: ${message}`,
	type: errorKind(reason).toUpperCase(),
});

/** Handles the body of a message TXS. */
export const offerTransactions = (open: OpenChain, body: Uint8Array): PeerTransactionsLine["answer"] =>
	withWorld(open, (world) => {
		const advertisement = { wasAsked: () => true, arrived: () => {} };
		try {
			const transactions = readTransactions(world, body) ?? [];
			new TransactionIntake(world, advertisement as never).receive({} as Peer, transactions);
			return { ok: true };
		} catch (error) {
			if (error instanceof Misconduct) return asError(error);
			throw error;
		}
	});

/** Handles a handshake message. @param message type byte and body */
export const offerHello = (open: OpenChain, message: Uint8Array): HelloLine["answer"] =>
	withWorld(open, (world) => {
		const connection = { trusted: false, replaceNodeId: () => true };
		try {
			const hello = decodeHello(world.settings, message.subarray(1));
			acceptHello(world, { connection } as unknown as Peer, hello, false);
		} catch (error) {
			if (!(error instanceof Misconduct)) throw error;
			if (error.reason === Reason.BAD_PROTOCOL) return asError(error);
			if (error.reason === Reason.INCOMPATIBLE_PROTOCOL) return { valid: false };
		}
		return { valid: true, trusted: connection.trusted };
	});
