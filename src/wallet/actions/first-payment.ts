/**
 * Whether one account pays another for the first time, by the node's history (protocol/history §§4, 5): this exposes an address
 * that only looks like the usual recipient. One page of a list is requested; if that is not enough, the answer is undefined.
 */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { onRefusal } from "../failure.js";
import type { JsonRecord } from "../json.js";
import { historyPage, historyPath, type RowsPage } from "../node/history-client.js";
import type { Actor } from "./plan.js";

/** Rows per page: the maximum that a node returns. */
const ROWS = "200";
/** Recipients per paying account whose own history is requested. */
const MAX_RECIPIENTS = 20;

/** What is known about one account's payments while a command runs. */
class EarlierPayments {
	private readonly answers = new Map<string, Promise<boolean | undefined>>();
	private sent: Promise<RowsPage | undefined> | undefined;
	private recipients = 0;

	constructor(private readonly actor: Actor) {}

	isFirst(recipient: Uint8Array): Promise<boolean | undefined> {
		const id = toHex(recipient);
		const answer = this.answers.get(id) ?? this.ask(recipient);
		this.answers.set(id, answer);
		return answer;
	}

	private async ask(recipient: Uint8Array): Promise<boolean | undefined> {
		const { owner } = this.actor;
		this.sent ??= this.page(owner, "transactions", { only_from: "true", search_internal: "false" });
		const sent = await this.sent;
		if (!sent) return undefined;
		if (sent.rows.some((row) => mayName(row, recipient))) return false;
		if (isWhole(sent)) return true;
		if (++this.recipients > MAX_RECIPIENTS) return undefined;
		const [received, tokens] = await Promise.all([
			this.page(recipient, "transactions", { only_to: "true", search_internal: "false" }),
			this.page(recipient, "transactions/orc20", { only_to: "true" }),
		]);
		const from = toBase58Check(owner);
		if (received?.rows.some((row) => mayName(row, owner)) || tokens?.rows.some((row) => row["from"] === from))
			return false;
		return received && tokens && isWhole(received) && isWhole(tokens) ? true : undefined;
	}

	/** Undefined if the node keeps no history or doesn't answer: that must not prevent a payment. */
	private page(
		address: Uint8Array,
		list: string,
		parameters: Readonly<Record<string, string>>,
	): Promise<RowsPage | undefined> {
		const path = historyPath("accounts", address, list);
		return historyPage(this.actor.client, path, { ...parameters, limit: ROWS }).catch(onRefusal(undefined));
	}
}

const isWhole = ({ next, isComplete }: RowsPage): boolean => next === undefined && isComplete;

/** Whether a transaction may mention an address, in its contract or its call data; true if the transaction can't be read. */
function mayName(row: JsonRecord, address: Uint8Array): boolean {
	const bytes = row["raw_data_hex"];
	return typeof bytes !== "string" || bytes.toLowerCase().includes(toHex(address.subarray(1)));
}

const known = new WeakMap<Actor, EarlierPayments>();

/** Whether the actor has never paid the recipient before. @param recipient 21 bytes @returns undefined if the node can't tell */
export function isFirstPayment(actor: Actor, recipient: Uint8Array): Promise<boolean | undefined> {
	const payments = known.get(actor) ?? new EarlierPayments(actor);
	known.set(actor, payments);
	return payments.isFirst(recipient);
}

export const FIRST_PAYMENT_LINE = "  recipient   first payment to this address from this account";
