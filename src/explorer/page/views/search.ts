/** Search results. */

import { addressText } from "../../address-text.js";
import { type Json, objectsOf, textOf } from "../../answer.js";
import {
	type ContractMatch,
	commonNamed,
	contractsNamed,
	type SeenContracts,
	seenContracts,
	selectorFacts,
	storedContracts,
} from "../../contract-search.js";
import { contactsOf } from "../../contracts.js";
import { grouped, plain } from "../../format.js";
import { NodeError } from "../../node-client.js";
import { isMistyped, searchTerms, type Term } from "../../search-terms.js";
import { type Child, link, make, note } from "../elements.js";
import type { ViewContext, ViewMaker } from "../view.js";

/** One result. */
interface Hit {
	/** Undefined if no view shows it. */
	readonly path?: string;
	readonly text: string;
}

/** The results for a term, and a note about what wasn't searched. */
interface Found {
	readonly hits: readonly Hit[];
	readonly limits?: string;
}

/** The most tokens, witnesses and parameters listed for a name. */
const MOST = 20;
/** ORC-10 tokens searched for partial names: the most that a node returns at once. */
const COMPARED_TOKENS = 1_000;

async function foundOf(context: ViewContext, term: Term): Promise<Found> {
	if (term.kind === "selector") return selectorFound(context, term);
	if (term.kind === "name") return nameFound(context, term.value);
	return { hits: await hitsOf(context, term.kind, term.value) };
}

async function hitsOf(
	context: ViewContext,
	kind: Exclude<Term["kind"], "selector" | "name">,
	value: string,
): Promise<readonly Hit[]> {
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
	return { path: `token/${id}`, text: `token ${id}, ${textOf(token, "name")} (${textOf(token, "abbr")})` };
}

/** ORC-10 tokens by name: exact names from the whole chain, then partial ones of names and abbreviations. */
async function tokensNamed({ client }: ViewContext, value: string): Promise<readonly Hit[]> {
	const wanted = value.toLowerCase();
	const [same, some] = await Promise.all([
		client.call("getassetissuelistbyname", { value }).catch((): Json => ({})),
		client.call("getpaginatedassetissuelist", { offset: 0, limit: COMPARED_TOKENS }).catch((): Json => ({})),
	]);
	const namesOf = (token: Json): readonly string[] =>
		["name", "abbr"].map((member) => textOf(token, member).toLowerCase());
	const like = objectsOf(some, "assetIssue").filter((token) =>
		namesOf(token).some((name) => name.includes(wanted)),
	);
	const whole = like.filter((token) => namesOf(token).includes(wanted));
	const each = new Map(
		[...objectsOf(same, "assetIssue"), ...whole, ...like].map((token) => [textOf(token, "id"), token]),
	);
	return [...each.values()].slice(0, MOST).map(tokenHit);
}

const contractHit = ({ address, text }: ContractMatch): Hit => ({ path: `account/${address}`, text });

function limitsOf({ addresses, since }: SeenContracts): string {
	const looked =
		since === 0
			? `${addresses.length} contracts that blocks of this chain call or create`
			: `${addresses.length} contracts that the blocks since ${grouped(since)} call or create, or that were tokens moved lately`;
	return `Of contracts, it was looked for in those whose source is stored with the node, and in the ${looked}: no node lists all by name. Others are found by their addresses.`;
}

const NOTHING_SEEN: SeenContracts = { addresses: [], since: 0 };

/** The contracts to examine: those whose stored source matches, then those of the newest blocks. */
async function lookedAt({ client }: ViewContext, typed: string) {
	const [stored, seen] = await Promise.all([
		storedContracts(client, typed),
		seenContracts(client).catch(() => NOTHING_SEEN),
	]);
	return { seen, addresses: [...new Set([...stored, ...seen.addresses])] };
}

async function selectorFound(context: ViewContext, { value, signature }: Term): Promise<Found> {
	const { seen, addresses } = await lookedAt(context, `0x${value}`);
	const { signatures, contracts } = await selectorFacts(context.contracts, addresses, value);
	const typed = signature === undefined ? [] : [`function ${signature}`];
	const names = [...new Set([...typed, ...signatures])];
	const meant: Hit[] = names.length === 0 ? [] : [{ text: `selector 0x${value}: ${names.join("; ")}` }];
	return {
		hits: [...meant, ...contracts.map(contractHit)],
		limits: `${names.length === 0 ? "No common function has this selector, and no interface that was looked at. " : ""}${limitsOf(seen)}`,
	};
}

