/** Votes and the rewards for them (protocol/staking §3, protocol/http-endpoints §3.1 and §3.4). */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { type Account, AccountResourceMessage, VoteWitnessContractVote } from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient, NodeView } from "../node/node-client.js";
import { parseCount } from "../values/integer-text.js";

/** Votes for one witness, for printing. */
interface VoteView {
	readonly witness: string;
	readonly votes: bigint;
}

/** The votes that an account has cast, in its order. */
export function votesOf(account: Readonly<Account>): VoteView[] {
	return account.votes.map(({ vote_address, vote_count }) => ({
		witness: toBase58Check(vote_address),
		votes: vote_count,
	}));
}

/** An account's total votes: one for each staked coin. */
export async function fetchVotingPower(client: NodeClient, address: Uint8Array): Promise<bigint> {
	const answer = await client.call("getaccountresource", { address: toHex(address) });
	return messageFrom(AccountResourceMessage, answer).coinPowerLimit;
}

/** Rewards that an account could withdraw, in sun. */
export async function fetchReward(client: NodeClient, address: Uint8Array, view: NodeView): Promise<bigint> {
	const { reward } = await client.call("getReward", { address: toHex(address) }, view);
	if (typeof reward !== "bigint") throw new Failure("rpc_error", "the node's answer holds no reward");
	return reward;
}

/** Minimum time between two withdrawals of rewards. */
export const REWARD_PAUSE_MS = 86_400_000n;

/**
 * Reads votes written as `<witness>=<count>`.
 * @param resolve finds the address for a label or address text
 * @throws {Failure} `bad_value`
 */
export async function parseVotes(
	words: readonly string[],
	resolve: (text: string) => Promise<Uint8Array>,
): Promise<VoteWitnessContractVote[]> {
	return Promise.all(
		words.map(async (word) => {
			const match = /^(.+)=([^=]+)$/.exec(word);
			if (!match?.[1] || !match[2])
				throw new Failure("bad_value", `"${word}" is not a vote: write <witness>=<count>`, {
					hint: WITNESSES,
				});
			return VoteWitnessContractVote.create({
				vote_address: await witnessNamed(match[1], resolve),
				vote_count: parseCount(match[2]),
			});
		}),
	);
}

const WITNESSES =
	"coin witness list names the witnesses by their addresses, coin contact add gives one a name";

async function witnessNamed(
	text: string,
	resolve: (text: string) => Promise<Uint8Array>,
): Promise<Uint8Array> {
	try {
		return await resolve(text);
	} catch (error) {
		if (!(error instanceof Failure) || error.code !== "wallet_not_found") throw error;
		const { hint = "" } = error.facts;
		throw error
			.saying(`no witness is known here as "${text}": ${error.message}`)
			.with({ hint: hint.startsWith("did you mean") ? hint : WITNESSES });
	}
}

/** Whether both contain the same votes, in any order. */
export function sameVotes(a: Readonly<Account>["votes"], b: readonly VoteWitnessContractVote[]): boolean {
	const lines = (votes: Readonly<Account>["votes"]): string =>
		votes
			.map(({ vote_address, vote_count }) => `${toHex(vote_address)}=${vote_count}`)
			.sort()
			.join();
	return lines(a) === lines([...b]);
}

/** Adds votes to those cast before, summing the counts for each witness. */
export function addedVotes(
	present: Readonly<Account>["votes"],
	more: readonly VoteWitnessContractVote[],
): VoteWitnessContractVote[] {
	const sums = new Map<string, VoteWitnessContractVote>();
	for (const { vote_address, vote_count } of [...present, ...more]) {
		const key = toHex(vote_address);
		const before = sums.get(key)?.vote_count ?? 0n;
		sums.set(key, VoteWitnessContractVote.create({ vote_address, vote_count: before + vote_count }));
	}
	return [...sums.values()];
}
