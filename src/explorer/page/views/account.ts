/** One account: balances, resources, stakes, votes, permissions; contract.ts adds to contracts. */

import { addressText } from "../../address-text.js";
import { type Json, objectOf, objectsOf, textOf, wholeOf } from "../../answer.js";
import { accountName } from "../../contracts.js";
import { age, coins, decimal, grouped, moment, shortened } from "../../format.js";
import { type NodeClient, NodeError } from "../../node-client.js";
import { type Resource, resourcesOf, stakesOf, usedAfter } from "../../resources.js";
import { tokenInfos } from "../../tokens.js";
import {
	addressLink,
	amount,
	bar,
	type Child,
	copyable,
	drawn,
	facts,
	folded,
	link,
	make,
	note,
	section,
	table,
	tabs,
	time,
} from "../elements.js";
import type { ViewMaker } from "../view.js";
import { contractParts } from "./contract.js";
import { history } from "./history.js";
import { permissions } from "./permissions.js";

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** How the usage recovers over the next day, as a falling curve. */
function recovery(resource: Resource, nowMs: number): HTMLElement {
	const { name, used } = resource;
	const hours = Array.from({ length: DAY_HOURS + 1 }, (_, hour) => hour);
	const line = hours.map((hour) => {
		const left = usedAfter(resource, nowMs, hour * HOUR_MS) / Math.max(used, 1);
		return `${(hour / DAY_HOURS) * 100},${40 - left * 38}`;
	});
	const words = [6, 12, 18]
		.map((hours) => `${grouped(usedAfter(resource, nowMs, hours * HOUR_MS))} in ${hours} h`)
		.join(", ");
	return make(
		"div",
		{},
		drawn(
			"svg",
			{
				viewBox: "0 0 100 40",
				role: "img",
				"aria-label": `${name} still used in the next 24 hours: ${words}`,
				preserveAspectRatio: "none",
				class: "curve",
			},
			drawn("polyline", { points: line.join(" ") }),
		),
		make("p", { class: "note" }, `still used: ${words}, if nothing is added`),
	);
}

function resourcePart(resource: Resource, nowMs: number): HTMLElement {
	const { name, used, limit, fullAtMs } = resource;
	const left = Math.max(0, limit - used);
	const end =
		fullAtMs === undefined
			? make("p", { class: "note" }, limit === 0 ? "The account has none." : "All of it is there.")
			: make("p", { class: "note" }, `all of it back by ${moment(fullAtMs)}, ${age(fullAtMs, nowMs)}`);
	return make(
		"div",
		{ class: "resource" },
		make("h3", {}, name),
		make("div", {}, `${grouped(left)} of ${grouped(limit)} left, ${grouped(used)} used`),
		bar(`${name} that is left`, left, limit),
		fullAtMs === undefined ? undefined : recovery(resource, nowMs),
		end,
	);
}

function resources(account: Json, answer: Json, nowMs: number): HTMLElement {
	const parts = resourcesOf(account, answer, nowMs).map((each) => resourcePart(each, nowMs));
	return section("Bandwidth and energy", make("div", { class: "columns three" }, parts));
}

function stakes(account: Json, nowMs: number): HTMLElement {
	const rows = stakesOf(account).map(({ what, sun, endMs, end }): Child[] => {
		if (endMs === undefined) return [what, amount(sun), end];
		const isOver = endMs <= nowMs;
		return [what, amount(sun), [time(endMs), isOver ? `: ${end} now` : `, ${age(endMs, nowMs)}: ${end}`]];
	});
	return section("Stakes", table("Stakes", ["Kind", "Amount", "End"], rows, "Nothing is staked."));
}

function votes(account: Json): HTMLElement {
	const rows = objectsOf(account, "votes").map((vote) => [
		addressLink(textOf(vote, "vote_address")),
		grouped(wholeOf(vote, "vote_count")),
	]);
	return section("Votes", table("Votes", ["Witness", "Votes"], rows, "It votes for no witness."));
}

/** The address as a QR code. */
function qrCode(address: string): HTMLElement {
	const fold = folded("QR code");
	fold.addEventListener(
		"toggle",
		async () => {
			// Loaded on demand: it is a tenth of the whole script, and rarely used.
			const { qrPath } = await import("../../qr-path.js");
			const { size, path } = qrPath(address);
			const attributes = { viewBox: `0 0 ${size} ${size}`, class: "qr", role: "img" };
			fold.append(
				drawn("svg", { ...attributes, "aria-label": `QR code of ${address}` }, drawn("path", { d: path })),
			);
		},
		{ once: true },
	);
	return fold;
}

