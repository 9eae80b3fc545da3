/** The view that finds what a typed text means. */

import { addressText } from "../../address-text.js";
import { type Json, objectsOf, textOf } from "../../answer.js";
import { plain } from "../../format.js";
import { NodeError } from "../../node-client.js";
import { isMistyped, searchTerms, type Term } from "../../search-terms.js";
import { type Child, link, make, note } from "../elements.js";
import type { ViewContext, ViewMaker } from "../view.js";

/** A thing that was found. */
interface Hit {
	readonly path: string;
	readonly text: string;
}

/** Witnesses and parameters of one name that are listed. */
const MOST = 20;

async function hitsOf(context: ViewContext, { kind, value }: Term): Promise<readonly Hit[]> {
	const { client } = context;
	switch (kind) {
		case "address":
			return addressHits(context, value);
		case "block": {
			const block = await client.call("getblock", { id_or_num: value, detail: false });
			return textOf(block, "blockID") === "" ? [] : [{ path: `block/${value}`, text: `block ${value}` }];
		}
		case "hash":
			return hashHits(context, value);
		case "proposal": {
			const answer = await client.call("listproposals");
			const found = objectsOf(answer, "proposals").some((each) => textOf(each, "proposal_id") === value);
			return found ? [{ path: `proposal/${value}`, text: `proposal ${value}` }] : [];
		}
		case "token": {
			const token = await client.call("getassetissuebyid", { value });
			return textOf(token, "id") === "" ? [] : [tokenHit(token)];
		}
		case "name":
			return namesOf(context, value);
	}
}

async function addressHits({ client }: ViewContext, value: string): Promise<readonly Hit[]> {
	const contract = await client.call("getcontract", { value }).catch((): Json => ({}));
	const isContract = textOf(contract, "contract_address") !== "";
	return [{ path: `account/${value}`, text: `${isContract ? "contract" : "account"} ${value}` }];
}

async function hashHits({ client }: ViewContext, value: string): Promise<readonly Hit[]> {
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

function tokenHit(token: Json): Hit {
	const id = textOf(token, "id");
	return { path: `token/${id}`, text: `token ${id}, ${textOf(token, "name")}` };
}

async function namesOf({ client, facts }: ViewContext, value: string): Promise<readonly Hit[]> {
	const wanted = value.toLowerCase();
	const holds = (text: string): boolean => text.toLowerCase().includes(wanted);
	const [tokens, witnesses, { parameters }] = await Promise.all([
		client.call("getassetissuelistbyname", { value }).catch((): Json => ({})),
		client.call("listwitnesses"),
		facts(),
	]);
	const found = objectsOf(tokens, "assetIssue").map(tokenHit);
	const named = objectsOf(witnesses, "witnesses").filter((each) => holds(textOf(each, "url")));
	for (const witness of named.slice(0, MOST)) {
		const address = addressText(textOf(witness, "address")) ?? "";
		found.push({ path: `witness/${address}`, text: `witness ${textOf(witness, "url")}` });
	}
	const known = parameters.filter(({ name, getter }) => holds(name) || holds(getter)).slice(0, MOST);
	if (known.length > 0)
		found.push({ path: "parameters", text: `parameters: ${known.map(({ name }) => name).join(", ")}` });
	return found;
}

export const searchView: ViewMaker = async (context, typed) => {
	const lists = await Promise.all(
		searchTerms(typed).map((term) =>
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
				? isMistyped(typed)
					? note(
							"This looks like an address, but its checksum is wrong: a letter is missing, mistyped or exchanged.",
						)
					: note(
							"Nothing of this chain has that number, id, address or name. Transactions that no block took within their time are gone from everywhere.",
						)
				: make("ul", {}, body),
	};
};
