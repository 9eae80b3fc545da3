/** Notes of shielded token contracts: log scans, and whether notes are spent (protocol/shielded §5.4). */

import { ADDRESS_LENGTH } from "../../../protocol/address.js";
import { concatBytes, equalBytes, fromHex, toHex, utf8 } from "../../../protocol/bytes.js";
import { keccak256 } from "../../../protocol/hash.js";
import { isWireError, NamedError } from "../../../protocol/json/exceptions.js";
import {
	DecryptNotesORC20,
	DecryptNotesORC20NoteTx,
	type IvkDecryptORC20Parameters,
	type NfORC20Parameters,
	NullifierResult,
	type OvkDecryptORC20Parameters,
	type TransactionInfoLog,
	TriggerSmartContract,
} from "../../../protocol/messages.js";
import { publishedNullifier } from "../../../protocol/sapling/descriptions.js";
import { checkLength, ShieldedError } from "../../../protocol/sapling/failure.js";
import type { Note } from "../../../protocol/sapling/note.js";
import { openNote, openSentNote, unseal } from "../../../protocol/sapling/note-encryption.js";
import { ORC20_EVENTS, openBurn } from "../../../protocol/sapling/orc20-builder.js";
import { KEY_SIZE } from "../../../protocol/sapling/sizes.js";
import { receiptsInTurn } from "../../chain/block-store.js";
import { VmError } from "../../vm/vm-error.js";
import { answersOf } from "../answers.js";
import type { ApiContext } from "../context.js";
import { callTransaction, executeConstantCall } from "../queries/contract-calls.js";
import { checkRange, RequestTurns } from "./scanning.js";
import { readNote, writeNote } from "./tools.js";

/** The kind of a log: a new note from a mint, from a transfer or as a burn's change, or tokens paid out. */
type LogKind = "mint" | "transfer" | "burnLeaf" | "burnToken";

const DEFAULT_EVENTS: readonly (readonly [event: string, kind: LogKind])[] = [
	[ORC20_EVENTS.mintLeaf, "mint"],
	[ORC20_EVENTS.transferLeaf, "transfer"],
	[ORC20_EVENTS.burnLeaf, "burnLeaf"],
	[ORC20_EVENTS.tokenBurn, "burnToken"],
];

/** The kind of an event named by the client, by words in its name. */
function kindOf(event: string): LogKind | undefined {
	const name = event.toLowerCase();
	if (name.includes("mint")) return "mint";
	if (name.includes("transfer")) return "transfer";
	if (!name.includes("burn")) return undefined;
	if (name.includes("leaf")) return "burnLeaf";
	return name.includes("token") ? "burnToken" : undefined;
}

type Topics = ReadonlyMap<string, LogKind>;

/** Log kinds by topic. */
function topicsOf(events: readonly string[]): Topics {
	const named =
		events.length === 0
			? DEFAULT_EVENTS
			: events.flatMap((event) => {
					const kind = kindOf(event);
					return kind ? [[event, kind] as const] : [];
				});
	// The first of the same name wins.
	return new Map(named.toReversed().map(([event, kind]) => [toHex(keccak256(utf8(event))), kind]));
}

interface FoundLog {
	readonly kind: LogKind;
	readonly data: Uint8Array;
	readonly txid: Uint8Array;
	/** Index among the contract's matching logs in the transaction. */
	readonly index: number;
	/** Nullifiers of all notes of the contract that the transaction spends. */
	readonly nullifiers: readonly Uint8Array[];
}

const NOTE_SPENT = keccak256(utf8(ORC20_EVENTS.noteSpent));

const nullifiersIn = (logs: readonly TransactionInfoLog[], contract: Uint8Array): Uint8Array[] =>
	logs
		.filter(
			({ address, topics, data }) =>
				data.length === KEY_SIZE &&
				equalBytes(address, contract.subarray(1)) &&
				equalBytes(concatBytes(...topics), NOTE_SPENT),
		)
		.map(({ data }) => data);

