/** The console's global names: queries and actions, and an object for each key, contact and contract of the user. */

import type { ContractInterface } from "../../abi/parameter.js";
import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { readInterface } from "../../wallet/abi/interface.js";
import type { Actor, TransactionPlan } from "../../wallet/actions/plan.js";
import { readContacts } from "../../wallet/configuration/contacts.js";
import { readLabels } from "../../wallet/configuration/labels.js";
import { Failure } from "../../wallet/failure.js";
import { existingAccount, fetchAccount } from "../../wallet/node/chain-query.js";
import { callJsonRpc } from "../../wallet/node/json-rpc.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { knownStatus } from "../../wallet/node/wait.js";
import { paymentInParts } from "../../wallet/token/named-amount.js";
import { accountNamed, accountOrActive } from "../../wallet/transaction/signing.js";
import { transactionFrom, viewTransaction } from "../../wallet/transaction/transaction-view.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { memoBytes } from "../../wallet/values/bytes-text.js";
import { viewBlock } from "../../wallet/view/block-view.js";
import { interfaceThroughProxy } from "../../wallet/view/contract-record.js";
import { viewOf } from "../../wallet/view/message-view.js";
import { fetchBlockNamed, parseTransactionId } from "../base/node-questions.js";
import { paymentPlan } from "../sending/own-recipients.js";
import {
	addressOfNamed,
	amountText,
	Coins,
	type ConsoleChain,
	contractObject,
	isAddressed,
	optionsOf,
	senderOf,
} from "./contract-object.js";
import { consoleObject } from "./operations.js";

/** The most contacts whose interface is looked up when the console starts. */
const MAX_CONTRACTS = 64;
/** Number of concurrent lookups. */
const ASKED_AT_ONCE = 2;

/** The text that `help` prints. */
const HELP = [
	"balance [who]            an account's coins; who is a label, an address, an account of the console",
	"account [who]            the whole account",
	"block [n]                a block by number, id, head or solid",
	"tx(id), receipt(id)      a transaction, and what became of it",
	"send(to, amount, {token, memo, from, force})",
	"await contract(who, abi?) an object with a method for each function; abi is JSON or a contract that has the same",
	"use(who)                 who acts from now on",
	"rpc(method, ...params)   JSON-RPC;  ask(path, body)  the HTTP API",
	"accounts, contracts      everything by its label; labels that are names of JavaScript stand for themselves",
	"",
	"Reading functions answer, others are shown, signed and sent: vault.deposit({value: 5coin}). What stands alone is waited for,",
	"inside a statement write await: if (await vault.paused()) …, (await block()).number.",
	"vault.events(name?, {from, to}) are its events, without from and to those of the newest 5000 blocks.",
	"vault.deposit.try(…), .estimate(…) and .data(…) send nothing. Options of a call: value, from, feeLimit, force,",
	'tokenId, tokenValue. Contracts are deployed in another terminal, coin contract deploy …: await contract("T…") takes them up.',
	"Amounts: 5coin, 20sun, 5@gold, 5e18. What is asked for runs in order. .exit ends.",
];

/** Marks functions that run when their name is typed alone. */
export const RUNS_ALONE = Symbol("runs alone");

type Question = (...values: never[]) => unknown;

function alone<F extends Question>(run: F): F {
	return Object.assign(run, { [RUNS_ALONE]: true });
}

interface ConsoleNames {
	readonly globals: Readonly<Record<string, unknown>>;
	/** Number of contracts that have an object. */
	readonly contracts: number;
	readonly accounts: number;
}

