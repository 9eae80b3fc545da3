/**
 * Shielded transactions and shielded tokens (protocol/http-endpoints §4, protocol/shielded §5.1). The implementation is
 * loaded on the first request (shielded/methods.ts). Requests carry secret keys: nothing in them is logged or stored.
 */

import type { Message, MessageType } from "../../../protocol/codec/descriptor.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { decodeFields } from "../../../protocol/json/field-decoder.js";
import { decodeHexText } from "../../../protocol/json/hex-text.js";
import { mapOrderedMessageWith, printMessage, shownAs } from "../../../protocol/json/message-writer.js";
import { transactionJson } from "../../../protocol/json/transaction-json.js";
import {
	BytesMessage,
	DecryptNotes,
	DecryptNotesMarked,
	DecryptNotesMarkedNoteTx,
	DecryptNotesNoteTx,
	DecryptNotesORC20,
	DecryptNotesORC20NoteTx,
	DiversifierMessage,
	ExpandedSpendingKeyMessage,
	IncomingViewingKeyDiversifierMessage,
	IncomingViewingKeyMessage,
	IncrementalMerkleVoucherInfo,
	IvkDecryptAndMarkParameters,
	IvkDecryptORC20Parameters,
	IvkDecryptParameters,
	NfORC20Parameters,
	NfParameters,
	NoteParameters,
	NullifierResult,
	OutputPointInfo,
	OvkDecryptORC20Parameters,
	OvkDecryptParameters,
	PaymentAddressMessage,
	PrivateParameters,
	PrivateParametersWithoutAsk,
	PrivateShieldedORC20Parameters,
	PrivateShieldedORC20ParametersWithoutAsk,
	ShieldedAddressInfo,
	ShieldedORC20Parameters,
	ShieldedORC20TriggerContractParameters,
	SpendAuthSigParameters,
	SpendResult,
	ViewingKeyMessage,
} from "../../../protocol/messages.js";
import type { SignedTransaction } from "../../../protocol/transaction.js";
import { answersOf, EVENTS_REFUSED } from "../answers.js";
import type { ApiContext } from "../context.js";
import {
	addressParameter,
	BadRequestError,
	defineEndpoint,
	type Endpoint,
	EVERYWHERE,
	hexParameter,
	longParameter,
	messageRequest,
	noRequest,
	printed,
	type ReplyWriter,
	type RequestForm,
	visibleOnly,
} from "../endpoint.js";
import type { shieldedMethods } from "../shielded/methods.js";
import { textOf } from "../text-forms.js";
import { packedTransaction } from "./broadcast.js";
import { builtTransaction } from "./builders.js";

type Methods = typeof shieldedMethods;
type MethodName = keyof Methods;
type RequestOf<M extends MethodName> = Parameters<Methods[M]> extends [unknown, infer Q] ? Q : unknown;
type ReplyOf<M extends MethodName> = Awaited<ReturnType<Methods[M]>>;

/** @throws {NamedError} where the node doesn't serve shielded transactions */
function checkServed({ node }: ApiContext): void {
	const { node: settings } = node.config;
	if (!settings.shielded.enabled) throw new NamedError("ZksnarkException", answersOf(settings).shieldedOff);
}

const load = () => import("../shielded/methods.js");

/** Delegates to the method with this name. */
function by<M extends MethodName>(name: M) {
	return async (context: ApiContext, request: RequestOf<M>): Promise<ReplyOf<M>> => {
		checkServed(context);
		const method = (await load()).shieldedMethods[name] as (
			context: ApiContext,
			request: unknown,
		) => ReplyOf<M> | Promise<ReplyOf<M>>;
		return method(context, request);
	};
}

/** An `events` filter is rejected whether the endpoint is served or not. */
function withoutEvents<T extends { readonly events: readonly string[] }>(
	form: RequestForm<T>,
): RequestForm<T> {
	return {
		...form,
		read: (input) => {
			const request = form.read(input);
			if (input.answers.refusesEvents(request.events)) {
				throw new BadRequestError("IllegalArgumentException", EVENTS_REFUSED);
			}
			return request;
		},
	};
}

