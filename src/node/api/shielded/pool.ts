/**
 * The chain's own shielded pool (protocol/shielded §5.3): transactions built for clients that hand over their
 * keys, and notes.
 */

import { EMPTY } from "../../../protocol/bytes.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import { wrap } from "../../../protocol/int64.js";
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
	type PrivateParameters,
	type PrivateParametersWithoutAsk,
	type ReceiveDescription,
	type SpendNote,
	SpendResult,
	type Transaction,
} from "../../../protocol/messages.js";
import {
	checkNote,
	type NoteToSend,
	type NoteToSpend,
	publishedNullifier,
	type Randomness,
	randomScalar,
} from "../../../protocol/sapling/descriptions.js";
import { checkLength, checkPosition, ShieldedError } from "../../../protocol/sapling/failure.js";
import { voucherPath, voucherPosition } from "../../../protocol/sapling/incremental-tree.js";
import type { Note } from "../../../protocol/sapling/note.js";
import { openNote, openSentNote } from "../../../protocol/sapling/note-encryption.js";
import { ProvingError } from "../../../protocol/sapling/prover.js";
import { shieldedSignHash } from "../../../protocol/sapling/redjubjub.js";
import {
	authorizationKey,
	defaultDiversifier,
	expandSpendingKey,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../../../protocol/sapling/shielded-keys.js";
import { KEY_SIZE, POOL_LIMITS } from "../../../protocol/sapling/sizes.js";
import {
	buildShieldedTransfer,
	type TransferKeys,
	type TransferPlan,
} from "../../../protocol/sapling/transfer-builder.js";
import { ParameterError, SignedTransaction } from "../../../protocol/transaction.js";
import { ContractValidateError } from "../../rules/errors.js";
import { isNullifierKnown } from "../../state/note-trees.js";
import { lifeBeginsMs, transactionHeader } from "../builder.js";
import type { ApiContext } from "../context.js";
import { randomSpendingKey } from "./keys.js";
import { blocksOf, checkRange, RequestTurns } from "./scanning.js";
import {
	type FirstKey,
	proverOf,
	randomnessOf,
	readNote,
	readReceive,
	senderKeys,
	writeNote,
} from "./tools.js";
import { findVouchers, outputsOf } from "./vouchers.js";

/** The parameters of both methods; the first key is ask or ak. */
interface Request extends Omit<PrivateParameters, "ask" | "$unknown"> {
	readonly key: FirstKey;
}

/** @returns whether there are keys to spend with @throws {ContractValidateError} */
function check(request: Request): boolean {
	const { key, nsk, ovk, shielded_spends: spends, shielded_receives: receives } = request;
	const hasSender = request.transparent_from_address.length > 0;
	const hasReceiver = request.transparent_to_address.length > 0;
	const hasKeys = ["ask" in key ? key.ask : key.ak, nsk, ovk].every((part) => part.length > 0);
	const refuse = (text: string) => {
		throw new ContractValidateError(text);
	};
	if (request.timeout < 0n) refuse("Timeout must >= 0");
	if (!hasSender && !hasKeys) refuse("No input address");
	if (hasSender && request.from_amount <= 0n) refuse("Input amount must > 0");
	if (hasKeys && spends.length === 0) refuse("No input note");
	if (receives.length === 0 && !hasReceiver) refuse("No output address");
	if (hasReceiver && request.to_amount <= 0n) refuse("Output amount must > 0");
	if (spends.length > POOL_LIMITS.spends) refuse(`The number of spend note must <= ${POOL_LIMITS.spends}`);
	if (receives.length > POOL_LIMITS.outputs)
		refuse(`The number of receive note must <= ${POOL_LIMITS.outputs}`);
	if (spends.some(({ note }) => (note?.value ?? 0n) < 0n)) refuse("The value in SpendNote must >= 0");
	if (receives.some(({ note }) => (note?.value ?? 0n) < 0n)) refuse("The value in ReceiveNote must >= 0");
	return hasKeys;
}

/** A dummy note of zero value that nobody can spend, since a transaction must have an output. */
function emptyOutput(random: Randomness): NoteToSend {
	for (;;) {
		const spendingKey = randomSpendingKey(random);
		const { ask, nsk } = expandSpendingKey(spendingKey);
		const ivk = incomingViewingKey(authorizationKey(ask), nullifierKey(nsk));
		const diversifier = defaultDiversifier(spendingKey);
		const key = diversifier && transmissionKey(ivk, diversifier);
		if (!key) continue;
		const note = { diversifier, transmissionKey: key, value: 0n, randomness: randomScalar(random) };
		return { note, memo: EMPTY };
	}
}

/** @throws {ShieldedError} */
function placeOf(
	note: Note,
	{ ak, nsk }: TransferKeys,
	{ alpha, voucher }: Readonly<SpendNote>,
): NoteToSpend {
	for (const key of [nsk, ak]) checkLength(key, KEY_SIZE);
	// Checked even without a path: a missing voucher has position -1.
	checkPosition(voucher ? voucherPosition(voucher) : -1n);
	if (!voucher) throw new ShieldedError("Spend is invalid");
	return { note, alpha, anchor: voucher.rt, path: voucherPath(voucher) };
}

/** Prefixes building errors with their class. @throws {ShieldedError} */
async function quoting<T>(context: ApiContext, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof ShieldedError || error instanceof ProvingError)) throw error;
		const name =
			context.style.dialect === "deployed" ? "org.coin.core.exception.ZksnarkException" : "ZksnarkException";
		throw new ShieldedError(`${name}: ${error.message}`);
	}
}

