/** Plans a payment: of coins, of an ORC-10 token, or as a call of an ORC-20 contract (protocol/wallet-formats §7). */

import type { ContractInterface } from "../../abi/parameter.js";
import { ADDRESS_LENGTH, toBase58Check } from "../../protocol/address.js";
import { equalBytes, toHex, utf8 } from "../../protocol/bytes.js";
import {
	AccountType,
	TransferAssetContract,
	TransferContract,
	TriggerSmartContract,
} from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { readContacts } from "../configuration/contacts.js";
import { Failure } from "../failure.js";
import { fetchAccount, fetchGenesisId } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { permissionId, signaturesToExpect } from "../permission/permission.js";
import { Orc20, TRANSFER, tokenContract, transferData } from "../token/orc20.js";
import {
	type Currency,
	currencyNamed,
	currencyText,
	nodesDecimals,
	parseAmountOf,
	withDecimals,
} from "../token/token-amount.js";
import { type BuildRequest, buildAtNode, rebuild } from "../transaction/build.js";
import { type Contract, callNote, contractOf } from "../transaction/contract.js";
import type { Payment } from "../transaction/payment-list.js";
import { transactionCost } from "../transaction/transaction-cost.js";
import { checkAmountText, formatCoin, parseCoinAmount } from "../values/amount.js";
import { callFeeLimit, receiptView } from "../view/contract-outcome.js";
import { isFirstPayment } from "./first-payment.js";
import type { Actor, TransactionPlan } from "./plan.js";

/** A payment whose recipient has been resolved to an address. */
export interface ResolvedTransfer extends Payment {
	/** 21 bytes. */
	readonly recipient: Uint8Array;
	/** Whether the recipient's account has to be created. */
	readonly creates: boolean;
	/** Whether it is a contract; if absent, the node is asked. */
	readonly isContract?: boolean;
}

/** Asks a node about the recipient of a payment. @param recipient 21 bytes */
export async function recipientFacts(
	client: NodeClient,
	recipient: Uint8Array,
): Promise<Pick<ResolvedTransfer, "creates" | "isContract">> {
	const account = await fetchAccount(client, recipient);
	return { creates: account === undefined, isContract: account?.type === AccountType.Contract };
}

/** Checks that the recipient of a hand-written transaction isn't a contract. @throws {Failure} `bad_value` */
export async function checkNotContract(client: NodeClient, recipient: Uint8Array): Promise<void> {
	const isAsked = recipient.length === ADDRESS_LENGTH;
	if (isAsked && (await recipientFacts(client, recipient)).isContract) throw paysContract(recipient);
}

function paysContract(recipient: Uint8Array): Failure {
	const why =
		"the recipient is a contract, which a payment doesn't call and which rarely gives anything back";
	const calls = `coin contract send ${toBase58Check(recipient)} <function> --value <amount> calls it`;
	return new Failure("bad_value", why, { hint: `${calls}; --force sends it all the same` });
}

/** A warning rather than a refusal, since vaults and exchanges accept tokens: only the contract's code shows whether it pays them out. */
function keepsTokens(recipient: Uint8Array): string {
	return `goes to the contract ${toBase58Check(recipient)}: unless its code pays them out, the tokens stay there for good`;
}

export interface TransferOptions {
	/** Permission to act under, by id or name; if absent, the owner permission. */
	readonly permission?: string | undefined;
	readonly memo?: Uint8Array | undefined;
	/** Number of keys named as signers; others may have to sign too. */
	readonly signers?: number | undefined;
	/** Schemes of the post-quantum keys among them. */
	readonly postQuantum?: readonly PostQuantumScheme[] | undefined;
	/** The most that energy may cost, with its unit, or `auto`; if absent, as configured. */
	readonly feeLimit?: string | undefined;
	/** Send it even if it would fail. */
	readonly force?: boolean | undefined;
	/** Decimals of the token, as given by the user. */
	readonly decimals?: number | undefined;
	/** Don't simulate a call: whether the account can pay for it is checked later. */
	readonly isUntried?: boolean | undefined;
	/** Don't contact a node. */
	readonly offline?: boolean | undefined;
}

