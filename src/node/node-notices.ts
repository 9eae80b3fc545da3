/** What a running node logs as the chain progresses. */

import { toBase58Check } from "../protocol/address.js";
import { equalBytes } from "../protocol/bytes.js";
import { PUBLIC_NETWORKS, type PublicNetwork } from "../protocol/public-networks.js";
import { type CommittedBlock, eachBlock } from "./chain/observers.js";
import { type OpenChain, PROOF_CHOICE } from "./chain/open-chain.js";
import type { Producer } from "./chain/packing.js";
import type { NodeConfig } from "./config/config.js";
import { VersionWatch } from "./consensus/version-watch.js";
import type { NodeLog } from "./node-log.js";
import { newestVersion } from "./rules/fork-gates.js";
import { takesProofsUnchecked } from "./shielded-support.js";
import { asksForProofs } from "./state/note-trees.js";

/** Logs reorgs: blocks that leave the chain take their transactions with them, which operators want to know. */
export function logReorgs(open: OpenChain, log: NodeLog): void {
	open.chain.observe({
		reorg: ({ reverted, committed }) => {
			// A development chain being reverted.
			if (committed.length === 0) return;
			const [oldest, newest] = [reverted.at(-1)?.block, committed.at(-1)?.block];
			log.info(
				{
					from: Number(oldest?.number ?? 0n),
					undone: reverted.length,
					applied: committed.length,
					head: newest?.idHex,
					left: reverted[0]?.block.idHex,
				},
				"the chain moved to a longer branch",
			);
		},
	});
}

/** Where a head leads, and a better starting point. */
interface Beginning {
	readonly message: string;
	/** Height of the first block that can't be applied. */
	readonly stopsBefore: number | undefined;
}

/** Advice for starting a public network at a head: whether there is a better starting point, or this one is a dead end. */
export async function adviceOnBeginning(
	network: PublicNetwork,
	head: bigint,
): Promise<Beginning | undefined> {
	const { nextStop } = await import("./config/networks/departures.js");
	const { title } = PUBLIC_NETWORKS[network];
	const stop = nextStop(network, head);
	const instead =
		"begin from a reference node's directory (coin node adopt) or a snapshot (coin node snapshot restore): docs/first-steps.md";
	if (stop !== undefined) {
		const message = `synchronising ${title} from block ${head} on ends before block ${stop.height}, which no program of today applies (${stop.what}); ${instead}`;
		return { message, stopsBefore: stop.height };
	}
	if (head > 0n) return undefined;
	const message = `synchronising ${title} from its first block takes weeks; to be there sooner, ${instead}`;
	return { message, stopsBefore: undefined };
}

export async function warnOfBeginning(
	{ chain }: OpenChain,
	{ publicNetwork }: NodeConfig,
	log: NodeLog,
): Promise<void> {
	if (publicNetwork === undefined) return;
	const { number } = chain.head;
	const advice = await adviceOnBeginning(publicNetwork, number);
	if (!advice) return;
	const { message, stopsBefore } = advice;
	log.warn({ network: publicNetwork, head: Number(number), stopsBefore }, message);
}

/**
 * Why keys of a signer make no block; undefined: one of them signs for a witness.
 * @param signerOf the address that signs blocks for an account; undefined: it is not a witness
 */
export function signerGap(
	keys: readonly Pick<Producer, "witness" | "signer">[],
	signerOf: (account: Uint8Array) => Uint8Array | undefined,
): string | undefined {
	const reasons: string[] = [];
	for (const { witness, signer } of keys) {
		const wanted = signerOf(witness);
		if (wanted && equalBytes(wanted, signer)) return undefined;
		const account = toBase58Check(witness);
		if (wanted)
			reasons.push(`; the blocks of ${account} are signed with the key of ${toBase58Check(wanted)}`);
		else if (!equalBytes(witness, signer)) reasons.push(`; ${account} is not a witness`);
	}
	const addresses = keys.map(({ signer }) => toBase58Check(signer)).join(", ");
	return `no block is made until the signer has the key of a witness: it has ${addresses}${reasons.join("")}`;
}

/** Warns the operator of a vote for unknown rules before it has passed. */
export function watchVersions(open: OpenChain, log: NodeLog): void {
	const newest = newestVersion(open.rules);
	const watch = new VersionWatch(newest, ({ version, voters, producers }) =>
		log.warn(
			{ version, newestKnown: newest, voters, producers },
			"block producers vote for a version that this program doesn't know; update it before the vote passes, or it leaves the network",
		),
	);
	open.chain.observe(eachBlock({ committed: ({ block }) => watch.committed(block) }));
}

/**
 * Who runs a node must hear at each start, and when it begins, that blocks can't be judged.
 * @returns what an operator must know now; undefined: nothing
 */
export function watchShielded(open: OpenChain, config: NodeConfig, log: NodeLog): () => string | undefined {
	const { chain, rules } = open;
	const warning = (): string | undefined => {
		const asks = asksForProofs(chain.state);
		// A public network that doesn't ask yet will.
		if (!(asks || config.publicNetwork) || rules.development) return undefined;
		if (takesProofsUnchecked(config)) {
			return "shielded proofs are not checked (node.shielded.allowUnverified): a block with a false proof, of a transfer of the chain's own pool or for a contract of shielded tokens, is judged wrongly; node.shielded.params ends that";
		}
		if (rules.shieldedPool || !config.node.shielded.verifiesProofs) return undefined;
		const when = asks ? "have been switched on" : "will be switched on as the chain goes on";
		return `shielded transactions ${when}, and node.shielded.params is not set: this node stops before the first block that asks for a proof; ${PROOF_CHOICE}`;
	};
	let last = warning();
	if (last !== undefined) log.warn({ head: Number(chain.head.number) }, last);
	const committed = ({ block }: CommittedBlock): void => {
		const now = warning();
		if (now !== undefined && now !== last) log.error({ number: Number(block.number) }, now);
		last = now;
	};
	chain.observe(eachBlock({ committed }));
	return warning;
}
