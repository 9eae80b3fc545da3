/** Controls of a development chain, over its RPC methods (protocol/development-chain §4.4). */

import { isJson, type Json, textOf, textsOf, whole } from "../../answer.js";
import { coins, grouped, moment, span, wholeCoins } from "../../format.js";
import { isMissing, NodeError } from "../../node-client.js";
import { oneAtATime } from "../../one-at-a-time.js";
import { addressLink, button, type Child, facts, field, make, note, section, table } from "../elements.js";
import type { ViewContext, ViewMaker } from "../view.js";

const MINUTE_S = 60;
const DAY_S = 86_400;

/** Shared by the parts of the view. */
interface Owner {
	readonly context: ViewContext;
	/** Performs an action on the chain, reports its outcome in `line`, and refreshes the parts. */
	readonly run: (line: HTMLElement, work: () => Promise<string>) => void;
}

/** A status line for the outcome of an action. */
function outcomeLine(): HTMLElement {
	return make("p", { role: "status", "aria-live": "polite" });
}

/** Parses a typed whole number from 1 to `most`. @throws {NodeError} */
function numberIn(input: HTMLInputElement, most: number): number {
	const text = input.value.trim();
	const value = Number(text);
	if (!/^\d{1,12}$/.test(text) || value < 1 || value > most)
		throw new NodeError(`a whole number from 1 to ${grouped(most)} is needed`, 200);
	return value;
}

function blocks({ context, run }: Owner, info: HTMLElement): HTMLElement {
	const { client } = context;
	const line = outcomeLine();
	const count = field("Blocks", "mine-count", "1");
	const seconds = field("Seconds", "time-seconds", "3600");
	const mine = async (): Promise<string> => {
		const blocks = numberIn(count.input, 10_000);
		const last = await client.rpc("dev_mine", [{ blocks }]);
		return `mined ${grouped(blocks)}: the head is ${isJson(last) ? grouped(whole(last["number"])) : "new"}`;
	};
	const move = async (): Promise<string> => {
		const seconds_ = numberIn(seconds.input, 10 * 365 * DAY_S);
		await client.rpc("dev_increaseTime", [seconds_ * 1_000]);
		return `the clock is ${span(seconds_ * 1_000)} further; the next block shows it`;
	};
	const seal = (mode: string | number, said: string) => () =>
		run(line, async () => {
			await client.rpc("dev_setSealing", [mode]);
			return said;
		});
	return section(
		"Blocks and time",
		info,
		make(
			"div",
			{ class: "row" },
			count.row,
			button("Mine", () => run(line, mine)),
		),
		make(
			"div",
			{ class: "row" },
			seconds.row,
			button("Move the clock on", () => run(line, move)),
		),
		make(
			"div",
			{ class: "row" },
			button("A block a transaction", seal("instant", "each transaction gets its block at once")),
			button("A block every 3 s", seal(3, "a block comes every 3 s")),
			button("Blocks by hand", seal("manual", "blocks come when they are mined")),
			button("Maintenance", () =>
				run(line, async () => {
					await client.rpc("dev_maintenance");
					return "votes were counted and proposals decided";
				}),
			),
		),
		line,
	);
}

function snapshots({ context, run }: Owner, list: HTMLElement, line: HTMLElement): HTMLElement {
	return section(
		"Snapshots",
		note(
			"A snapshot is a mark to go back to: state, blocks, clock and waiting transactions. It doesn't survive a stop of the node.",
		),
		button("Take a snapshot", () =>
			run(line, async () => `snapshot ${String(await context.client.rpc("dev_snapshot"))}`),
		),
		list,
		line,
	);
}

function snapshotRows(info: Json, goBack: (id: string) => void): HTMLElement {
	const rows = textsOf(info, "snapshots").map((id): Child[] => {
		const back = button("Go back to it", () => goBack(id));
		back.setAttribute("aria-label", `Go back to it: snapshot ${id}`);
		return [id, back];
	});
	return table("Snapshots", ["Snapshot", ""], rows, "None was taken.");
}

function faucet({ context, run }: Owner): HTMLElement {
	const line = outcomeLine();
	const account = field("Account", "faucet-account", "", "T…");
	const amount = field("Coins", "faucet-amount", "1000");
	const give = button("Give", () =>
		run(line, async () => {
			const sun = wholeCoins(amount.input.value);
			if (sun === undefined) throw new NodeError("an amount of coins is needed", 200);
			await context.client.rpc("dev_addBalance", [account.input.value.trim(), sun.toString()]);
			return `gave ${coins(sun)}`;
		}),
	);
	return section("Faucet", make("div", { class: "row" }, account.row, amount.row, give), line);
}