/** Plans a payment. @throws {Failure} `bad_value`, `amount_unit`, `not_found`, `insufficient_funds`, `contract_revert` */
export async function transferPlan(
	context: Actor,
	transfer: ResolvedTransfer,
	options: TransferOptions = {},
): Promise<TransactionPlan> {
	checkAmountText(transfer.amount);
	if (options.offline) return await planOf(context, transfer, options);
	const { isContract = (await recipientFacts(context.client, transfer.recipient)).isContract === true } =
		transfer;
	const planned = await planOf(context, { ...transfer, isContract }, options);
	const risk = isContract ? undefined : await contractElsewhere(context, transfer.recipient);
	const isDoubtful = isContract && transfer.token !== undefined && !options.force;
	const doubt = isDoubtful ? keepsTokens(transfer.recipient) : undefined;
	const plan = {
		...planned,
		...(risk === undefined ? {} : { risk }),
		...(doubt === undefined ? {} : { doubt }),
		...(isContract && options.force ? { details: [...(planned.details ?? []), PAYS_CONTRACT] } : {}),
	};
	return { ...plan, isFirstPayment: () => isFirstPayment(context, transfer.recipient) };
}

/** Summary line for a forced payment to a contract. */
const PAYS_CONTRACT = "  recipient   a contract: its code alone tells whether it gives anything back";

/** The risk of paying a contact saved as a contract that isn't one on this chain. */
async function contractElsewhere(
	{ settings, client }: Actor,
	recipient: Uint8Array,
): Promise<string | undefined> {
	const contacts = await readContacts(settings.contactsFile);
	const known = contacts.find(({ address, contract }) => contract && equalBytes(address, recipient));
	if (!known) return undefined;
	const isHere = known.contract === toHex(await fetchGenesisId(client));
	const where = isHere ? "was a contract here when it became a contact" : "is a contract of another chain";
	return `pays ${known.label}, which ${where} and is none now: nobody may have a key of it`;
}

async function planOf(
	context: Actor,
	transfer: ResolvedTransfer,
	options: TransferOptions,
): Promise<TransactionPlan> {
	const { owner, settings } = context;
	if (equalBytes(owner, transfer.recipient))
		throw new Failure("bad_value", "sender and recipient are the same account");
	const contract = transfer.token === undefined ? undefined : await tokenContract(settings, transfer.token);
	if (contract) {
		if (equalBytes(contract, transfer.recipient) && !options.force) {
			const why = "the recipient is the token's own contract, which rarely gives anything back";
			throw new Failure("bad_value", why, { hint: "--force sends it all the same" });
		}
		return orc20Transfer(context, options, transfer, contract);
	}
	if (transfer.isContract && !options.force) throw paysContract(transfer.recipient);
	if (transfer.token === undefined) return coinTransfer(context, options, transfer);
	const source = { client: context.client, offline: options.offline ?? false };
	const currency = withDecimals(await currencyNamed(source, transfer.token), options.decimals);
	return orc10Transfer(context, transfer, currency);
}

async function coinTransfer(
	context: Actor,
	options: TransferOptions,
	transfer: ResolvedTransfer,
): Promise<TransactionPlan> {
	const amount =
		transfer.amount === "max"
			? await everything(context, options, transfer)
			: parseCoinAmount(transfer.amount);
	if (amount === 0n) throw new Failure("bad_value", "the amount is zero");
	return {
		...coinContract(context.owner, transfer.recipient, amount),
		creates: transfer.creates,
		details: [`  amount      ${formatCoin(amount)}`],
	};
}

function coinContract(owner: Uint8Array, recipient: Uint8Array, amount: bigint): Contract {
	return contractOf(TransferContract, { owner_address: owner, to_address: recipient, amount });
}