/** The form with its value converted to another message. */
function mapped<T, U>(form: RequestForm<T>, to: (value: T) => U): RequestForm<U> {
	return { fields: form.fields, read: (input) => to(form.read(input)) };
}

/** The interface documentation's name for a member, besides the schema's. */
const SPENDS = /"shieldedSpends"(?=\s*:)/g;

/** A request whose spends may use either name. */
function withEitherName<T extends Message>(type: MessageType<T>): RequestForm<T> {
	const { fields, read } = messageRequest(type);
	return {
		fields,
		read: (input) =>
			input.text.includes('"shieldedSpends"')
				? decodeFields(type, input.text.replace(SPENDS, '"shielded_spends"'), input.visible, input.library)
				: read(input),
	};
}

/** A request whose note memos are text regardless of `visible`, which affects nothing else in it. */
function withTextMemo<T extends Message>(type: MessageType<T>): RequestForm<T> {
	const { fields, read } = messageRequest(type);
	return {
		fields,
		read: (input) => (input.visible ? read(input) : decodeFields(type, input.text, true, input.library)),
	};
}

/** Found notes: positions and flags are shown even when 0 or false. */
function notes<N extends Message, T extends Message & { readonly noteTxs: readonly N[] }>(
	type: MessageType<T>,
	noteType: MessageType<N>,
	...always: readonly (keyof N & string)[]
): ReplyWriter<T> {
	const write = ({ style }: ApiContext, { noteTxs }: T): string => {
		if (noteTxs.length === 0) return "{}";
		const texts = noteTxs.map((note) =>
			mapOrderedMessageWith(
				noteType,
				note,
				style,
				always.map((name) => [name, String(note[name])] as const),
			),
		);
		return `{"noteTxs":[${texts.join(",")}]}`;
	};
	return Object.assign(write, { answers: type.typeName });
}

const oneValue = messageRequest(BytesMessage, { value: hexParameter });
const oneValueShown = printed(BytesMessage);
/** Not even `visible` is read, so the body may be anything. */
const valueOfNoRequest: ReplyWriter<BytesMessage> = Object.assign(
	({ style }: ApiContext, reply: BytesMessage) => printMessage(BytesMessage, reply, shownAs(style, false)),
	{ answers: BytesMessage.typeName },
);
const range = { start_block_index: longParameter, end_block_index: longParameter };
const ofContract = { shielded_ORC20_contract_address: addressParameter };
const byBody = { servers: ["full"], get: "empty" } as const;

/** Hex values that are read individually. */
function hexValues(...names: readonly string[]): RequestForm<readonly Uint8Array[]> {
	return {
		fields: names.map((name) => ({ name, type: "bytes" })),
		read: (input) => names.map((name) => decodeHexText(textOf(input, name))),
	};
}

const keyEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getexpandedspendingkey",
		about: "The keys of a spending key.",
		servers: ["full"],
		request: oneValue,
		reply: printed(ExpandedSpendingKeyMessage),
		handle: by("GetExpandedSpendingKey"),
	}),
	defineEndpoint({
		name: "getakfromask",
		about: "The public key of ask.",
		servers: ["full"],
		request: oneValue,
		reply: oneValueShown,
		handle: by("GetAkFromAsk"),
	}),
	defineEndpoint({
		name: "getnkfromnsk",
		about: "The public key of nsk.",
		servers: ["full"],
		request: oneValue,
		reply: oneValueShown,
		handle: by("GetNkFromNsk"),
	}),
	defineEndpoint({
		name: "getincomingviewingkey",
		about: "The incoming viewing key of ak and nk.",
		servers: ["full"],
		request: mapped(hexValues("ak", "nk"), ([ak, nk]) =>
			ViewingKeyMessage.create({ ak: ak as Uint8Array, nk: nk as Uint8Array }),
		),
		reply: printed(IncomingViewingKeyMessage),
		handle: by("GetIncomingViewingKey"),
	}),
	defineEndpoint({
		name: "getspendingkey",
		about: "A random spending key.",
		servers: ["full"],
		request: visibleOnly,
		reply: oneValueShown,
		handle: by("GetSpendingKey"),
	}),
	defineEndpoint({
		name: "getrcm",
		about: "A random trapdoor of a note's commitment.",
		servers: ["full"],
		request: noRequest,
		reply: valueOfNoRequest,
		handle: by("GetRcm"),
	}),
	defineEndpoint({
		name: "getdiversifier",
		about: "A random diversifier.",
		servers: ["full"],
		request: visibleOnly,
		reply: printed(DiversifierMessage),
		handle: by("GetDiversifier"),
	}),
	defineEndpoint({
		name: "getnewshieldedaddress",
		about: "A new address with its keys.",
		servers: ["full"],
		request: visibleOnly,
		reply: printed(ShieldedAddressInfo),
		handle: by("GetNewShieldedAddress"),
	}),
	defineEndpoint({
		name: "getzenpaymentaddress",
		about: "The payment address of an incoming viewing key and a diversifier.",
		servers: ["full"],
		post: "raw",
		request: mapped(hexValues("ivk", "d"), ([ivk, d]) =>
			IncomingViewingKeyDiversifierMessage.create({
				ivk: IncomingViewingKeyMessage.create({ ivk: ivk as Uint8Array }),
				d: DiversifierMessage.create({ d: d as Uint8Array }),
			}),
		),
		reply: printed(PaymentAddressMessage),
		handle: by("GetZenPaymentAddress"),
	}),
	defineEndpoint({
		...byBody,
		name: "createspendauthsig",
		about: "Signs a transaction's hash for a spend.",
		request: messageRequest(SpendAuthSigParameters),
		reply: oneValueShown,
		handle: by("CreateSpendAuthSig"),
	}),
];

const tokenEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		...byBody,
		name: "createshieldedcontractparameters",
		about: "The parameters of a mint, transfer or burn of shielded tokens.",
		post: "raw",
		request: messageRequest(PrivateShieldedORC20Parameters),
		reply: printed(ShieldedORC20Parameters),
		handle: by("CreateShieldedContractParameters"),
	}),
	defineEndpoint({
		...byBody,
		name: "createshieldedcontractparameterswithoutask",
		about: "The same parameters, their spends yet to be signed.",
		request: messageRequest(PrivateShieldedORC20ParametersWithoutAsk),
		reply: printed(ShieldedORC20Parameters),
		handle: by("CreateShieldedContractParametersWithoutAsk"),
	}),
	defineEndpoint({
		...byBody,
		name: "gettriggerinputforshieldedorc20contract",
		about: "The call data of a mint, transfer or burn of shielded tokens.",
		request: messageRequest(ShieldedORC20TriggerContractParameters),
		reply: oneValueShown,
		handle: by("GetTriggerInputForShieldedORC20Contract"),
	}),
	defineEndpoint({
		name: "scanshieldedorc20notesbyivk",
		about: "Notes of shielded tokens that an incoming viewing key reads.",
		servers: EVERYWHERE,
		request: withoutEvents(
			messageRequest(IvkDecryptORC20Parameters, {
				...range,
				...ofContract,
				ivk: hexParameter,
				ak: hexParameter,
				nk: hexParameter,
			}),
		),
		reply: notes(DecryptNotesORC20, DecryptNotesORC20NoteTx, "index"),
		handle: by("ScanShieldedORC20NotesByIvk"),
	}),
	defineEndpoint({
		name: "scanshieldedorc20notesbyovk",
		about: "Notes of shielded tokens that an outgoing viewing key reads.",
		servers: EVERYWHERE,
		request: withoutEvents(
			messageRequest(OvkDecryptORC20Parameters, { ...range, ...ofContract, ovk: hexParameter }),
		),
		reply: notes(DecryptNotesORC20, DecryptNotesORC20NoteTx, "index"),
		handle: by("ScanShieldedORC20NotesByOvk"),
	}),
	defineEndpoint({
		...byBody,
		name: "isshieldedorc20contractnotespent",
		about: "Whether a note of shielded tokens is spent.",
		servers: EVERYWHERE,
		request: messageRequest(NfORC20Parameters),
		reply: printed(NullifierResult),
		handle: by("IsShieldedORC20ContractNoteSpent"),
	}),
];