function impersonation({ context, run }: Owner, list: HTMLElement, line: HTMLElement): HTMLElement {
	const account = field("Account", "impersonated", "", "T…");
	const begin = button("Begin", () =>
		run(line, async () => {
			await context.client.rpc("dev_impersonateAccount", [account.input.value.trim()]);
			return "it acts without signatures";
		}),
	);
	return section(
		"Impersonation",
		note("What such an account sends needs no signature until it is stopped."),
		make("div", { class: "row" }, account.row, begin),
		list,
		line,
	);
}

function unlockedRows(info: Json, stop: (address: string) => void): HTMLElement {
	const rows = textsOf(info, "unlocked").map((address): Child[] => {
		const end = button("Stop", () => stop(address));
		end.setAttribute("aria-label", `Stop impersonating ${address}`);
		return [addressLink(address), end];
	});
	const all = info["unlockAll"] === true ? note("All accounts act without signatures.") : undefined;
	return make(
		"div",
		{},
		all,
		table("Accounts that act unsigned", ["Account", ""], rows, "No single account does."),
	);
}

function clockFacts(info: Json): HTMLElement {
	const sealing = info["sealing"];
	const offsetS = Number(whole(info["clockOffsetMs"])) / 1_000;
	const words =
		Math.abs(offsetS) < MINUTE_S
			? "the time of day"
			: `${span(Math.abs(offsetS) * 1_000)} ${offsetS > 0 ? "ahead" : "behind"}`;
	return facts(
		["Head", grouped(whole(info["head"]))],
		["Time of the head", moment(Number(whole(info["headTime"])))],
		["Clock", words],
		[
			"Blocks come",
			isJson(sealing)
				? JSON.stringify(sealing)
				: typeof sealing === "number"
					? `every ${sealing} s`
					: String(sealing),
		],
	);
}

function accounts(list: readonly Json[]): HTMLElement {
	const rows = list.map((account) => {
		const key = make("span", { class: "mono" });
		const show = button("Show", () => {
			key.replaceChildren(document.createTextNode(textOf(account, "privateKey")));
			show.remove();
		});
		show.setAttribute("aria-label", `Show the key of ${textOf(account, "address")}`);
		return [addressLink(textOf(account, "address")), coins(whole(account["balance"])), [key, show]];
	});
	return table("Accounts", ["Account", "Balance", "Private key"], rows);
}

async function loaded(context: ViewContext): Promise<readonly HTMLElement[]> {
	const { client } = context;
	const places = { clock: make("div"), snapshots: make("div"), unlocked: make("div"), accounts: make("div") };
	const owner: Owner = {
		context,
		run: (line, work) => {
			line.className = "";
			work().then(
				(text) => {
					line.replaceChildren(document.createTextNode(text));
					void refresh();
				},
				(error: unknown) => {
					line.className = "bad";
					line.replaceChildren(
						document.createTextNode(error instanceof NodeError ? error.message : String(error)),
					);
				},
			);
		},
	};
	const refresh = async (): Promise<void> => {
		const [info, list] = await Promise.all([client.rpc("dev_info"), client.rpc("dev_accounts")]);
		if (!isJson(info)) return;
		places.clock.replaceChildren(clockFacts(info));
		places.snapshots.replaceChildren(snapshotRows(info, goBack));
		places.unlocked.replaceChildren(unlockedRows(info, stop));
		// Not replaced while it has the focus, for example on a revealed key.
		if (!places.accounts.contains(document.activeElement))
			places.accounts.replaceChildren(accounts((Array.isArray(list) ? list : []).filter(isJson)));
	};
	const snapshotLine = outcomeLine();
	const unlockedLine = outcomeLine();
	const goBack = (id: string): void =>
		owner.run(snapshotLine, async () => {
			if ((await client.rpc("dev_revert", [id])) !== true)
				throw new NodeError("there is no such snapshot any more", 200);
			return "the chain is as it was";
		});
	const stop = (address: string): void =>
		owner.run(unlockedLine, async () => {
			await client.rpc("dev_stopImpersonatingAccount", [address]);
			return "it signs again";
		});
	await refresh();
	context.onHead(oneAtATime(() => refresh().catch(() => undefined)));
	return [
		section("Accounts", places.accounts, note("These keys are public: never use them on another chain.")),
		blocks(owner, places.clock),
		faucet(owner),
		snapshots(owner, places.snapshots, snapshotLine),
		impersonation(owner, places.unlocked, unlockedLine),
	];
}

export const developmentView: ViewMaker = async (context) => {
	const title = "Development chain";
	try {
		return { title, body: await loaded(context) };
	} catch (error) {
		if (!isMissing(error)) throw error;
		const body = note(
			"The development methods are on the gateway's port: open /explorer/ there (coin node start prints its address, 9090 by default).",
		);
		return { title, body };
	}
};