/** @param use sets the acting account from now on; if undefined, the configured one */
export async function consoleNames(chain: ConsoleChain, use: (name: string) => void): Promise<ConsoleNames> {
	const { settings, client, operations } = chain;
	const question = <A extends unknown[], T>(name: string, work: (...values: A) => Promise<T>) =>
		operations.inOrder(name, "question", work);
	const active = (who: unknown): Promise<Uint8Array> =>
		who === undefined ? accountOrActive(settings, chain.from()) : addressOfNamed(settings, who);
	const balanceOf = async (who?: unknown): Promise<Coins> =>
		new Coins((await fetchAccount(client, await active(who)))?.balance ?? 0n);

	const pay = payer(chain);
	const send = operations.inOrder("send", "action", pay);

	const commands: Record<string, unknown> = {
		balance: alone(question("balance", balanceOf)),
		account: alone(
			question("account", async (who?: unknown) => viewOf(await existingAccount(client, await active(who)))),
		),
		block: alone(
			question("block", async (which: unknown = "head") =>
				viewBlock(await fetchBlockNamed(client, String(which), "full"), false),
			),
		),
		tx: question("tx", async (id: string) => {
			const answer = await client.call("gettransactionbyid", { value: toHex(parseTransactionId(id)) });
			if (Object.keys(answer).length === 0) throw new Failure("not_found", `there is no transaction ${id}`);
			return viewTransaction(transactionFrom(answer, parseTransactionId(id)));
		}),
		receipt: question("receipt", async (id: string) => {
			const { state, receipt } = await knownStatus(client, parseTransactionId(id));
			return { state, ...(receipt ? viewOf(receipt) : {}) };
		}),
		send,
		contract: question("contract", async (who: unknown, abi?: unknown) => {
			const contract = await addressOfNamed(settings, who);
			const isNamed =
				typeof abi === "string" ? !/^\s*[[{]/.test(abi) : isAddressed(abi) && !holdsInterface(abi);
			const of = isNamed ? await addressOfNamed(settings, abi) : undefined;
			const items =
				abi === undefined || of
					? await interfaceThroughProxy(client, of ?? contract)
					: readInterface(typeof abi === "string" ? abi : JSON.stringify(abi));
			return contractObject(chain, typeof who === "string" ? who : "", contract, items);
		}),
		use: operations.inOrder("use", "action", async (who: unknown) => {
			const address = toBase58Check(await addressOfNamed(settings, who));
			use(address);
			return address;
		}),
		rpc: operations.inOrder("rpc", "either", (method: string, ...params: unknown[]) =>
			callJsonRpc(client, method, params),
		),
		ask: operations.inOrder("ask", "either", (path: string, body: object = {}) => client.call(path, body)),
		help: alone(() => HELP.join("\n")),
	};

	const { accounts, contracts } = await labelledObjects(chain, (label, address) => ({
		address,
		balance: question(`${label}.balance`, () => balanceOf(address)),
		send: operations.inOrder(
			`${label}.send`,
			"action",
			(to: unknown, amount: unknown, options: SendOptions = {}) =>
				pay(to, amount, { ...options, from: address }),
		),
	}));
	const named = Object.entries({ ...accounts, ...contracts }).filter(
		([label]) => /^[A-Za-z_$][\w$]*$/.test(label) && !(label in commands) && !(label in globalThis),
	);
	return {
		globals: { ...Object.fromEntries(named), ...commands, accounts, contracts },
		contracts: Object.keys(contracts).length,
		accounts: Object.keys(accounts).length,
	};
}

/** Whether an object, as of a file of a deployment, has an interface. A function `abi` is one of a contract of the console. */
const holdsInterface = (value: object): boolean =>
	Object.entries(value).some(
		([name, held]) => /^(abi|entrys)$/.test(name) && typeof held === "object" && held !== null,
	);

/** Pays as `coin send` does. */
function payer({ settings, perform }: ConsoleChain) {
	return async (to: unknown, amount: unknown, options: SendOptions = {}): Promise<unknown> => {
		const { token, memo, force = false } = optionsOf(options, SEND_OPTIONS);
		const plan = async (actor: Actor): Promise<TransactionPlan> => {
			const recipient = toBase58Check(await addressOfNamed(settings, to));
			const text = amountText("amount", amount);
			if (text.endsWith("sun") && typeof amount === "bigint" && token !== undefined) {
				const why = `"${formatCoin(amount)}" is an amount of coin, not of ${token}`;
				throw new Failure("bad_value", why, { hint: `such as "5@${token}", a text` });
			}
			const payment = paymentInParts({ to: recipient, amount: text, token });
			return paymentPlan(actor, payment, { memo: memoBytes(memo), force });
		};
		return perform(senderOf(options), plan, memo);
	};
}

/** Makes an object for each label. @param account makes the members of an account */
async function labelledObjects(
	chain: ConsoleChain,
	account: (label: string, address: string) => object,
): Promise<Readonly<Record<"accounts" | "contracts", Record<string, object>>>> {
	const accounts: Record<string, object> = {};
	const contracts: Record<string, object> = {};
	const [accountLines, contractLines] = [["accounts:"], ["contracts:"]];
	for (const { label, address, items } of await labelledContracts(chain)) {
		(items ? contractLines : accountLines).push(`  ${label} ${address}`);
		if (items)
			contracts[label] = contractObject(chain, label, await accountNamed(chain.settings, address), items);
		else {
			const shown = () => `account ${label} ${address}`;
			accounts[label] = consoleObject(label, account(label, address), shown, () => address);
		}
	}
	return {
		accounts: consoleObject("accounts", accounts, () => accountLines.join("\n")),
		contracts: consoleObject("contracts", contracts, () => contractLines.join("\n")),
	};
}

const SEND_OPTIONS = ["token", "memo", "from", "force"];

interface SendOptions {
	readonly token?: string;
	readonly memo?: string;
	readonly from?: unknown;
	readonly force?: boolean;
}

interface Labelled {
	readonly label: string;
	/** Base58. */
	readonly address: string;
	/** Undefined if it isn't a contract, or couldn't be looked up. */
	readonly items: ContractInterface | undefined;
}

async function labelledContracts({ settings, client }: ConsoleChain): Promise<readonly Labelled[]> {
	const { entries } = await listKeystore(settings.keystoreDirectory);
	const keys = new Set(entries.map(({ base58 }) => base58));
	const labels = [...(await readLabels(settings))];
	// An address with a key isn't a contract, so only contacts are looked up; few at a time, as nodes limit a client's connections.
	const known = (await readContacts(settings.contactsFile)).filter(({ contract }) => contract !== undefined);
	const likely = new Set(known.map(({ address }) => toBase58Check(address)));
	const contacts = labels
		.filter(([address]) => !keys.has(address))
		.sort(([a], [b]) => Number(likely.has(b)) - Number(likely.has(a)))
		.slice(0, MAX_CONTRACTS);
	const found = new Map<string, ContractInterface>();
	for (let at = 0; at < contacts.length; at += ASKED_AT_ONCE) {
		const some = contacts.slice(at, at + ASKED_AT_ONCE).map(async ([address]) => {
			const items = await interfaceOf(client, await accountNamed(settings, address));
			if (items) found.set(address, items);
		});
		await Promise.all(some);
	}
	return labels.map(([address, label]) => ({ label, address, items: found.get(address) }));
}

/** @returns undefined if it isn't a contract */
async function interfaceOf(client: NodeClient, address: Uint8Array): Promise<ContractInterface | undefined> {
	const record = await client.call("getcontract", { value: toHex(address) });
	return Object.keys(record).length === 0 ? undefined : interfaceThroughProxy(client, address);
}
