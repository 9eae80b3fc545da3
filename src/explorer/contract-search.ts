/** What of some contracts a name or a selector means: their own names, those of their sources, of the tokens that they are, and their functions. */

import { hashedSignature } from "../abi/parameter.js";
import { toNeutral } from "../protocol/dialect.js";
import { COMMON, isKnown, selectorOf } from "./abi.js";
import { type Json, objectsOf, textOf } from "./answer.js";
import type { Contracts } from "./contracts.js";
import { shortened } from "./format.js";
import type { NodeClient } from "./node-client.js";
import { fewAtATime } from "./one-at-a-time.js";

/** Contracts of one question about tokens. */
const TOKENS_A_QUESTION = 20;

/** A contract that fits. */
export interface ContractMatch {
	/** Base58Check. */
	readonly address: string;
	readonly text: string;
}

/** What contracts say of the tokens that they are. @returns by address; empty where the node doesn't say */
export async function tokenInfos(
	client: NodeClient,
	addresses: readonly string[],
): Promise<ReadonlyMap<string, Json>> {
	const infos = new Map<string, Json>();
	for (let at = 0; at < addresses.length; at += TOKENS_A_QUESTION) {
		const list = addresses.slice(at, at + TOKENS_A_QUESTION).join(",");
		const answer = await client.history(`orc20/info?contract_list=${list}`).catch((): Json => ({}));
		for (const info of objectsOf(answer, "data")) infos.set(textOf(info, "contract_address"), info);
	}
	return infos;
}

/** `ORC-20` or `ORC-721`. */
export const kindOf = (info: Json): string =>
	toNeutral(textOf(info, "type")).toUpperCase().replace(/^ORC/, "ORC-") || "ORC-20";

/** Contracts of a name, whole or in part: those that are called just so come first. */
export async function contractsNamed(
	client: NodeClient,
	contracts: Contracts,
	addresses: readonly string[],
	typed: string,
): Promise<readonly ContractMatch[]> {
	const wanted = typed.toLowerCase();
	const tokens = await tokenInfos(client, addresses);
	const found: (ContractMatch & { readonly isWhole: boolean })[] = [];
	await fewAtATime(addresses, async (address) => {
		const token = tokens.get(address) ?? {};
		const { name, sourceName } = await contracts.factsOf(address);
		const symbol = textOf(token, "symbol");
		const names = [symbol, textOf(token, "name"), name, sourceName].filter((each) => each !== "");
		const holding = names.filter((each) => each.toLowerCase().includes(wanted));
		if (holding.length === 0) return;
		// A name is whatever its maker chose: the address tells those of one name apart.
		const called = [...new Set(names)].map((each) => shortened(each, 20)).join(", ");
		const text = `${symbol === "" ? "contract" : "token"}: ${called} at ${address}`;
		found.push({ address, text, isWhole: holding.some((each) => each.toLowerCase() === wanted) });
	});
	const rank = (match: (typeof found)[number]): number =>
		(match.isWhole ? 0 : addresses.length) + addresses.indexOf(match.address);
	return found.sort((a, b) => rank(a) - rank(b));
}

/** What a selector names, and which of some contracts have it. */
interface SelectorFacts {
	/** `transfer(address,uint256)`; several where they share it, none where nobody knows. */
	readonly signatures: readonly string[];
	readonly contracts: readonly ContractMatch[];
}

/** @param selector 8 hexadecimal digits in lower case */
export async function selectorFacts(
	contracts: Contracts,
	addresses: readonly string[],
	selector: string,
): Promise<SelectorFacts> {
	const isMeant = (item: (typeof COMMON)[number]): boolean =>
		(item.kind === "function" || item.kind === "error") && isKnown(item) && selectorOf(item) === selector;
	const signatures = new Set(COMMON.filter(isMeant).map(said));
	const found = new Map<string, ContractMatch>();
	await fewAtATime(addresses, async (address) => {
		const { items, name, code } = await contracts.factsOf(address);
		const own = items.filter(isMeant);
		for (const item of own) signatures.add(said(item));
		// Compilers compare a call's first bytes with each selector by an instruction that holds it: 63 pushes four bytes.
		const isInCode = code.toLowerCase().includes(`63${selector}`);
		if (own.length === 0 && !isInCode) return;
		const how = own.length > 0 ? "by its interface" : "its code holds these bytes";
		found.set(address, { address, text: `contract ${name === "" ? "" : `${name} at `}${address}, ${how}` });
	});
	return {
		signatures: [...signatures],
		contracts: addresses.map((each) => found.get(each)).filter((each) => each !== undefined),
	};
}

const said = (item: (typeof COMMON)[number]): string => `${item.kind} ${hashedSignature(item)}`;
