/** The accounts and contracts that a block touched, as far as its transactions and receipts name them. */

import { isObject, MAX_ANSWER_DEPTH, type NodeAnswer } from "./http-node.js";

/** Of whom the state is compared. */
export interface Subject {
	/** 42 hexadecimal digits. */
	readonly address: string;
	readonly isContract: boolean;
	/** All witnesses with their votes, in the place of an account. */
	readonly isWitnessList: boolean;
}

/** What is looked through of one block. */
const MAX_VALUES = 200_000;
const ADDRESS = /^41[0-9a-f]{40}$/i;
/** Members of receipts with addresses of 20 bytes. */
const SHORT_ADDRESS = /^[0-9a-f]{40}$/i;

/** @param receipts of its transactions */
export function touchedBy(block: NodeAnswer, receipts: NodeAnswer): Subject[] {
	const subjects = new Map<string, Subject>();
	let left = MAX_VALUES;
	const add = (address: string, isContract: boolean): void => {
		const key = address.toLowerCase();
		const known = subjects.get(key);
		subjects.set(key, {
			address: key,
			isContract: isContract || known?.isContract === true,
			isWitnessList: false,
		});
	};
	const walk = (value: NodeAnswer, name: string, depth: number): void => {
		if (left-- < 0 || depth > MAX_ANSWER_DEPTH) return;
		if (typeof value === "string") {
			if (ADDRESS.test(value)) add(value, name === "contract_address");
			else if (name === "address" && SHORT_ADDRESS.test(value)) add(`41${value}`, true);
			return;
		}
		if (Array.isArray(value)) for (const item of value) walk(item as NodeAnswer, name, depth + 1);
		else if (isObject(value))
			for (const [member, item] of Object.entries(value)) walk(item, member, depth + 1);
	};
	walk(block, "", 0);
	walk(receipts, "", 0);
	return [...subjects.values(), { address: "witnesses", isContract: false, isWitnessList: true }];
}
