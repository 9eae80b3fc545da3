/** An account's permissions: each as a bar of key weights against the threshold, and as text. */

import { addressText } from "../../address-text.js";
import { type Json, objectOf, objectsOf, textOf } from "../../answer.js";
import { grouped, shortened } from "../../format.js";
import { allowedTypes, type NetworkFacts } from "../../network-facts.js";
import { type Key, type PermissionKeys, permissionKeys } from "../../permission-keys.js";
import { addressLink, badge, type Child, drawn, make, note, section, table } from "../elements.js";

const WIDTH = 300;
const HEIGHT = 26;

/** Key weights stacked as a bar, with a line at the threshold. */
function picture(name: string, { keys, total, threshold }: PermissionKeys): HTMLElement {
	const whole = Number(total > threshold ? total : threshold) || 1;
	let left = 0;
	const parts = keys.map(({ weight, address }, index) => {
		const width = (Number(weight) / whole) * WIDTH;
		const x = left;
		left += width;
		const label = addressText(address) ?? address;
		return drawn(
			"rect",
			{ x: x + 0.5, y: 4, width: Math.max(1, width - 1), height: HEIGHT - 8, class: `key k${index % 5}` },
			drawn("title", {}, `${label}: ${grouped(weight)}`),
		);
	});
	const at = (Number(threshold) / whole) * WIDTH;
	const needed = drawn("line", { x1: at, x2: at, y1: 0, y2: HEIGHT, class: "threshold" });
	const words = `${name}: ${keys.length} keys with weights ${keys.map(({ weight }) => weight).join(", ")}; ${threshold} is needed`;
	const svg = drawn(
		"svg",
		{
			viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
			role: "img",
			"aria-label": words,
			preserveAspectRatio: "none",
			class: "weights",
		},
		...parts,
		needed,
	);
	return make(
		"div",
		{},
		svg,
		make("p", { class: "note" }, `The line stands at ${grouped(threshold)} of ${grouped(total)}.`),
	);
}

function words({ keys, together, threshold, total, hasMore }: PermissionKeys): Child {
	if (total < threshold)
		return make("p", { class: "bad" }, "All keys together don't reach what is needed: nobody can act.");
	const alone = keys.filter(({ isEnough }) => isEnough);
	if (alone.length === keys.length)
		return note(keys.length === 1 ? "Its one key acts alone." : "Each key acts alone.");
	const sets = together.map((set) =>
		make(
			"li",
			{},
			set.map((key, index) => [index > 0 ? " and " : "", keyLabel(key)]),
		),
	);
	return [
		make("p", { class: "note" }, "Enough is any of these:"),
		make("ul", { class: "values" }, sets),
		hasMore ? note("and more") : undefined,
	];
}

function keyLabel({ address, weight }: Key): Child {
	return [addressLink(address, false), ` (${grouped(weight)})`];
}

function permission(name: string, of: Json, account: string, known: NetworkFacts): HTMLElement {
	const found = permissionKeys(of);
	const rows = found.keys.map((key, index): Child[] => [
		make("span", { class: `swatch k${index % 5}`, "aria-hidden": "true" }),
		[addressLink(key.address), addressText(key.address) === account ? " (the account itself)" : ""],
		grouped(key.weight),
		key.isEnough
			? badge("enough alone", "good")
			: key.isNeeded
				? badge("always needed")
				: "only together with others",
	]);
	const operations = textOf(of, "operations");
	const allowed = allowedTypes(known, operations);
	return make(
		"div",
		{ class: "permission" },
		make("h3", {}, name),
		picture(name, found),
		table(`Keys of ${name}`, ["", "Key", "Weight", ""], rows),
		words(found),
		operations === ""
			? undefined
			: make(
					"details",
					{},
					make(
						"summary",
						{},
						`may send ${grouped(allowed.length)} ${allowed.length === 1 ? "kind" : "kinds"} of transactions`,
					),
					make("p", {}, allowed.join(", ") || "none"),
				),
	);
}

/** @param address Base58Check */
export function permissions(
	account: Json,
	address: string,
	known: NetworkFacts,
	isContract: boolean,
): HTMLElement {
	if (isContract) return section("Permissions", note("A contract has no keys: its code alone acts for it."));
	const parts = permissionParts(account, "active_permission", address, known);
	return section(
		"Permissions",
		...(parts.length > 0
			? parts
			: [note(`The account's own key, ${shortened(address)}, does everything alone.`)]),
	);
}

/**
 * The permissions of an account, or those that an update of permissions would set.
 * @param actives name of the member with the active permissions
 * @param address Base58Check
 */
export function permissionParts(
	of: Json,
	actives: "active_permission" | "actives",
	address: string,
	known: NetworkFacts,
): readonly HTMLElement[] {
	const parts: HTMLElement[] = [];
	const end = actives === "actives" ? "" : "_permission";
	const owner = objectOf(of, `owner${end}`);
	if (objectsOf(owner, "keys").length > 0)
		parts.push(permission("owner (everything)", owner, address, known));
	const witness = objectOf(of, `witness${end}`);
	if (objectsOf(witness, "keys").length > 0)
		parts.push(permission("witness (makes blocks)", witness, address, known));
	for (const [index, each] of objectsOf(of, actives).entries()) {
		// An update has no ids: active permissions get them in order, from 2 (protocol/permissions §2.4).
		const id = textOf(each, "id") || String(index + 2);
		parts.push(permission(`active ${id}: ${textOf(each, "permission_name")}`, each, address, known));
	}
	return parts;
}
