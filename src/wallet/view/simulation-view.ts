/** A simulated transaction for people: its result, asset movements and state changes. */

import { parseAddress } from "../../protocol/address.js";
import type { SimulatedMovement, SimulatedOutcome } from "../actions/simulate.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";
import type { NodeClient } from "../node/node-client.js";
import { Orc20 } from "../token/orc20.js";
import { currencyById, currencyText } from "../token/token-amount.js";
import { formatCoin } from "../values/amount.js";

/** The most movements and accounts shown; the rest are only counted. */
const MAX_LINES = 20;

/** Lines of a summary. */
export async function simulationLines(client: NodeClient, outcome: SimulatedOutcome): Promise<string[]> {
	const { status, error, energy = 0n, feeSun, movements, changes } = outcome;
	const because = error ? `: ${error.reason ?? error.message}` : "";
	const used = energy > 0n ? [`${energy} energy`] : [];
	const paid = feeSun === undefined ? [] : [`fee ${formatCoin(feeSun)}`];
	const moves: string[] = [];
	for (const movement of movements.slice(0, MAX_LINES)) moves.push(await movementText(client, movement));
	return [
		`  outcome     ${[`${status}${because}`, ...used, ...paid].join(", ")}`,
		...rows("moves", moves, movements.length),
		...rows("changes", changes.slice(0, MAX_LINES).map(changeText), changes.length),
	];
}

function rows(name: string, texts: readonly string[], count: number): string[] {
	const all = count > texts.length ? [...texts, `and ${count - texts.length} more`] : texts;
	return all.map((text, i) => `  ${(i === 0 ? name : "").padEnd(11)} ${text}`);
}

async function movementText(client: NodeClient, movement: SimulatedMovement): Promise<string> {
	const { from, to } = movement;
	const ends = [...(from === null ? [] : [`from ${from}`]), ...(to === null ? [] : [`to ${to}`])];
	return [await amountText(client, movement), ...ends].join(" ");
}

/** The amount in the asset's unit, if that can be fetched. */
async function amountText(client: NodeClient, movement: SimulatedMovement): Promise<string> {
	const { asset, id = "", contract = "", amount } = movement;
	try {
		if (asset === "coin") return formatCoin(amount);
		if (asset === "token") return currencyText(await currencyById(client, id), amount).trim();
		const address = parseAddress(contract);
		if (asset === "orc20" && address) return await new Orc20(client, address).amountText(amount, false);
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
	}
	return asset === "orc721"
		? `the token ${id} of ${contract}`
		: `${amount} smallest units of ${contract || `the token ${id}`}`;
}

/** Names of account members that are amounts in sun. */
const IN_SUN: ReadonlySet<string> = new Set(["balance", "reward", "unstaking"]);

/** An account and its changes. */
function changeText(change: JsonRecord): string {
	const parts = Object.entries(change).flatMap(([name, value]) => {
		if (!isRecord(value)) return [];
		if (IN_SUN.has(name)) return [`${name} ${difference(value, formatCoin)}`];
		switch (name) {
			case "exists":
				return [member(value, "after") === true ? "is created" : "is removed"];
			case "tokens":
				return inner(value, (id) => `token ${id}`, String);
			case "stakes":
				return inner(value, (resource) => `stake for ${resource}`, formatCoin);
			case "delegated":
				return inner(value, (resource) => `delegated ${resource}`, formatCoin);
			case "acquired":
				return inner(value, (resource) => `${resource} from others`, formatCoin);
			case "storage":
				return [slotsText(Object.keys(value).length)];
			case "codeHash":
				return ["code"];
			default:
				return [name];
		}
	});
	return `${String(member(change, "address"))}: ${parts.join(", ")}`;
}

const slotsText = (count: number): string => `${count} ${count === 1 ? "slot" : "slots"} of storage`;

const inner = (
	changes: JsonRecord,
	name: (key: string) => string,
	shown: (amount: bigint) => string,
): string[] =>
	Object.entries(changes).map(
		([key, value]) => `${name(key)} ${isRecord(value) ? difference(value, shown) : ""}`,
	);

function difference(change: JsonRecord, shown: (amount: bigint) => string): string {
	const amount = (value: Json | undefined): bigint =>
		typeof value === "string" && /^-?\d{1,78}$/.test(value) ? BigInt(value) : 0n;
	const delta = amount(member(change, "after")) - amount(member(change, "before"));
	return delta < 0n ? `-${shown(-delta)}` : `+${shown(delta)}`;
}
