/** What a simulated transaction changed and moved, as JSON (protocol/json-rpc §17.4). Amounts are decimal text. */

import { toBase58Check } from "../../../../protocol/address.js";
import { toHex } from "../../../../protocol/bytes.js";
import { keccak256 } from "../../../../protocol/hash.js";
import { type JsonStyle, mapOrderedMessage } from "../../../../protocol/json/message-writer.js";
import { Permission } from "../../../../protocol/messages.js";
import type { Movement } from "../../../simulation/movements.js";
import type { AccountChange } from "../../../simulation/state-changes.js";
import { objectText } from "./json-text.js";

const addressText = (address: Uint8Array, { visible }: JsonStyle): string =>
	visible ? toBase58Check(address) : toHex(address);

type Change<T> = { readonly before: T; readonly after: T };

/** What a change was and is, each shown. */
function changeText<T>({ before, after }: Change<T>, shown: (value: T) => string): string {
	return objectText([
		["before", shown(before)],
		["after", shown(after)],
	]);
}

function amountsText(changes: ReadonlyMap<string, Change<bigint>>): (readonly [string, string])[] {
	return [...changes].map(([name, change]) => [name, changeText(change, (amount) => `"${amount}"`)]);
}

const hexOrNull = (bytes: Uint8Array | undefined): string => (bytes ? `"${toHex(bytes)}"` : "null");

export function accountChangeText(change: AccountChange, style: JsonStyle): string {
	const { exists, amounts, votes, permissions, code, storage } = change;
	const { tokens, stakes, delegated, acquired } = change;
	const named = { tokens, stakes, delegated, acquired };
	return objectText([
		["address", JSON.stringify(addressText(change.address, style))],
		...(exists ? [["exists", changeText(exists, String)] as const] : []),
		...amountsText(amounts),
		...Object.entries(named).flatMap(([name, changes]) =>
			changes.size > 0 ? [[name, objectText(amountsText(changes))] as const] : [],
		),
		...(votes ? [["votes", changeText(votes, (list) => votesText(list, style))] as const] : []),
		...(permissions
			? [["permissions", changeText(permissions, (all) => permissionsText(all, style))] as const]
			: []),
		// Code may be long: its hash tells one from another.
		...(code
			? [["codeHash", changeText(code, (bytes) => hexOrNull(bytes && keccak256(bytes)))] as const]
			: []),
		...(storage.length > 0
			? [
					[
						"storage",
						objectText(storage.map((slot) => [toHex(slot.slot), changeText(slot, hexOrNull)])),
					] as const,
				]
			: []),
	]);
}

type Votes = NonNullable<AccountChange["votes"]>["before"];
type Permissions = NonNullable<AccountChange["permissions"]>["before"];

const votesText = (votes: Votes, style: JsonStyle): string =>
	JSON.stringify(
		Object.fromEntries(
			votes.map(({ vote_address, vote_count }) => [addressText(vote_address, style), vote_count.toString()]),
		),
	);

function permissionsText({ owner, witness, actives }: Permissions, style: JsonStyle): string {
	const text = (permission: Readonly<Permission>): string => mapOrderedMessage(Permission, permission, style);
	return objectText([
		["owner", owner ? text(owner) : "null"],
		...(witness ? [["witness", text(witness)] as const] : []),
		["actives", `[${actives.map(text).join(",")}]`],
	]);
}

export function movementText({ asset, id, contract, from, to, amount }: Movement, style: JsonStyle): string {
	const shown = (address: Uint8Array | undefined): string | null =>
		address ? addressText(address, style) : null;
	return JSON.stringify({
		asset,
		...(id === undefined ? {} : { id }),
		...(contract ? { contract: shown(contract) } : {}),
		from: shown(from),
		to: shown(to),
		amount: amount.toString(),
	});
}