/** A transaction with unsigned spends: its id isn't shown, since signing changes it. */
const unsignedTransaction: ReplyWriter<SignedTransaction> = ({ style }, transaction) =>
	transactionJson(transaction, style, { visible: true, id: false });

const poolEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		...byBody,
		name: "createshieldedtransaction",
		about: "Builds a shielded transaction.",
		request: withEitherName(PrivateParameters),
		reply: builtTransaction,
		handle: async (context, request): Promise<SignedTransaction> => {
			checkServed(context);
			return (await load()).createShieldedTransaction(context, request);
		},
	}),
	defineEndpoint({
		...byBody,
		name: "createshieldedtransactionwithoutspendauthsig",
		about: "Builds a shielded transaction whose spends are yet to be signed.",
		request: withEitherName(PrivateParametersWithoutAsk),
		reply: unsignedTransaction,
		handle: async (context, request): Promise<SignedTransaction> => {
			checkServed(context);
			return (await load()).createShieldedTransactionWithoutSpendAuthSig(context, request);
		},
	}),
	defineEndpoint({
		name: "scannotebyivk",
		about: "Notes that an incoming viewing key reads.",
		servers: EVERYWHERE,
		request: messageRequest(IvkDecryptParameters, { ...range, ivk: hexParameter }),
		reply: notes(DecryptNotes, DecryptNotesNoteTx, "index"),
		handle: by("ScanNoteByIvk"),
	}),
	defineEndpoint({
		name: "scanandmarknotebyivk",
		about: "Notes that an incoming viewing key reads, and whether they are spent.",
		servers: EVERYWHERE,
		request: messageRequest(IvkDecryptAndMarkParameters, {
			...range,
			ivk: hexParameter,
			ak: hexParameter,
			nk: hexParameter,
		}),
		reply: notes(DecryptNotesMarked, DecryptNotesMarkedNoteTx, "index", "is_spend"),
		handle: by("ScanAndMarkNoteByIvk"),
	}),
	defineEndpoint({
		name: "scannotebyovk",
		about: "Notes that an outgoing viewing key reads.",
		servers: EVERYWHERE,
		request: messageRequest(OvkDecryptParameters, { ...range, ovk: hexParameter }),
		reply: notes(DecryptNotes, DecryptNotesNoteTx, "index"),
		handle: by("ScanNoteByOvk"),
	}),
	defineEndpoint({
		...byBody,
		name: "getmerkletreevoucherinfo",
		about: "The places of notes in the tree of commitments.",
		servers: EVERYWHERE,
		request: messageRequest(OutputPointInfo),
		reply: printed(IncrementalMerkleVoucherInfo),
		handle: by("GetMerkleTreeVoucherInfo"),
	}),
	defineEndpoint({
		...byBody,
		name: "isspend",
		about: "Whether a note is spent.",
		servers: EVERYWHERE,
		request: messageRequest(NoteParameters),
		reply: printed(SpendResult),
		handle: by("IsSpend"),
	}),
	defineEndpoint({
		...byBody,
		name: "createshieldnullifier",
		about: "The value that marks a note as spent.",
		request: withTextMemo(NfParameters),
		reply: oneValueShown,
		handle: by("CreateShieldNullifier"),
	}),
	defineEndpoint({
		...byBody,
		name: "getshieldtransactionhash",
		about: "The hash of a shielded transaction that spends are signed for.",
		post: "raw",
		request: mapped(packedTransaction, ({ message }) => message),
		reply: oneValueShown,
		handle: by("GetShieldTransactionHash"),
	}),
];

export const shieldedEndpoints: readonly Endpoint[] = [...keyEndpoints, ...tokenEndpoints, ...poolEndpoints];