/** The most tokens per kind whose names are fetched. */
const MAX_NAMES = 30;

async function coinTokens(client: NodeClient, account: Json): Promise<Child[][]> {
	const held = objectsOf(account, "assetV2").filter((token) => wholeOf(token, "value") > 0n);
	return Promise.all(
		held.map(async (each, index) => {
			const id = textOf(each, "key");
			const token =
				index < MAX_NAMES
					? await client.call("getassetissuebyid", { value: id }).catch((): Json => ({}))
					: {};
			const shown = decimal(wholeOf(each, "value"), Number(wholeOf(token, "precision")));
			return [link(`token/${encodeURIComponent(id)}`, textOf(token, "name") || id), `ORC-10, ${id}`, shown];
		}),
	);
}

interface HeldTokens {
	readonly rows: readonly Child[][];
	/** A note if balances are missing from `rows`. */
	readonly lacking?: HTMLElement | undefined;
}

async function contractTokens(client: NodeClient, address: string): Promise<HeldTokens> {
	const answer = await client.history(`accounts/${address}/orc20/balance`);
	const balances = objectsOf(answer, "data").flatMap((each) =>
		Object.keys(each).map((contract) => [contract, wholeOf(each, contract)] as const),
	);
	const asked = balances.slice(0, MAX_NAMES).map(([contract]) => contract);
	const infos = await tokenInfos(client, asked);
	const { fingerprint, complete } = objectOf(answer, "meta");
	const isPart = fingerprint !== undefined || complete === false;
	const rows = balances.map(([contract, balance]) => {
		const info = infos.get(contract) ?? {};
		const name = textOf(info, "symbol") || textOf(info, "name");
		const shown = decimal(balance, Number(wholeOf(info, "decimals")));
		return [name === "" ? addressLink(contract) : link(`account/${contract}`, name), "ORC-20", shown];
	});
	return {
		rows,
		lacking: isPart ? note("More contracts name this account than the node asks for.") : undefined,
	};
}

async function tokens(client: NodeClient, account: Json, address: string): Promise<HTMLElement> {
	const [own, contracts] = await Promise.all([
		coinTokens(client, account),
		contractTokens(client, address).catch((error: unknown): HeldTokens => {
			if (!(error instanceof NodeError)) throw error;
			const lacking = note("Balances of ORC-20 tokens need the index of history: node.history.index = on.");
			return { rows: [], lacking };
		}),
	]);
	return section(
		"Tokens",
		table(
			"Tokens",
			["Token", "Kind", "Amount"],
			[...own, ...contracts.rows],
			"It holds no tokens that this node knows of.",
		),
		contracts.lacking,
	);
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
	return [
		...rows,
		["Witness", [link(`witness/${address}`, "yes"), `, keeps ${brokerage || "?"} % of the rewards`]],
	];
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
	const name = accountName(account);
	const createdMs = Number(wholeOf(account, "create_time"));
	const head = facts(
		["Address", [copyable(address), qrCode(address)]],
		name === "" ? undefined : ["Name", name],
		["Balance", make("strong", {}, coins(wholeOf(account, "balance")))],
		["Staked", coins(stakesOf(account).reduce((sum, stake) => sum + (stake.isStaked ? stake.sun : 0n), 0n))],
		createdMs > 0 ? ["Since", time(createdMs)] : undefined,
		...(await witness(client, account, address)),
	);
	const [known, parts, held] = await Promise.all([
		context.facts(),
		isContract ? contractParts(context, contract, address) : undefined,
		tokens(client, account, address),
	]);
	const own = [
		held,
		resources(account, answer, nowMs),
		stakes(account, nowMs),
		votes(account),
		permissions(account, address, known, isContract),
	];
	const unused = exists
		? []
		: [note("Nothing has been sent to this address yet: the account isn't activated.")];
	if (!parts)
		return {
			title: `Account ${shortened(address)}`,
			body: [...unused, head, ...own, history(context, address)],
		};
	const { overview, events, read, write, code, storage } = parts;
	return {
		title: `Contract ${textOf(contract, "name") || shortened(address)}`,
		body: [
			head,
			...tabs("Parts of the contract", [
				{ name: "Overview", parts: [...overview, ...own] },
				{ name: "Transactions", parts: [history(context, address)] },
				{ name: "Events", parts: [events] },
				{ name: "Read", parts: [read] },
				{ name: "Write", parts: [write] },
				{ name: "Code", parts: code },
				{ name: "Storage", parts: [storage] },
			]),
		],
	};
};
