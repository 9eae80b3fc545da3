/** One account: what it has, may use, has staked, voted for and who may act for it; a contract's part stands in contract.ts. */

import { addressText } from "../../address-text.js";
import { type Json, objectOf, objectsOf, textOf, wholeOf } from "../../answer.js";
import { age, coins, grouped, moment, textOfHex } from "../../format.js";
import { type NodeClient, NodeError } from "../../node-client.js";
import { type Resource, resourcesOf, usedAfter } from "../../resources.js";
import {
	addressLink,
	amount,
	badge,
	bar,
	button,
	type Child,
	facts,
	link,
	make,
	note,
	section,
	table,
	time,
} from "../elements.js";
import type { ViewContext, ViewMaker } from "../view.js";
import { contractParts } from "./contract.js";
import { TRANSACTION_HEADS, transactionRow } from "./home.js";

const HOURS_MS = 3_600_000;
const PAGE = 25;

function resourceRow(resource: Resource, nowMs: number): readonly Child[] {
	const { name, used, limit, fullAtMs } = resource;
	const later = [6, 12].map(
		(hours) => `${grouped(usedAfter(resource, nowMs, hours * HOURS_MS))} in ${hours} h`,
	);
	return [
		name,
		[bar(`${name} used`, used, limit), make("div", {}, `${grouped(used)} of ${grouped(limit)} used`)],
		fullAtMs === undefined ? "all of it is there" : `${later.join(", ")}, 0 by ${moment(fullAtMs)}`,
	];
}

function resources(account: Json, answer: Json, nowMs: number): HTMLElement {
	const rows = resourcesOf(account, answer, nowMs).map((each) => resourceRow(each, nowMs));
	return section(
		"Bandwidth and energy",
		table("Bandwidth and energy", ["", "Used now", "Used later, if nothing is added"], rows),
	);
}

function stakes(account: Json, nowMs: number): HTMLElement {
	const rows: Child[][] = objectsOf(account, "frozenV2")
		.filter((stake) => wholeOf(stake, "amount") > 0n)
		.map((stake) => [
			`staked for ${(textOf(stake, "type") || "BANDWIDTH").toLowerCase()}`,
			amount(wholeOf(stake, "amount")),
			"until it is unstaked",
		]);
	for (const stake of objectsOf(account, "frozen")) {
		rows.push([
			"staked for bandwidth (older kind)",
			amount(wholeOf(stake, "frozen_balance")),
			["from ", time(Number(wholeOf(stake, "expire_time"))), " on it can be unstaked"],
		]);
	}
	const energy = objectOf(objectOf(account, "account_resource"), "frozen_balance_for_energy");
	if (wholeOf(energy, "frozen_balance") > 0n) {
		rows.push([
			"staked for energy (older kind)",
			amount(wholeOf(energy, "frozen_balance")),
			["from ", time(Number(wholeOf(energy, "expire_time"))), " on it can be unstaked"],
		]);
	}
	for (const stake of objectsOf(account, "unfrozenV2")) {
		const endMs = Number(wholeOf(stake, "unfreeze_expire_time"));
		const end = endMs > nowMs ? age(endMs, nowMs) : "can be withdrawn";
		rows.push([
			`unstaked from ${(textOf(stake, "type") || "BANDWIDTH").toLowerCase()}`,
			amount(wholeOf(stake, "unfreeze_amount")),
			[time(endMs), `, ${end}`],
		]);
	}
	for (const [name, what] of [
		["delegated_frozenV2_balance_for_bandwidth", "bandwidth lent to others"],
		["acquired_delegated_frozenV2_balance_for_bandwidth", "bandwidth lent by others"],
	] as const) {
		if (wholeOf(account, name) > 0n) rows.push([what, amount(wholeOf(account, name)), ""]);
	}
	const energyPart = objectOf(account, "account_resource");
	for (const [name, what] of [
		["delegated_frozenV2_balance_for_energy", "energy lent to others"],
		["acquired_delegated_frozenV2_balance_for_energy", "energy lent by others"],
	] as const) {
		if (wholeOf(energyPart, name) > 0n) rows.push([what, amount(wholeOf(energyPart, name)), ""]);
	}
	return section("Stakes", table("Stakes", ["Kind", "Amount", "End"], rows, "Nothing is staked."));
}

function votes(account: Json): HTMLElement {
	const rows = objectsOf(account, "votes").map((vote) => [
		addressLink(textOf(vote, "vote_address")),
		grouped(wholeOf(vote, "vote_count")),
	]);
	return section("Votes", table("Votes", ["Witness", "Votes"], rows, "It votes for no witness."));
}

/** Who may act: each key with a bar of its weight against what is needed. */
function permission(name: string, of: Json): HTMLElement {
	const threshold = wholeOf(of, "threshold");
	const rows = objectsOf(of, "keys").map((key) => {
		const weight = wholeOf(key, "weight");
		const alone = weight >= threshold ? badge("enough alone", "good") : "";
		return [
			addressLink(textOf(key, "address")),
			[
				bar("weight of the key", Number(weight), Number(threshold)),
				`${grouped(weight)} of ${grouped(threshold)}`,
			],
			alone,
		];
	});
	return make(
		"div",
		{},
		make("h3", {}, name),
		table(`Keys of ${name}`, ["Key", "Weight of what is needed", ""], rows),
	);
}

