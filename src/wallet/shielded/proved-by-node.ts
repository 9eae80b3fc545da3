/**
 * Lets a node produce proofs on request (protocol/shielded §5). It receives viewing and proving keys, notes,
 * amounts and recipients, so it sees everything the holder sees, now and later. It doesn't receive the spend
 * authorizing key: its response is compared with the request, and signed here.
 */

import { equalBytes, toHex } from "../../protocol/bytes.js";
import { spell } from "../../protocol/dialect.js";
import {
	type ReceiveDescription,
	ShieldedORC20Parameters,
	SpendDescription,
} from "../../protocol/messages.js";
import type { NoteToSend, NoteToSpend, Randomness } from "../../protocol/sapling/descriptions.js";
import { noteCommitment, nullifier } from "../../protocol/sapling/note.js";
import { openSentNote } from "../../protocol/sapling/note-encryption.js";
import { type Orc20Plan, orc20SignHash } from "../../protocol/sapling/orc20-builder.js";
import { writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import { nullifierKey } from "../../protocol/sapling/shielded-keys.js";
import { authorizeSpends, randomizedKey } from "../../protocol/sapling/spend-authorization.js";
import { Failure } from "../failure.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient } from "../node/node-client.js";
import type { Orc20Prover } from "./contract-payment.js";

/** A prover that delegates to a node. @param random randomness for the signatures */
export function provedByNode(client: NodeClient, random: Randomness): Orc20Prover {
	return async (plan) => {
		const answer = await client.call(
			"createshieldedcontractparameterswithoutask",
			requestOf(plan, client.settings.dialect),
		);
		const parameters = messageFrom(ShieldedORC20Parameters, answer);
		checkParameters(plan, parameters);
		return signed(plan, parameters, random);
	};
}

function requestOf(plan: Orc20Plan, dialect: NodeClient["settings"]["dialect"]): object {
	const { keys, ovk, rawValue, kind, payTo } = plan;
	const note = ({ note: { value, randomness, ...address } }: NoteToSend | NoteToSpend): object => ({
		value,
		payment_address: writePaymentAddress(address, dialect),
		rcm: toHex(randomness),
	});
	return {
		...(keys ? { ak: toHex(keys.ak), nsk: toHex(keys.nsk) } : {}),
		ovk: toHex(ovk),
		...(kind === "mint" ? { from_amount: rawValue.toString() } : {}),
		shielded_spends: plan.spends.map((spend) => ({
			note: note(spend),
			alpha: toHex(spend.alpha),
			root: toHex(spend.anchor),
			path: spend.path.siblings.map(toHex).join(""),
			pos: spend.path.position,
		})),
		shielded_receives: plan.outputs.map((output) => ({
			note: { ...note(output), memo: toHex(output.memo) },
		})),
		...(payTo ? { transparent_to_address: toHex(payTo), to_amount: rawValue.toString() } : {}),
		[spell("shielded_ORC20_contract_address", dialect)]: toHex(plan.contract),
	};
}

/** Compares the node's result with the request. @throws {Failure} `transaction_mismatch` */
function checkParameters(plan: Orc20Plan, parameters: ShieldedORC20Parameters): void {
	const { spend_description: spends, receive_description: outputs } = parameters;
	const isAsked =
		parameters.parameter_type === plan.kind &&
		spends.length === plan.spends.length &&
		outputs.length === plan.outputs.length &&
		spends.every((spend, i) => isSpendOf(spend, plan.spends[i] as NoteToSpend, plan)) &&
		outputs.every((output, i) => isOutputOf(output, plan.outputs[i] as NoteToSend, plan.ovk)) &&
		equalBytes(parameters.message_hash, orc20SignHash(plan, spends, outputs, balanceOf(plan)));
	if (isAsked) return;
	throw new Failure(
		"transaction_mismatch",
		"the node made other notes or spends than were asked for; nothing was signed",
		{
			sent: false,
		},
	);
}

/** Value that leaves the pool. */
function balanceOf({ spends, outputs }: Orc20Plan): bigint {
	const sum = (notes: readonly (NoteToSend | NoteToSpend)[]): bigint =>
		notes.reduce((total, { note }) => total + note.value, 0n);
	return sum(spends) - sum(outputs);
}

function isSpendOf(
	spend: SpendDescription,
	{ note, anchor, path, alpha }: NoteToSpend,
	{ keys }: Orc20Plan,
): boolean {
	if (!keys) return false;
	const rk = randomizedKey(keys.ak, alpha);
	const mark = nullifier(note, keys.ak, nullifierKey(keys.nsk), path.position);
	return (
		rk !== undefined &&
		mark !== undefined &&
		equalBytes(spend.rk, rk) &&
		equalBytes(spend.anchor, anchor) &&
		equalBytes(spend.nullifier, mark)
	);
}

/** Whether a new note is the requested one, and its recipient can open it. */
function isOutputOf(output: ReceiveDescription, { note, memo }: NoteToSend, ovk: Uint8Array): boolean {
	const cm = noteCommitment(note);
	if (!cm || !equalBytes(output.note_commitment, cm)) return false;
	const opened = openSentNote(ovk, {
		cv: output.value_commitment,
		cm,
		epk: output.epk,
		forReceiver: output.c_enc,
		forSender: output.c_out,
	});
	return opened !== undefined && equalBytes(opened.memo.subarray(0, memo.length), memo);
}

async function signed(
	plan: Orc20Plan,
	parameters: ShieldedORC20Parameters,
	random: Randomness,
): Promise<ShieldedORC20Parameters> {
	const alphas = plan.spends.map(({ alpha }) => alpha);
	const signatures = plan.keys && (await authorizeSpends(plan.keys, alphas, parameters.message_hash, random));
	const copy = ShieldedORC20Parameters.copy(parameters);
	copy.spend_description = parameters.spend_description.map((spend, i) =>
		SpendDescription.create({
			...spend,
			spend_authority_signature: signatures?.[i] ?? new Uint8Array(0),
		}),
	);
	return copy;
}