async function nameFound(context: ViewContext, value: string): Promise<Found> {
	const { client } = context;
	const { seen, addresses } = await lookedAt(context, value);
	const [tokens, contracts, others] = await Promise.all([
		tokensNamed(context, value),
		contractsNamed(client, context.contracts, addresses, value),
		otherNames(context, value),
	]);
	const common = commonNamed(value).map((text): Hit => ({ text }));
	const wanted = value.toLowerCase();
	const own = [...keptContacts()]
		.filter(([, label]) => label.toLowerCase().includes(wanted))
		.slice(0, MOST)
		.map(([address, label]): Hit => ({ path: `account/${address}`, text: `contact ${label}, ${address}` }));
	return {
		hits: [...own, ...tokens, ...contracts.map(contractHit), ...others, ...common],
		limits: limitsOf(seen),
	};
}

/** Witnesses by URL, and parameters by name. */
async function otherNames({ client, facts }: ViewContext, value: string): Promise<readonly Hit[]> {
	const wanted = value.toLowerCase();
	const holds = (text: string): boolean => text.toLowerCase().includes(wanted);
	const [witnesses, { parameters }] = await Promise.all([client.call("listwitnesses"), facts()]);
	const found: Hit[] = [];
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

const WRONG_CHECKSUM =
	"This looks like an address, but its checksum is wrong: a letter is missing, mistyped or exchanged.";
const NOTHING =
	"Nothing of this chain has that number, id, address or name. Transactions that no block took within their time are gone from everywhere.";

const CONTACTS = "contacts";
/** As long as a list may be that `coin contact import` takes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The reader's contacts, which only this browser has; none where it keeps nothing, or something else. */
export function keptContacts(): ReadonlyMap<string, string> {
	try {
		return contactsOf(window.localStorage.getItem(CONTACTS) ?? "");
	} catch {
		return new Map();
	}
}

/** Takes a list of contacts into the browser, or out of it. */
function contactsForm({ again }: ViewContext): HTMLElement {
	const { size } = keptContacts();
	const said = make("span", { class: "bad", role: "alert" });
	const file = make("input", { type: "file", accept: ".json,application/json", id: "contacts" });
	const keep = async (given: File): Promise<void> => {
		if (given.size > MAX_BYTES) throw new Error("this file is longer than 8 MiB");
		const contacts = [...contactsOf(await given.text())].map(([address, label]) => ({ label, address }));
		window.localStorage.setItem(CONTACTS, JSON.stringify({ contacts }));
	};
	file.addEventListener("change", () => {
		const [given] = file.files ?? [];
		if (given) keep(given).then(again, (error: Error) => said.replaceChildren(plain(error.message)));
	});
	const forget = make("button", { type: "button" }, `Forget ${size} contacts`);
	forget.addEventListener("click", () => {
		window.localStorage.removeItem(CONTACTS);
		again();
	});
	const words = "Your contacts, from the file that coin contact export prints; they stay in this browser: ";
	return make(
		"p",
		{ class: "note" },
		make("label", { for: "contacts" }, words),
		file,
		size > 0 ? forget : undefined,
		" ",
		said,
	);
}

export const searchView: ViewMaker = async (context, typed) => {
	const title = `Search: ${plain(typed).slice(0, 80)}`;
	if (isMistyped(typed)) return { title, body: note(WRONG_CHECKSUM) };
	const found = await Promise.all(
		searchTerms(typed).map((term) =>
			foundOf(context, term).catch((error: unknown): Found => {
				if (error instanceof NodeError && error.status === 200) return { hits: [] };
				throw error;
			}),
		),
	);
	const hits = found.flatMap((each) => each.hits);
	const [only] = hits;
	if (hits.length === 1 && only?.path !== undefined) window.location.replace(`#/${only.path}`);
	const items: Child[] = hits.map(({ path, text }) =>
		make("li", {}, path === undefined ? text : link(path, text)),
	);
	const limits = new Set(found.map((each) => each.limits).filter((text) => text !== undefined));
	return {
		title,
		body: [
			hits.length === 0 ? note(NOTHING) : make("ul", { class: "hits" }, items),
			...[...limits].map((text) => note(text)),
			contactsForm(context),
		],
	};
};
