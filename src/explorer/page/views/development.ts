/** What the owner of a development chain does to it, by its methods. */

import { isJson, textOf, whole } from "../../answer.js";
import { coins } from "../../format.js";
import { NodeError } from "../../node-client.js";
import { addressLink, button, field, make, note, section, table } from "../elements.js";
import type { ViewContext, ViewMaker } from "../view.js";

const SUN = 1_000_000n;

/** A line that says what came of an action. */
function teller(): { readonly line: HTMLElement; readonly run: (work: () => Promise<string>) => void } {
	const line = make("p", { role: "status", "aria-live": "polite" });
	const run = (work: () => Promise<string>): void => {
		line.className = "";
		work().then(
			(text) => line.replaceChildren(document.createTextNode(text)),
			(error: unknown) => {
				line.className = "bad";
				line.replaceChildren(
					document.createTextNode(error instanceof NodeError ? error.message : String(error)),
				);
			},
		);
	};
	return { line, run };
}

function blocks({ client }: ViewContext): HTMLElement {
	const { line, run } = teller();
	const count = field("Blocks", "mine-count", "1");
	const seconds = field("Seconds", "time-seconds", "3600");
	return section(
		"Blocks and time",
		make(
			"div",
			{ class: "row" },
			count.row,
			button("Mine", () =>
				run(async () => {
					await client.rpc("dev_mine", [Number(count.input.value)]);
					return `mined ${count.input.value}`;
				}),
			),
		),
		make(
			"div",
			{ class: "row" },
			seconds.row,
			button("Move the clock on", () =>
				run(async () => {
					await client.rpc("dev_increaseTime", [Number(seconds.input.value)]);
					return `the clock is ${seconds.input.value} s further; the next block shows it`;
				}),
			),
		),
		button("Maintenance", () =>
			run(async () => {
				await client.rpc("dev_maintenance");
				return "votes were counted and proposals decided";
			}),
		),
		line,
	);
}

function snapshots({ client, again }: ViewContext): HTMLElement {
	const { line, run } = teller();
	const id = field("Snapshot", "snapshot-id");
	return section(
		"Snapshots",
		button("Take a snapshot", () =>
			run(async () => {
				const taken = String(await client.rpc("dev_snapshot"));
				id.input.value = taken;
				return `snapshot ${taken}`;
			}),
		),
		make(
			"div",
			{ class: "row" },
			id.row,
			button("Go back to it", () =>
				run(async () => {
					const done = await client.rpc("dev_revert", [id.input.value]);
					if (done !== true) throw new NodeError("there is no such snapshot", 200);
					again();
					return "the chain is as it was";
				}),
			),
		),
		line,
	);
}

function faucet({ client, again }: ViewContext): HTMLElement {
	const { line, run } = teller();
	const account = field("Account", "faucet-account");
	const amount = field("Coins", "faucet-amount", "1000");
	const give = button("Give", () =>
		run(async () => {
			if (!/^\d{1,12}$/.test(amount.input.value))
				throw new NodeError("a whole number of coins is needed", 200);
			const sun = BigInt(amount.input.value) * SUN;
			await client.rpc("dev_addBalance", [account.input.value.trim(), sun.toString()]);
			again();
			return `gave ${coins(sun)}`;
		}),
	);
	return section("Faucet", make("div", { class: "row" }, account.row, amount.row, give), line);
}

function impersonation({ client }: ViewContext): HTMLElement {
	const { line, run } = teller();
	const account = field("Account", "impersonated");
	const call = (method: string, said: string) => () =>
		run(async () => {
			await client.rpc(method, [account.input.value.trim()]);
			return said;
		});
	return section(
		"Impersonation",
		note("What this account sends needs no signature until it is stopped."),
		make(
			"div",
			{ class: "row" },
			account.row,
			button("Begin", call("dev_impersonateAccount", "it acts without signatures")),
			button("Stop", call("dev_stopImpersonatingAccount", "it signs again")),
		),
		line,
	);
}

async function accounts({ client }: ViewContext): Promise<HTMLElement> {
	const answer = await client.rpc("dev_accounts");
	const list = (Array.isArray(answer) ? answer : []).filter(isJson);
	const rows = list.map((account) => {
		const key = make("span", { class: "mono" });
		const show = button("Show", () => {
			key.replaceChildren(document.createTextNode(textOf(account, "privateKey")));
			show.remove();
		});
		show.setAttribute("aria-label", `Show the key of ${textOf(account, "address")}`);
		return [addressLink(textOf(account, "address")), coins(whole(account["balance"])), [key, show]];
	});
	return section(
		"Accounts",
		table("Accounts", ["Account", "Balance", "Private key"], rows),
		note("These keys are public: never use them on another chain."),
	);
}

export const developmentView: ViewMaker = async (context) => {
	try {
		return {
			title: "Development chain",
			body: [
				await accounts(context),
				blocks(context),
				faucet(context),
				snapshots(context),
				impersonation(context),
			],
		};
	} catch (error) {
		if (!(error instanceof NodeError) || (error.status !== 404 && error.status !== 405)) throw error;
		return {
			title: "Development chain",
			body: note(
				"The development methods are on the gateway's port: open /explorer/ there (coin node start prints its address, 9090 by default).",
			),
		};
	}
};
