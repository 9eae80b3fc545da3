/** Witnesses: votes, produced and missed blocks, rewards. */

import { addressText } from "../../address-text.js";
import { type Json, objectsOf, textOf, wholeOf } from "../../answer.js";
import { grouped, shortened } from "../../format.js";
import { type NodeClient, NodeError } from "../../node-client.js";
import { fewAtATime } from "../../one-at-a-time.js";
import {
	addressLink,
	amount,
	badge,
	bar,
	blockLink,
	type Child,
	facts,
	link,
	make,
	note,
	section,
	table,
	time,
} from "../elements.js";
import type { ViewMaker } from "../view.js";

/** The most witnesses whose rewards are fetched with the list. */
const MAX_REWARDS = 30;

function missedShare(witness: Json): string {
	const produced = wholeOf(witness, "totalProduced");
	const missed = wholeOf(witness, "totalMissed");
	const all = produced + missed;
	return all === 0n ? "" : ` (${Number((missed * 10_000n) / all) / 100} %)`;
}

async function rewardOf(client: NodeClient, address: string): Promise<Child> {
	const answer = await client.call("getReward", { address }).catch(() => undefined);
	return answer ? amount(wholeOf(answer, "reward")) : "?";
}

function byVotes(witnesses: readonly Json[]): readonly Json[] {
	return [...witnesses].sort((a, b) => (wholeOf(b, "voteCount") > wholeOf(a, "voteCount") ? 1 : -1));
}

export const witnessesView: ViewMaker = async ({ client, signal }) => {
	const [answer, next] = await Promise.all([
		client.call("listwitnesses"),
		client.call("getnextmaintenancetime").catch((): Json => ({})),
	]);
	const sorted = byVotes(objectsOf(answer, "witnesses"));
	const all = sorted.reduce((sum, witness) => sum + wholeOf(witness, "voteCount"), 0n);
	const rewards = new Map<string, HTMLElement>();
	const rows = sorted.map((witness, index): Child[] => {
		const address = textOf(witness, "address");
		const votes = wholeOf(witness, "voteCount");
		const reward = make("span", {}, index < MAX_REWARDS ? "…" : "");
		if (index < MAX_REWARDS) rewards.set(address, reward);
		return [
			String(index + 1),
			link(`witness/${addressText(address) ?? address}`, (addressText(address) ?? address).slice(0, 8), "…"),
			// The URL is set by the witness and untrusted: not a link.
			textOf(witness, "url"),
			[bar("share of all votes", Number(votes), Number(all)), grouped(votes)],
			grouped(wholeOf(witness, "totalProduced")),
			`${grouped(wholeOf(witness, "totalMissed"))}${missedShare(witness)}`,
			reward,
			blockLink(wholeOf(witness, "latestBlockNum")),
			witness["isJobs"] === true ? badge("active", "good") : "",
		];
	});
	void fewAtATime([...rewards], async ([address, place]) => {
		if (!signal.aborted) place.replaceChildren(make("span", {}, await rewardOf(client, address)));
	});
	const count = Number(wholeOf(next, "num"));
	return {
		title: "Witnesses",
		body: [
			...(count > 0 ? [note("The votes are counted next at ", time(count), ".")] : []),
			table(
				"Witnesses",
				[
					"",
					"Account",
					"Says of itself",
					"Votes",
					"Produced",
					"Missed",
					"Reward to withdraw",
					"Last block",
					"",
				],
				rows,
			),
		],
	};
};

export const witnessView: ViewMaker = async ({ client }, typed) => {
	const address = addressText(typed);
	const sorted = byVotes(objectsOf(await client.call("listwitnesses"), "witnesses"));
	const rank = sorted.findIndex((each) => addressText(textOf(each, "address")) === address);
	const witness = sorted[rank];
	if (address === undefined || !witness) throw new NodeError("there is no such witness", 404);
	const [brokerage, reward] = await Promise.all([
		client.call("getBrokerage", { address }).catch((): Json => ({})),
		rewardOf(client, address),
	]);
	const isActive = witness["isJobs"] === true;
	return {
		title: `Witness ${shortened(address)}, ${rank + 1} of ${sorted.length}`,
		body: [
			facts(
				["Account", addressLink(address)],
				["Says of itself", textOf(witness, "url")],
				["Votes", grouped(wholeOf(witness, "voteCount"))],
				["Makes blocks now", isActive ? badge("active", "good") : "no"],
				["Blocks made", grouped(wholeOf(witness, "totalProduced"))],
				["Blocks missed", `${grouped(wholeOf(witness, "totalMissed"))}${missedShare(witness)}`],
				["Last block", blockLink(wholeOf(witness, "latestBlockNum"))],
				["Keeps of the rewards", `${textOf(brokerage, "brokerage") || "?"} %; the rest is its voters'`],
				["Reward to withdraw", reward],
			),
			section(
				"History",
				note(link(`account/${address}`, "Balance, stakes, permissions and history of its account")),
			),
		],
	};
};