/** @throws {ShieldedError} if the contract's address is none, which shows at the first log */
function kindOfLog(
	log: Readonly<TransactionInfoLog>,
	contract: Uint8Array,
	topics: Topics,
): LogKind | undefined {
	if (contract.length !== ADDRESS_LENGTH) throw new ShieldedError("invalid contract address");
	if (!equalBytes(log.address, contract.subarray(1))) return undefined;
	return topics.get(toHex(concatBytes(...log.topics)));
}

async function* logsOf(
	context: ApiContext,
	request: Readonly<IvkDecryptORC20Parameters | OvkDecryptORC20Parameters>,
	turns: RequestTurns,
): AsyncGenerator<FoundLog> {
	const { start_block_index: start, end_block_index: end, events } = request;
	const contract = request.shielded_ORC20_contract_address;
	checkRange(start, end);
	const topics = topicsOf(events);
	const { node, server } = context;
	for (let number = start; number < end; number++) {
		await turns.step();
		const state = node.view(server);
		if (number > state.properties.headNumber) return;
		for (const info of receiptsInTurn(state, number)) {
			await turns.step();
			let index = 0;
			const nullifiers = nullifiersIn(info.log, contract);
			for (const log of info.log) {
				const kind = kindOfLog(log, contract, topics);
				if (kind) yield { kind, data: log.data, txid: info.id, index: index++, nullifiers };
			}
		}
	}
}

/** A slice of a log's data. @throws {NamedError} as the network's runtime refuses to copy what isn't there */
function slice(data: Uint8Array, from: number, to: number): Uint8Array {
	if (to > data.length) {
		throw new NamedError(
			"ArrayIndexOutOfBoundsException",
			`arraycopy: last source index ${to} out of bounds for byte[${data.length}]`,
		);
	}
	return data.slice(from, to);
}