/** The balance minus all fees of this transfer. @throws {Failure} `insufficient_funds` */
async function everything(
	{ client, owner, account }: Actor,
	options: TransferOptions,
	{ recipient, creates }: ResolvedTransfer,
): Promise<bigint> {
	if (options.offline)
		throw new Failure("conflicting_flags", "max needs the balance, which only a node knows");
	const { balance } = account;
	if (balance === 0n) throw new Failure("insufficient_funds", "the balance is zero");
	const request = (amount: bigint): BuildRequest => ({
		...coinContract(owner, recipient, amount),
		permissionId: options.permission === undefined ? 0 : permissionId(account, options.permission),
		memo: options.memo,
	});
	// One sun passes the node's own check whatever the fees are; the size is then calculated for the whole balance.
	const whole = rebuild(await buildAtNode(client, request(1n)), request(balance));
	const signatures = signaturesToExpect(account, options.permission, options.signers);
	const { postQuantum } = options;
	const cost = await transactionCost(client, whole, { signatures, postQuantum, creates });
	const amount = balance - cost.totalSun;
	if (amount <= 0n) {
		throw new Failure(
			"insufficient_funds",
			`the fees of ${formatCoin(cost.totalSun)} are more than the balance of ${formatCoin(balance)}`,
		);
	}
	return amount;
}

function orc10Transfer(
	{ owner, account }: Actor,
	transfer: ResolvedTransfer,
	currency: Currency,
): TransactionPlan {
	const { recipient, creates, amount: text } = transfer;
	const amount = text === "max" ? (account.assetV2.get(currency.id) ?? 0n) : parseAmountOf(currency, text);
	if (amount === 0n) throw new Failure("insufficient_funds", `the account has no token ${currency.id}`);
	return {
		...contractOf(TransferAssetContract, {
			owner_address: owner,
			to_address: recipient,
			asset_name: utf8(currency.id),
			amount,
		}),
		creates,
		nodesWord: nodesDecimals(currency, text),
		spends: {
			asset: currency.id,
			amount,
			balance: async () => account.assetV2.get(currency.id) ?? 0n,
			text: async (units) => currencyText(currency, units),
		},
		details: [`  amount      ${currencyText(currency, amount)}${unitsText(currency, amount)}`],
	};
}

/** Shows the smallest units that are signed, since only the node vouches for the token's decimals. */
function unitsText({ decimals = 0 }: Currency, amount: bigint): string {
	return decimals > 0 ? `, ${amount} units by the node's ${decimals} decimals` : "";
}

async function orc20Transfer(
	{ client, owner }: Actor,
	options: TransferOptions,
	{ recipient, amount: text }: ResolvedTransfer,
	contract: Uint8Array,
): Promise<TransactionPlan> {
	const { offline = false } = options;
	const token = new Orc20(client, contract);
	const amount = await orc20Amount(text, options, token, owner);
	if (amount === 0n) throw new Failure("bad_value", "the amount is zero");
	const data = transferData(recipient, amount);
	const texts = [toBase58Check(recipient), amount.toString()];
	const note = callNote({ contract, data, item: TRANSFER, items: [TRANSFER], texts });
	const call = offline ? undefined : { owner, contract, data };
	const items = (): Promise<ContractInterface> => token.interface(TRANSFER, offline);
	return {
		...contractOf(TriggerSmartContract, { owner_address: owner, contract_address: contract, data }),
		...(options.isUntried ? {} : await callFeeLimit(options, client, call, items)),
		interface: [TRANSFER],
		nodesWord: await token.nodesWord(text, offline, options.decimals),
		spends: {
			asset: toBase58Check(contract),
			amount,
			balance: () => token.balanceOf(owner),
			text: async (units) => token.amountText(units, offline),
		},
		...(note ? { note } : {}),
		details: [`  to          ${texts[0]}`, `  amount      ${await token.amountText(amount, offline)}`],
		result: { to: texts[0], amount },
		readReceipt: async (receipt) => receiptView(receipt, TRANSFER, await items()),
	};
}

async function orc20Amount(
	text: string,
	{ offline = false, decimals }: TransferOptions,
	token: Orc20,
	owner: Uint8Array,
): Promise<bigint> {
	if (text !== "max") return token.readAmount(text, offline, decimals);
	if (offline) throw new Failure("conflicting_flags", "max needs the balance, which only a node knows");
	return token.balanceOf(owner);
}