async function createTransaction(context: ApiContext, request: Request): Promise<SignedTransaction> {
	const spendsNotes = check(request);
	const random = randomnessOf(context);
	const { transparent_from_address: from, transparent_to_address: to, timeout } = request;
	const spent = spendsNotes ? request.shielded_spends.map(({ note }) => readNote(note)) : [];
	const outputs = request.shielded_receives.map(readReceive);
	if (request.shielded_spends.length > 0 && to.length > 0 && outputs.length === 0) {
		outputs.push(emptyOutput(random));
	}
	return quoting(context, async () => {
		for (const note of spent) checkNote(note);
		const keys = spendsNotes ? senderKeys(request.key, request.nsk) : undefined;
		const plan: TransferPlan = {
			from: from.length > 0 ? { address: from, amount: request.from_amount } : undefined,
			to: to.length > 0 ? { address: to, amount: request.to_amount } : undefined,
			keys,
			ovk: request.ovk,
			spends: spent.map((note, i) =>
				placeOf(note, keys as TransferKeys, request.shielded_spends[i] as SpendNote),
			),
			outputs,
		};
		const present = transactionHeader(context);
		const expirationMs = wrap(lifeBeginsMs(context) + timeout * 1_000n);
		const header = timeout > 0n ? { ...present, expirationMs } : present;
		const tools = { prover: await proverOf(context), random };
		return buildShieldedTransfer(plan, header, context.node.config.node.shielded.tokenId, tools);
	});
}

export const createShieldedTransaction = (
	context: ApiContext,
	{ ask, ...request }: Readonly<PrivateParameters>,
): Promise<SignedTransaction> => createTransaction(context, { ...request, key: { ask } });

export const createShieldedTransactionWithoutSpendAuthSig = (
	context: ApiContext,
	{ ak, ...request }: Readonly<PrivateParametersWithoutAsk>,
): Promise<SignedTransaction> => createTransaction(context, { ...request, key: { ak } });

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
	// The network uses the tree one block after the note's.
	const [voucher] = await findVouchers(context, [{ hash: txid, index }], 1);
	if (!voucher) return false;
	const { node, server } = context;
	return isNullifierKnown(node.view(server), publishedNullifier(note, ak, nk, voucherPosition(voucher)));
}

const SPENT = "Input note has been spent";
const UNSPENT = "The input note is not spent or does not exist";

/** Notes of the chain's own pool: scans, their positions in the tree, and whether they are spent (protocol/shielded §5.3). */
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
