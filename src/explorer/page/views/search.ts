/** The view that finds what a typed text means. */

import { objectsOf, textOf } from "../../answer.js";
import { plain } from "../../format.js";
import { NodeError } from "../../node-client.js";
import { searchTerms, type Term } from "../../search-terms.js";
import { type Child, link, make, note } from "../elements.js";
import type { ViewContext, ViewMaker } from "../view.js";

/** A thing that was found. */
interface Hit {
	readonly path: string;
	readonly text: string;
}

async function hitsOf({ client }: ViewContext, term: Term): Promise<readonly Hit[]> {
	const { kind, value } = term;
	if (kind === "address") return [{ path: `account/${value}`, text: `account ${value}` }];
	if (kind === "block") {
		const block = await client.call("getblock", { id_or_num: value, detail: false });
		return textOf(block, "blockID") === "" ? [] : [{ path: `block/${value}`, text: `block ${value}` }];
	}
	if (kind === "hash") {
		const [transaction, block] = await Promise.all([
			client.call("gettransactionbyid", { value }),
			client.call("getblockbyid", { value }),
		]);
		if (textOf(transaction, "txID") !== "") return [{ path: `tx/${value}`, text: `transaction ${value}` }];
		if (textOf(block, "blockID") !== "") return [{ path: `block/${value}`, text: `block ${value}` }];
		const pending = await client.call("gettransactionfrompending", { value });
		return textOf(pending, "txID") === ""
			? []
			: [{ path: `tx/${value}`, text: `pending transaction ${value}` }];
	}
	return namesOf(client, value);
}

async function namesOf(client: ViewContext["client"], value: string): Promise<readonly Hit[]> {
	const found: Hit[] = [];
	if (/^\d{7}$/.test(value)) {
		const token = await client.call("getassetissuebyid", { value });
		if (textOf(token, "id") !== "")
			found.push({ path: `token/${value}`, text: `token ${value}, ${textOf(token, "name")}` });
	} else {
		const tokens = await client.call("getassetissuelistbyname", { value });
		for (const token of objectsOf(tokens, "assetIssue")) {
			const id = textOf(token, "id");
			found.push({ path: `token/${id}`, text: `token ${id}, ${textOf(token, "name")}` });
		}
	}
	const { witnesses } = { witnesses: objectsOf(await client.call("listwitnesses"), "witnesses") };
	const wanted = value.toLowerCase();
	for (const witness of witnesses
		.filter((each) => textOf(each, "url").toLowerCase().includes(wanted))
		.slice(0, 20)) {
		const address = textOf(witness, "address");
		found.push({ path: `account/${address}`, text: `witness ${textOf(witness, "url")}` });
	}
	return found;
}

export const searchView: ViewMaker = async (context, typed) => {
	const terms = searchTerms(typed);
	const lists = await Promise.all(
		terms.map((term) =>
			hitsOf(context, term).catch((error: unknown) => {
				if (error instanceof NodeError && error.status === 200) return [];
				throw error;
			}),
		),
	);
	const hits = lists.flat();
	const [only] = hits;
	if (hits.length === 1 && only) window.location.replace(`#/${only.path}`);
	const body: Child[] = hits.map(({ path, text }) => make("li", {}, link(path, text)));
	return {
		title: `Search: ${plain(typed).slice(0, 80)}`,
		body:
			hits.length === 0
				? note("Nothing of this chain has that number, id, address or name.")
				: make("ul", {}, body),
	};
};