const wordOf = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes)}`);
const POSITION_MASK = (1n << 63n) - 1n;
/** Offsets of a leaf's parts in its log data. */
const AT = { cm: 32, cv: 64, epk: 96, forReceiver: 128, forSender: 708, end: 788 } as const;

const NULLIFIERS = fromHex("2997e86b");

/** @throws {NamedError | ShieldedError} */
async function isSpent(
	context: ApiContext,
	contract: Uint8Array,
	note: Note,
	{ ak, nk }: { readonly ak: Uint8Array; readonly nk: Uint8Array },
	position: bigint,
): Promise<boolean> {
	const nullifier = publishedNullifier(note, ak, nk, position);
	const output = await asksContract(context, contract, concatBytes(NULLIFIERS, nullifier));
	if (!output) throw new NamedError("ContractExeException", "trigger contract to get nullifier error.");
	return equalBytes(output, nullifier);
}

async function noteByIvk(
	context: ApiContext,
	request: Readonly<IvkDecryptORC20Parameters>,
	{ data, txid, index }: FoundLog,
): Promise<DecryptNotesORC20NoteTx | undefined> {
	const { ivk, ak, nk } = request;
	const position = wordOf(slice(data, 0, AT.cm)) & POSITION_MASK;
	const cm = slice(data, AT.cm, AT.cv);
	const epk = slice(data, AT.epk, AT.forReceiver);
	const sealed = slice(data, AT.forReceiver, AT.forSender);
	checkLength(ivk, KEY_SIZE);
	const opened = openNote(ivk, epk, sealed, cm);
	if (!opened) return undefined;
	const { note, memo } = opened;
	const asksSpent = ak.length > 0 && nk.length > 0;
	return DecryptNotesORC20NoteTx.create({
		note: writeNote(note, memo, context.style.dialect),
		position,
		is_spent:
			asksSpent && (await isSpent(context, request.shielded_ORC20_contract_address, note, request, position)),
		txid,
		index,
	});
}

function noteByOvk(
	{ style: { dialect } }: ApiContext,
	ovk: Uint8Array,
	{ data, txid, index }: FoundLog,
): DecryptNotesORC20NoteTx | undefined {
	const cm = slice(data, AT.cm, AT.cv);
	const cv = slice(data, AT.cv, AT.epk);
	const epk = slice(data, AT.epk, AT.forReceiver);
	const forReceiver = slice(data, AT.forReceiver, AT.forSender);
	const forSender = slice(data, AT.forSender, AT.end);
	const opened = openSentNote(slice(ovk, 0, KEY_SIZE), { cv, cm, epk, forReceiver, forSender });
	if (!opened) return undefined;
	return DecryptNotesORC20NoteTx.create({
		note: writeNote(opened.note, opened.memo, dialect),
		txid,
		index,
	});
}

/** A burn whose ciphertext matches its log. */
function burnByOvk(
	context: ApiContext,
	ovk: Uint8Array,
	{ data, txid, index, nullifiers }: FoundLog,
): DecryptNotesORC20NoteTx | undefined {
	const receiver = slice(data, 12, 32);
	const amount = slice(data, 32, 64);
	const { noncesBurns } = answersOf(context.node.config.node);
	const sealed = slice(data, 64, noncesBurns ? 160 : 144);
	checkLength(ovk, KEY_SIZE);
	const text = noncesBurns ? openBurn(ovk, sealed, nullifiers) : unseal(ovk, sealed);
	if (!text) return undefined;
	const payTo = text.slice(KEY_SIZE, KEY_SIZE + ADDRESS_LENGTH);
	if (!equalBytes(text.subarray(0, KEY_SIZE), amount) || !equalBytes(payTo.subarray(1), receiver)) {
		return undefined;
	}
	return DecryptNotesORC20NoteTx.create({
		to_amount: wordOf(amount).toString(),
		transparent_to_address: payTo,
		txid,
		index,
	});
}

export const tokenNoteMethods = {
	async ScanShieldedORC20NotesByIvk(context: ApiContext, request: Readonly<IvkDecryptORC20Parameters>) {
		const turns = new RequestTurns(context);
		const noteTxs: DecryptNotesORC20NoteTx[] = [];
		for await (const log of logsOf(context, request, turns)) {
			if (log.kind === "burnToken") continue;
			await turns.step();
			const note = await noteByIvk(context, request, log);
			if (note) noteTxs.push(note);
		}
		return DecryptNotesORC20.create({ noteTxs });
	},

	async ScanShieldedORC20NotesByOvk(context: ApiContext, request: Readonly<OvkDecryptORC20Parameters>) {
		const turns = new RequestTurns(context);
		const noteTxs: DecryptNotesORC20NoteTx[] = [];
		for await (const log of logsOf(context, request, turns)) {
			await turns.step();
			const { ovk } = request;
			const found = log.kind === "burnToken" ? burnByOvk(context, ovk, log) : noteByOvk(context, ovk, log);
			if (found) noteTxs.push(found);
		}
		return DecryptNotesORC20.create({ noteTxs });
	},

	async IsShieldedORC20ContractNoteSpent(context: ApiContext, request: Readonly<NfORC20Parameters>) {
		const { note, position } = request;
		const contract = request.shielded_ORC20_contract_address;
		const is_spent = await isSpent(context, contract, readNote(note), request, position);
		return NullifierResult.create({ is_spent });
	},
};

/**
 * Makes a constant contract call.
 * @returns its output, even on revert; undefined if there is no such contract or the call fails
 */
export async function asksContract(
	context: ApiContext,
	contract: Uint8Array,
	data: Uint8Array,
): Promise<Uint8Array | undefined> {
	if (contract.length === 0) return undefined;
	const call = TriggerSmartContract.create({ contract_address: contract, data });
	try {
		return (await executeConstantCall(context, call, callTransaction(context, call))).output;
	} catch (error) {
		if (error instanceof VmError || isWireError(error)) return undefined;
		throw error;
	}
}
