/** Notes of the chain's own pool: scans, their places in the tree, and whether they are spent (protocol/shielded §5.3). */

import { DecodeError } from "../../../protocol/codec/reader.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import {
	BytesMessage,
	DecryptNotes,
	DecryptNotesMarked,
	DecryptNotesMarkedNoteTx,
	DecryptNotesNoteTx,
	type IvkDecryptAndMarkParameters,
	type IvkDecryptParameters,
	type NfParameters,
	type Note as NoteMessage,
	type NoteParameters,
	type OvkDecryptParameters,
	type ReceiveDescription,
	SpendResult,
	type Transaction,
} from "../../../protocol/messages.js";
import { publishedNullifier } from "../../../protocol/sapling/descriptions.js";
import { checkLength } from "../../../protocol/sapling/failure.js";
import { voucherPosition } from "../../../protocol/sapling/incremental-tree.js";
import { openNote, openSentNote } from "../../../protocol/sapling/note-encryption.js";
import { shieldedSignHash } from "../../../protocol/sapling/sign-hash.js";
import { KEY_SIZE } from "../../../protocol/sapling/sizes.js";
import { ParameterError, SignedTransaction } from "../../../protocol/transaction.js";
import { isNullifierKnown } from "../../state/note-trees.js";
import type { ApiContext } from "../context.js";
import { blocksOf, checkRange, RequestTurns } from "./scanning.js";
import { readNote, writeNote } from "./tools.js";
import { findVouchers, outputsOf } from "./vouchers.js";

interface FoundNote {
	readonly note: NoteMessage;
	readonly txid: Uint8Array;
	readonly index: number;
}

type Opened = ReturnType<typeof openNote>;

/** @throws {NamedError | ShieldedError} */
async function scan(
	context: ApiContext,
	start: bigint,
	end: bigint,
	key: Uint8Array,
	open: (output: Readonly<ReceiveDescription>) => Opened,
): Promise<FoundNote[]> {
	checkRange(start, end);
	const { dialect } = context.style;
	const turns = new RequestTurns(context);
	const found: FoundNote[] = [];
	for await (const block of blocksOf(context, start, end, turns)) {
		for (const transaction of block.transactions) {
			for (const [index, output] of outputsOf(transaction).entries()) {
				checkLength(key, KEY_SIZE);
				await turns.step();
				const opened = open(output);
				if (!opened) continue;
				found.push({ note: writeNote(opened.note, opened.memo, dialect), txid: transaction.id, index });
			}
		}
	}
	return found;
}

function scanByIvk(context: ApiContext, request: Readonly<IvkDecryptParameters>): Promise<FoundNote[]> {
	const { start_block_index: start, end_block_index: end, ivk } = request;
	return scan(context, start, end, ivk, ({ epk, c_enc, note_commitment }) =>
		openNote(ivk, epk, c_enc, note_commitment),
	);
}

function scanByOvk(context: ApiContext, request: Readonly<OvkDecryptParameters>): Promise<FoundNote[]> {
	const { start_block_index: start, end_block_index: end, ovk } = request;
	return scan(context, start, end, ovk, (output) =>
		openSentNote(ovk, {
			cv: output.value_commitment,
			cm: output.note_commitment,
			epk: output.epk,
			forReceiver: output.c_enc,
			forSender: output.c_out,
		}),
	);
}

/** @throws {NamedError | ShieldedError | Bech32Error} */
async function isSpent(context: ApiContext, request: Readonly<NoteParameters>): Promise<boolean> {
	const { ak, nk, txid, index } = request;
	const note = readNote(request.note);
	// The network takes the tree a block further than the note's.
	const [voucher] = await findVouchers(context, [{ hash: txid, index }], 1);
	if (!voucher) return false;
	const { node, server } = context;
	return isNullifierKnown(node.view(server), publishedNullifier(note, ak, nk, voucherPosition(voucher)));
}

const SPENT = "Input note has been spent";
const UNSPENT = "The input note is not spent or does not exist";

export const poolNoteMethods = {
	async ScanNoteByIvk(context: ApiContext, request: Readonly<IvkDecryptParameters>) {
		const found = await scanByIvk(context, request);
		return DecryptNotes.create({ noteTxs: found.map((note) => DecryptNotesNoteTx.create(note)) });
	},

	async ScanNoteByOvk(context: ApiContext, request: Readonly<OvkDecryptParameters>) {
		const found = await scanByOvk(context, request);
		return DecryptNotes.create({ noteTxs: found.map((note) => DecryptNotesNoteTx.create(note)) });
	},

	async ScanAndMarkNoteByIvk(context: ApiContext, request: Readonly<IvkDecryptAndMarkParameters>) {
		const { ak, nk } = request;
		const noteTxs: DecryptNotesMarkedNoteTx[] = [];
		for (const { note, txid, index } of await scanByIvk(context, request)) {
			const is_spend = await isSpent(context, { ak, nk, note, txid, index });
			noteTxs.push(DecryptNotesMarkedNoteTx.create({ note, txid, index, is_spend }));
		}
		return DecryptNotesMarked.create({ noteTxs });
	},

	async IsSpend(context: ApiContext, request: Readonly<NoteParameters>) {
		const result = await isSpent(context, request);
		return SpendResult.create({ result, message: result ? SPENT : UNSPENT });
	},

	CreateShieldNullifier(_context: ApiContext, { note, voucher, ak, nk }: Readonly<NfParameters>) {
		const position = voucher ? voucherPosition(voucher) : -1n;
		return BytesMessage.create({ value: publishedNullifier(readNote(note), ak, nk, position) });
	},

	GetShieldTransactionHash({ node }: ApiContext, message: Readonly<Transaction>) {
		const transaction = new SignedTransaction(message);
		if (!transaction.contract) throw new NamedError("ContractValidateException", "Contract is null");
		if (transaction.type?.name !== "ShieldedTransferContract") {
			throw new NamedError("ContractValidateException", "Not a shielded transaction");
		}
		try {
			return BytesMessage.create({ value: shieldedSignHash(transaction, node.config.node.shielded.tokenId) });
		} catch (error) {
			if (error instanceof ParameterError || error instanceof DecodeError) return BytesMessage.create();
			throw error;
		}
	},
};