function permissions(account: Json): HTMLElement {
	const active = objectsOf(account, "active_permission");
	const parts: HTMLElement[] = [];
	const owner = objectOf(account, "owner_permission");
	if (objectsOf(owner, "keys").length > 0) parts.push(permission("owner (everything)", owner));
	const witness = objectOf(account, "witness_permission");
	if (objectsOf(witness, "keys").length > 0) parts.push(permission("witness (makes blocks)", witness));
	for (const each of active)
		parts.push(permission(`active ${textOf(each, "id")}: ${textOf(each, "permission_name")}`, each));
	return section(
		"Permissions",
		...(parts.length > 0 ? parts : [note("The account's own key does everything.")]),
	);
}

async function tokens(client: NodeClient, account: Json, address: string): Promise<HTMLElement> {
	const rows: Child[][] = objectsOf(account, "assetV2").map((token) => {
		const id = textOf(token, "key");
		return [link(`token/${encodeURIComponent(id)}`, id), "ORC-10", grouped(wholeOf(token, "value"))];
	});
	let unknown = "";
	try {
		for (const balance of objectsOf(await client.history(`accounts/${address}/orc20/balance`), "data")) {
			for (const contract of Object.keys(balance))
				rows.push([addressLink(contract), "ORC-20", grouped(wholeOf(balance, contract))]);
		}
	} catch (error) {
		if (!(error instanceof NodeError)) throw error;
		unknown = "Balances of ORC-20 tokens need the index of history: node.history.index = on.";
	}
	return section(
		"Tokens",
		table("Tokens", ["Token", "Kind", "Smallest units"], rows, "It holds no tokens that this node knows of."),
		unknown === "" ? undefined : note(unknown),
	);
}

/** Pages of what happened, newest first. */
function history({ client }: ViewContext, address: string): HTMLElement {
	const rows: (readonly Child[])[] = [];
	const place = make("div");
	const load = async (fingerprint: string): Promise<void> => {
		try {
			const query = fingerprint === "" ? "" : `&fingerprint=${encodeURIComponent(fingerprint)}`;
			const page = await client.history(
				`accounts/${address}/transactions?search_internal=false&limit=${PAGE}${query}`,
			);
			for (const row of objectsOf(page, "data"))
				rows.push(transactionRow(row, [time(Number(wholeOf(row, "block_timestamp")))]));
			const next = textOf(objectOf(page, "meta"), "fingerprint");
			place.replaceChildren(
				table("History", [...TRANSACTION_HEADS, "Time"], rows, "Nothing that this node has indexed."),
				...(next === "" ? [] : [button("Older", () => void load(next))]),
			);
		} catch (error) {
			if (!(error instanceof NodeError)) throw error;
			const missing =
				"This node keeps no index of history. node.history.index = on of its configuration makes one, in the background for old blocks.";
			place.replaceChildren(note(error.status === 404 ? missing : error.message));
		}
	};
	void load("");
	return section("History", place);
}

async function witness(
	client: NodeClient,
	account: Json,
	address: string,
): Promise<readonly [string, Child][]> {
	const reward = wholeOf(await client.call("getReward", { address }).catch(() => ({})), "reward");
	const rows: [string, Child][] = reward > 0n ? [["Reward to withdraw", amount(reward)]] : [];
	if (account["is_witness"] !== true) return rows;
	const brokerage = textOf(await client.call("getBrokerage", { address }).catch(() => ({})), "brokerage");
	return [...rows, ["Witness", `keeps ${brokerage === "" ? "?" : brokerage} % of the rewards`]];
}

export const accountView: ViewMaker = async (context, typed) => {
	const address = addressText(typed);
	if (address === undefined) throw new NodeError("this is not an address", 404);
	const { client } = context;
	const nowMs = context.nowMs();
	const [account, answer, contract] = await Promise.all([
		client.call("getaccount", { address }),
		client.call("getaccountresource", { address }),
		client.call("getcontract", { value: address }).catch(() => ({}) as Json),
	]);
	const exists = textOf(account, "address") !== "";
	const isContract = textOf(contract, "contract_address") !== "";
	const name = textOf(account, "account_name");
	const createdMs = Number(wholeOf(account, "create_time"));
	const head = facts(
		["Address", make("span", { class: "mono" }, address)],
		name === "" ? undefined : ["Name", /^([\da-f]{2})+$/i.test(name) ? textOfHex(name) : name],
		["Balance", make("strong", {}, coins(wholeOf(account, "balance")))],
		createdMs > 0 ? ["Since", time(createdMs)] : undefined,
		...(await witness(client, account, address)),
	);
	return {
		title: isContract ? `Contract ${textOf(contract, "name")}`.trim() : "Account",
		body: [
			...(exists || isContract
				? []
				: [note("Nothing has been sent to this address yet: the account isn't activated.")]),
			head,
			...(isContract ? contractParts(context, contract, address) : []),
			resources(account, answer, nowMs),
			await tokens(client, account, address),
			stakes(account, nowMs),
			votes(account),
			permissions(account),
			history(context, address),
		],
	};
};
