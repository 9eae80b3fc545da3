/**
 * Senders of calls. The page has no keys: the node signs for accounts of a development chain, and the
 * browser's wallet extension signs what the node has built.
 */

import { addressText, bytesOf, hexAddress } from "./address-text.js";
import { isJson, type Json, objectOf, textOf, textsOf } from "./answer.js";
import { textOfHex } from "./format.js";
import { isMissing, type NodeClient, NodeError } from "./node-client.js";

/** A call that changes the chain. */
interface CallToSend {
	/** Base58Check. */
	readonly contract: string;
	/** Selector and arguments, hexadecimal. */
	readonly data: string;
	readonly sun: bigint;
	readonly feeLimitSun: bigint;
}

export interface Sender {
	readonly name: string;
	/** Base58Check; asks the extension for permission if necessary. */
	address(): Promise<string>;
	/** @returns the transaction's id @throws {NodeError} */
	send(call: CallToSend): Promise<string>;
}

const hexNumber = (value: bigint): string => `0x${value.toString(16)}`;

/** The accounts of a development chain; none elsewhere. */
export async function developmentSenders(client: NodeClient): Promise<readonly Sender[]> {
	const [accounts, info] = await Promise.all([
		client.rpc("dev_accounts").catch(() => []),
		client.rpc("dev_info").catch(() => ({})),
	]);
	const sender = (name: string, address: string): Sender => ({
		name: `${name}: ${address}`,
		address: () => Promise.resolve(address),
		send: (call) => sendUnsigned(client, address, call),
	});
	const own = (Array.isArray(accounts) ? accounts : [])
		.filter(isJson)
		.map((account, index) => sender(`development account ${index}`, textOf(account, "address")));
	const unlocked = isJson(info) ? textsOf(info, "unlocked") : [];
	return [...own, ...unlocked.map((address) => sender("impersonated", address))];
}

/** Sends without a signature on a development chain, from one of its accounts or an impersonated one. */
async function sendUnsigned(client: NodeClient, from: string, call: CallToSend): Promise<string> {
	const short = (address: string): string => `0x${(hexAddress(address) ?? "").slice(2)}`;
	const energyFee = await energyFeeOf(client);
	const id = await client.rpc("eth_sendTransaction", [
		{
			from: short(from),
			to: short(call.contract),
			data: `0x${call.data}`,
			value: hexNumber(call.sun),
			gas: hexNumber(call.feeLimitSun / energyFee),
		},
	]);
	return String(id).replace(/^0x/, "");
}

/** The price of one energy, in sun. */
async function energyFeeOf(client: NodeClient): Promise<bigint> {
	const answer = await client.call("getchainparameters");
	const list = Array.isArray(answer["chainParameter"]) ? answer["chainParameter"].filter(isJson) : [];
	const fee = textOf(list.find((each) => textOf(each, "key") === "getEnergyFee") ?? {}, "value");
	return BigInt(fee === "" || fee === "0" ? "1" : fee);
}

/** The library object that wallet extensions inject: the account's address, and a signer. */
interface InjectedLibrary {
	readonly defaultAddress?: { readonly base58?: unknown };
	readonly trx?: { sign(transaction: Json): Promise<unknown> };
}

interface Extension {
	request(question: { readonly method: string }): Promise<unknown>;
	readonly tronWeb?: InjectedLibrary | false;
}

/** The newer interface uses Ethereum's method name, the older its own. */
const INJECTED: readonly (readonly [member: string, method: string])[] = [
	["tron", "eth_requestAccounts"],
	["tronLink", "tron_requestAccounts"],
];

/** The wallet extension of this page, if there is one. @param page the browser's window */
export function extensionSender(client: NodeClient, page: object): Sender | undefined {
	const members = page as Readonly<Record<string, unknown>>;
	for (const [member, method] of INJECTED) {
		const extension = members[member] as Extension | undefined;
		if (typeof extension?.request !== "function") continue;
		const library = (): InjectedLibrary | undefined =>
			extension.tronWeb || (members["tronWeb"] as InjectedLibrary | undefined);
		const address = async (): Promise<string> => {
			await extension.request({ method }).catch(refusedBy);
			const found = addressText(String(library()?.defaultAddress?.base58 ?? ""));
			if (found === undefined) throw new NodeError("the wallet extension has no account for this page", 200);
			return found;
		};
		return {
			name: "wallet extension of this browser",
			address,
			send: async (call) => {
				const from = await address();
				return sendSigned(client, from, call, async (transaction) => {
					const signed = await library()?.trx?.sign(transaction).catch(refusedBy);
					if (!isJson(signed)) throw new NodeError("the wallet extension gave back no transaction", 200);
					return signed;
				});
			},
		};
	}
	return undefined;
}

function refusedBy(error: unknown): never {
	const reason =
		error instanceof Error ? error.message : isJson(error) ? textOf(error, "message") : String(error);
	throw new NodeError(`the wallet extension refused: ${reason}`, 200);
}

/** Builds with the node, signs with the extension, and broadcasts if the transaction is unchanged. */
async function sendSigned(
	client: NodeClient,
	from: string,
	{ contract, data, sun, feeLimitSun }: CallToSend,
	sign: (transaction: Json) => Promise<Json>,
): Promise<string> {
	const built = await client
		.change("triggersmartcontract", {
			owner_address: hexAddress(from),
			contract_address: hexAddress(contract),
			data,
			call_value: Number(sun),
			fee_limit: Number(feeLimitSun),
		})
		.catch(explained);
	const transaction = objectOf(built, "transaction");
	const id = textOf(transaction, "txID");
	if (id === "") throw new NodeError(messageOf(objectOf(built, "result")), 200);
	const signed = await sign(transaction);
	if (textOf(signed, "txID") !== id) throw new NodeError("the wallet extension signed something else", 200);
	const answer = await client.change("broadcasttransaction", signed).catch(explained);
	if (answer["result"] !== true) throw new NodeError(messageOf(answer), 200);
	return id;
}

function explained(error: unknown): never {
	if (isMissing(error))
		throw new NodeError(
			"this server passes on nothing that changes a chain: open the page at the node itself",
			404,
		);
	throw error;
}

/** Decodes the node's message, which is hexadecimal. */
function messageOf(result: Json): string {
	const message = textOf(result, "message");
	const text = bytesOf(message) ? textOfHex(message) : message;
	return text || textOf(result, "code") || "the node refused without a reason";
}
