/** Who signed a transaction, with which weight, against which threshold. */

import { addressText } from "../../address-text.js";
import { type Json, objectOf, objectsOf, textOf, textsOf, wholeOf } from "../../answer.js";
import { signatureCount } from "../../block-facts.js";
import { grouped } from "../../format.js";
import type { NodeClient } from "../../node-client.js";
import { addressLink, badge, bar, type Child, facts, make, note, section, table } from "../elements.js";

/** @param transaction as the node answered with it @param isPending whether no block has it yet */
export async function signatures(
	client: NodeClient,
	transaction: Json,
	isPending: boolean,
): Promise<HTMLElement> {
	const count = signatureCount(transaction);
	if (count === 0)
		return section(
			"Signatures",
			note(
				"It has none: the owner of a development chain may let accounts act without, and genesis needs none.",
			),
		);
	const answer = await client.call("getsignweight", transaction).catch(() => undefined);
	if (!answer) return section("Signatures", note("This node doesn't say who signed."));
	const permission = objectOf(answer, "permission");
	const threshold = wholeOf(permission, "threshold");
	const weight = wholeOf(answer, "current_weight");
	const signed = new Set(textsOf(answer, "approved_list").map((address) => addressText(address)));
	const rows = objectsOf(permission, "keys").map((key): Child[] => {
		const address = textOf(key, "address");
		const isSigner = signed.has(addressText(address));
		return [
			addressLink(address),
			grouped(wholeOf(key, "weight")),
			isSigner ? badge("signed", "good") : "didn't sign",
		];
	});
	const name = textOf(permission, "permission_name") || "owner";
	const message = textOf(objectOf(answer, "result"), "message");
	return section(
		"Signatures",
		facts(
			["Signatures", grouped(count)],
			["Permission", `${name}, as it is now`],
			[
				"Weight",
				[
					bar("weight of those who signed", Number(weight), Number(threshold)),
					make("div", {}, `${grouped(weight)} of ${grouped(threshold)} needed `),
					weight >= threshold && threshold > 0n
						? badge("enough", "good")
						: isPending
							? badge("not enough", "bad")
							: note(
									"Not enough by the permission of now: that of its time, by which the chain took it, was another.",
								),
				],
			],
			message === "" ? undefined : ["The node says", message],
		),
		table("Signatures", ["Key", "Weight", ""], rows, "The account has no such permission now."),
	);
}
