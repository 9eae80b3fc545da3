/**
 * Shielded transactions and shielded tokens (protocol/http-endpoints §4). What needs no proof, scan or random
 * number is answered (shielded-keys.ts); the other requests are read and checked for form, and refused.
 */

import { NamedError } from "../../../protocol/json/exceptions.js";
import {
	IvkDecryptAndMarkParameters,
	IvkDecryptORC20Parameters,
	IvkDecryptParameters,
	NfORC20Parameters,
	NfParameters,
	NoteParameters,
	OutputPointInfo,
	OvkDecryptORC20Parameters,
	OvkDecryptParameters,
	PrivateParameters,
	PrivateParametersWithoutAsk,
	PrivateShieldedORC20Parameters,
	PrivateShieldedORC20ParametersWithoutAsk,
	ShieldedORC20TriggerContractParameters,
	SpendAuthSigParameters,
} from "../../../protocol/messages.js";
import type { ApiContext, ServerKind } from "../context.js";
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
	type RequestForm,
	visibleOnly,
	written,
} from "../endpoint.js";
import { EVENTS_REFUSED, shieldedApiOff } from "../shielded-api.js";
import { packedTransaction } from "./broadcast.js";
import { hexValues } from "./hex-values.js";
import { shieldedKeyEndpoints } from "./shielded-keys.js";

interface ShieldedRow {
	readonly name: string;
	readonly about: string;
	readonly get: "query" | "empty";
	readonly post?: "raw";
	readonly servers?: readonly ServerKind[];
	readonly request: RequestForm<unknown>;
}

/** From release 4.8.2 on a list of events is refused, whether the endpoint is served or not. */
function withoutEvents<T extends { readonly events: readonly string[] }>(
	form: RequestForm<T>,
): RequestForm<T> {
	return {
		...form,
		read: (input) => {
			const request = form.read(input);
			if (input.library === "inserted" && request.events.length > 0) {
				throw new BadRequestError("IllegalArgumentException", EVENTS_REFUSED);
			}
			return request;
		},
	};
}

const range = { start_block_index: longParameter, end_block_index: longParameter };
const ofContract = { shielded_ORC20_contract_address: addressParameter };

const rows: readonly ShieldedRow[] = [
	{ name: "getspendingkey", about: "A random spending key.", get: "query", request: visibleOnly },
	{ name: "getrcm", about: "A random trapdoor of a note's commitment.", get: "query", request: noRequest },
	{ name: "getdiversifier", about: "A random diversifier.", get: "query", request: visibleOnly },
	{
		name: "getnewshieldedaddress",
		about: "A new address with its keys.",
		get: "query",
		request: visibleOnly,
	},
	{
		name: "getzenpaymentaddress",
		about: "The payment address of an incoming viewing key and a diversifier.",
		get: "query",
		post: "raw",
		request: hexValues("ivk", "d"),
	},
	{
		name: "createspendauthsig",
		about: "Signs a transaction's hash for a spend.",
		get: "empty",
		request: messageRequest(SpendAuthSigParameters),
	},
	{
		name: "createshieldedcontractparameters",
		about: "The parameters of a mint, transfer or burn of shielded tokens.",
		get: "empty",
		post: "raw",
		request: messageRequest(PrivateShieldedORC20Parameters),
	},
	{
		name: "createshieldedcontractparameterswithoutask",
		about: "The same parameters, their spends yet to be signed.",
		get: "empty",
		request: messageRequest(PrivateShieldedORC20ParametersWithoutAsk),
	},
	{
		name: "gettriggerinputforshieldedorc20contract",
		about: "The call data of a mint, transfer or burn of shielded tokens.",
		get: "empty",
		request: messageRequest(ShieldedORC20TriggerContractParameters),
	},
	{
		name: "scanshieldedorc20notesbyivk",
		about: "Notes of shielded tokens that an incoming viewing key reads.",
		get: "query",
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
	},
	{
		name: "scanshieldedorc20notesbyovk",
		about: "Notes of shielded tokens that an outgoing viewing key reads.",
		get: "query",
		servers: EVERYWHERE,
		request: withoutEvents(
			messageRequest(OvkDecryptORC20Parameters, { ...range, ...ofContract, ovk: hexParameter }),
		),
	},
	{
		name: "isshieldedorc20contractnotespent",
		about: "Whether a note of shielded tokens is spent.",
		get: "empty",
		servers: EVERYWHERE,
		request: messageRequest(NfORC20Parameters),
	},
	{
		name: "createshieldedtransaction",
		about: "Builds a shielded transaction.",
		get: "empty",
		request: messageRequest(PrivateParameters),
	},
	{
		name: "createshieldedtransactionwithoutspendauthsig",
		about: "Builds a shielded transaction whose spends are yet to be signed.",
		get: "empty",
		request: messageRequest(PrivateParametersWithoutAsk),
	},
	{
		name: "scannotebyivk",
		about: "Notes that an incoming viewing key reads.",
		get: "query",
		servers: EVERYWHERE,
		request: messageRequest(IvkDecryptParameters, { ...range, ivk: hexParameter }),
	},
	{
		name: "scanandmarknotebyivk",
		about: "Notes that an incoming viewing key reads, and whether they are spent.",
		get: "query",
		servers: EVERYWHERE,
		request: messageRequest(IvkDecryptAndMarkParameters, {
			...range,
			ivk: hexParameter,
			ak: hexParameter,
			nk: hexParameter,
		}),
	},
	{
		name: "scannotebyovk",
		about: "Notes that an outgoing viewing key reads.",
		get: "query",
		servers: EVERYWHERE,
		request: messageRequest(OvkDecryptParameters, { ...range, ovk: hexParameter }),
	},
	{
		name: "getmerkletreevoucherinfo",
		about: "The places of notes in the tree of commitments.",
		get: "empty",
		servers: EVERYWHERE,
		request: messageRequest(OutputPointInfo),
	},
	{
		name: "isspend",
		about: "Whether a note is spent.",
		get: "empty",
		servers: EVERYWHERE,
		request: messageRequest(NoteParameters),
	},
	{
		name: "createshieldnullifier",
		about: "The value that marks a note as spent.",
		get: "empty",
		request: messageRequest(NfParameters),
	},
	{
		name: "getshieldtransactionhash",
		about: "The hash of a shielded transaction that spends are signed for.",
		get: "empty",
		post: "raw",
		request: packedTransaction,
	},
];

/** @throws {NamedError} */
function refuse({ node }: ApiContext): never {
	throw new NamedError(
		"ZksnarkException",
		node.config.node.shielded.enabled
			? "this node has no proving system for shielded transactions"
			: shieldedApiOff(node.config.node.release),
	);
}

export const shieldedEndpoints: readonly Endpoint[] = [
	...shieldedKeyEndpoints,
	...rows.map((row) =>
		defineEndpoint({ servers: ["full"], post: "body", ...row, reply: written, handle: refuse }),
	),
];
