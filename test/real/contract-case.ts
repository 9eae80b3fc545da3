/** Plays one contract case of test/golden/real/contracts: a state and steps on it, and what each must come to. */

import type { ChainRules } from "../../src/node/rules/chain-rules.js";
import { type ForkGates, forkTableOf } from "../../src/node/rules/fork-gates.js";
import { unverifiedProofs } from "../../src/node/shielded/proofs.js";
import { stores } from "../../src/node/state/definition.js";
import type { StateView } from "../../src/node/state/view.js";
import { ContractMachine } from "../../src/node/vm/contract-machine.js";
import { storageRowKey } from "../../src/node/vm/storage-keys.js";
import { narrow } from "../../src/node/vm/word.js";
import { be64, EMPTY, fromHex, toHex, toKey } from "../../src/protocol/bytes.js";
import {
	Account,
	AssetIssueContract,
	ContractState,
	CreateSmartContract,
	ResourceReceipt,
	TransactionResultContractResultEnum as Results,
	SmartContract,
	TriggerSmartContract,
} from "../../src/protocol/messages.js";
import type { SignedTransaction } from "../../src/protocol/transaction.js";
import { emptyState, putTestAccount, putTestContract } from "../node/vm/machine-fixture.js";

type Amount = string | number;

interface AccountFacts {
	readonly balance?: Amount;
	readonly tokens?: Readonly<Record<string, Amount>>;
	/** The whole message. */
	readonly account?: string;
}

interface ContractFacts extends AccountFacts {
	readonly code: string | null;
	readonly origin: string;
	readonly percent?: number;
	readonly originLimit?: Amount;
	readonly storage?: Readonly<Record<string, string>>;
}

interface Expected {
	readonly [name: string]: unknown;
	readonly energyBelow?: number;
	readonly runtime?: string;
	readonly rejected?: boolean;
}

interface After {
	readonly accounts?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
	readonly codes?: Readonly<Record<string, boolean>>;
	readonly properties?: Readonly<Record<string, Amount>>;
	readonly rows?: Readonly<Record<string, string | null>>;
}

interface Execution {
	readonly id: string;
	readonly owner: string;
	readonly feeLimit: Amount;
	readonly block: Amount;
	readonly timestamp: number;
	readonly witness?: string;
	readonly recorded?: string;
	readonly value?: Amount;
	readonly expect?: Expected;
	readonly after?: After;
}

interface Call extends Execution {
	readonly op: "call";
	readonly to: string;
	readonly data: string;
	readonly token?: { readonly id: string; readonly amount: Amount };
}

interface Deploy extends Execution {
	readonly op: "deploy";
	readonly code: string;
	readonly name?: string;
	readonly percent?: number;
	readonly originLimit?: Amount;
	readonly codeHash?: string;
	readonly transactionHash?: string;
}

type Step =
	| Call
	| Deploy
	| { readonly op: "code"; readonly address: string; readonly code: string }
	| { readonly op: "row"; readonly key: string; readonly value: string }
	| { readonly op: "factor"; readonly address: string; readonly factor: number };

export interface ContractCase {
	readonly name: string;
	readonly origin: string;
	readonly network: "main" | "nile";
	readonly versions: number;
	readonly parameters: Readonly<Record<string, Amount>>;
	readonly cpuLimit?: boolean;
	readonly accounts: Readonly<Record<string, AccountFacts>>;
	readonly contracts: Readonly<Record<string, ContractFacts>>;
	readonly rows?: Readonly<Record<string, string>>;
	readonly tokens?: readonly string[];
	readonly blocks?: Readonly<Record<string, string>>;
	readonly steps: readonly Step[];
}

/** One thing that a step came to, beside what it must come to. */
export interface Compared {
	readonly what: string;
	readonly actual: unknown;
	readonly expected: unknown;
}

const BLACK_HOLE = fromHex(`41${"ff".repeat(20)}`);
const NO_ADDRESS = `41${"00".repeat(20)}`;
const ENERGY_LIMIT_VERSION = 5;

/** Plays a case. @returns what its steps came to, in order */
export async function playCase(facts: ContractCase): Promise<Compared[]> {
	const state = await stateOf(facts);
	const compared: Compared[] = [];
	for (const [i, step] of facts.steps.entries()) {
		const found = take(facts, state, step);
		compared.push(...found.map((one) => ({ ...one, what: `step ${i + 1}: ${one.what}` })));
	}
	return compared;
}

function rulesOf({ network }: ContractCase): ChainRules {
	return {
		genesisTimestampMs: 0n,
		genesisId: fromHex("00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc"),
		blackHole: BLACK_HOLE,
		genesisWitnesses: [],
		proposalExpireMs: 259_200_000n,
		energyLimitHeight: 0n,
		checkFrozenTime: true,
		saveCancelDetails: false,
		release: "4.8.2",
		network,
		keepsNoteTree: true,
	};
}

function forksOf({ network, versions }: ContractCase): ForkGates {
	const versionOf = new Map(forkTableOf({ network }).map((row) => [row.release, row.version]));
	return {
		network,
		passed: (version: number) => version <= Math.max(versions, ENERGY_LIMIT_VERSION - 1),
		upgradedTo: (release: string) => (versionOf.get(release) ?? Number.POSITIVE_INFINITY) <= versions,
	} as unknown as ForkGates;
}

type Property = Parameters<StateView["properties"]["set"]>[0];

async function stateOf({ parameters, accounts, contracts, rows, tokens, blocks }: ContractCase) {
	const state = await emptyState();
	state.properties.set("MAX_FEE_LIMIT", 10n ** 16n);
	putTestAccount(state, BLACK_HOLE);
	for (const [name, value] of Object.entries(parameters))
		state.properties.set(name as Property, BigInt(value));
	for (const [address, account] of Object.entries(accounts)) putAccount(state, address, account);
	for (const [address, contract] of Object.entries(contracts)) putContract(state, address, contract);
	for (const [key, value] of Object.entries(rows ?? {})) state.storageRow.put(fromHex(key), fromHex(value));
	for (const id of tokens ?? []) {
		state.assetIssueV2.put(new TextEncoder().encode(id), AssetIssueContract.create({ id }));
	}
	for (const [number, id] of Object.entries(blocks ?? {})) {
		state.blockIndex.put(be64(BigInt(number)), fromHex(id));
	}
	return state;
}

function putAccount(state: StateView, hex: string, facts: AccountFacts): void {
	const address = fromHex(hex);
	const known = facts.account
		? Account.decode(fromHex(facts.account))
		: Account.copy(state.account.get(address) ?? Account.create({ address }));
	if (facts.balance !== undefined) known.balance = BigInt(facts.balance);
	if (facts.tokens) {
		known.assetV2 = new Map(Object.entries(facts.tokens).map(([id, amount]) => [id, BigInt(amount)]));
	}
	state.account.put(address, known);
}

function putContract(state: StateView, hex: string, facts: ContractFacts): void {
	const address = fromHex(hex);
	putTestContract(state, address, facts.code ?? "", {
		origin_address: fromHex(facts.origin),
		consume_user_resource_percent: BigInt(facts.percent ?? 100),
		origin_energy_limit: BigInt(facts.originLimit ?? 1),
	});
	if (facts.code === null) state.code.delete(address);
	putAccount(state, hex, facts);
	for (const [slot, value] of Object.entries(facts.storage ?? {})) {
		const key = storageRowKey(
			{ address, creationId: EMPTY, version: 0 },
			narrow(BigInt(`0x${slot.replace(/^0x/, "")}`)),
		);
		state.storageRow.put(key, fromHex(value.replace(/^0x/, "").padStart(64, "0")));
	}
}

function take(facts: ContractCase, state: StateView, step: Step): Compared[] {
	switch (step.op) {
		case "code":
			state.code.put(fromHex(step.address), fromHex(step.code));
			return [];
		case "row":
			state.backend.put(stores.storageRow, toKey(fromHex(step.key)), fromHex(step.value));
			return [];
		case "factor":
			state.contractState.put(
				fromHex(step.address),
				ContractState.create({
					energy_factor: BigInt(step.factor),
					update_cycle: state.properties.get("CURRENT_CYCLE_NUMBER"),
				}),
			);
			return [];
		default:
			return execute(facts, state, step);
	}
}

function execute(facts: ContractCase, state: StateView, step: Call | Deploy): Compared[] {
	const machine = new ContractMachine({
		programCacheSize: 16,
		saveInternal: true,
		saveFeaturedInternal: true,
		saveCancelDetails: false,
		limitTime: facts.cpuLimit === true,
		minTimeRatio: 0,
		maxTimeRatio: 5,
		dialect: "deployed",
		proofs: unverifiedProofs,
	});
	const contractRet = step.recorded === undefined ? undefined : resultNumber(step.recorded);
	const transaction = {
		id: fromHex(step.id),
		idHex: step.id,
		owner: fromHex(step.owner),
		type: { name: step.op === "call" ? "TriggerSmartContract" : "CreateSmartContract" },
		parameter: step.op === "call" ? callOf(step) : deployOf(step),
		raw: { fee_limit: BigInt(step.feeLimit) },
		message: { ret: contractRet === undefined ? [] : [{ contractRet }] },
	} as unknown as SignedTransaction;
	const receipt = new ResourceReceipt();
	const outcome = machine.run({ state, rules: rulesOf(facts), forks: forksOf(facts) }, transaction, receipt, {
		number: BigInt(step.block),
		timestampMs: BigInt(step.timestamp),
		witness: fromHex(step.witness ?? NO_ADDRESS),
		parentId: new Uint8Array(32),
		signed: contractRet !== undefined,
		own: false,
	});
	return [
		...compareOutcome(state, step.expect ?? {}, outcome, receipt),
		...compareAfter(state, step.after ?? {}),
	];
}

function resultNumber(name: string): number {
	for (const [number, known] of Results.names) if (known === name) return number;
	throw new Error(`no result is called ${name}`);
}

function callOf({ owner, to, data, value = 0, token }: Call): TriggerSmartContract {
	return TriggerSmartContract.create({
		owner_address: fromHex(owner),
		contract_address: fromHex(to),
		call_value: BigInt(value),
		data: fromHex(data),
		token_id: BigInt(token?.id ?? 0),
		call_token_value: BigInt(token?.amount ?? 0),
	});
}

function deployOf(step: Deploy): CreateSmartContract {
	return CreateSmartContract.create({
		owner_address: fromHex(step.owner),
		new_contract: SmartContract.create({
			origin_address: fromHex(step.owner),
			bytecode: fromHex(step.code),
			call_value: BigInt(step.value ?? 0),
			name: step.name ?? "",
			consume_user_resource_percent: BigInt(step.percent ?? 100),
			origin_energy_limit: BigInt(step.originLimit ?? 10_000_000),
			code_hash: fromHex(step.codeHash ?? ""),
			trx_hash: fromHex(step.transactionHash ?? ""),
		}),
	});
}

type Outcome = ReturnType<ContractMachine["run"]>;

function compareOutcome(
	state: StateView,
	{ energyBelow, runtime, rejected, ...expected }: Expected,
	outcome: Outcome,
	receipt: Readonly<ResourceReceipt>,
): Compared[] {
	const actual: Record<string, unknown> = {
		result: Results.names.get(outcome.code),
		energy: Number(receipt.energy_usage_total),
		penalty: Number(receipt.energy_penalty_total),
		error: outcome.runtimeError,
		data: toHex(outcome.returnData),
		contract: toHex(outcome.contractAddress),
		logs: outcome.logs.length,
		logList: outcome.logs.map(({ address, topics, data }) => ({
			address: toHex(address),
			topics: topics.map(toHex),
			data: toHex(data),
		})),
		internal: outcome.internalTransactions.length,
		internalList: outcome.internalTransactions.map(({ caller_address, transferTo_address }) => ({
			from: toHex(caller_address),
			to: toHex(transferTo_address),
		})),
	};
	const found = Object.entries(expected).map(([what, value]) => ({
		what,
		actual: what in actual ? actual[what] : `nothing is called ${what}`,
		expected: value,
	}));
	const add = (what: string, is: unknown, must: unknown) => found.push({ what, actual: is, expected: must });
	if (energyBelow !== undefined) add("energyBelow", Number(receipt.energy_usage_total) < energyBelow, true);
	if (runtime !== undefined) add("runtime", toHex(state.code.get(outcome.contractAddress) ?? EMPTY), runtime);
	if (rejected !== undefined) {
		add(
			"rejected",
			outcome.internalTransactions.every((one) => one.rejected),
			rejected,
		);
	}
	return found;
}

/** What of an account can be asked after a step. */
const accountParts: Readonly<Record<string, (account: Readonly<Account>) => unknown>> = {
	balance: ({ balance }) => String(balance),
	createTime: ({ create_time }) => String(create_time),
	energyUsage: ({ account_resource }) => String(account_resource?.energy_usage),
	energyWindow: ({ account_resource }) => String(account_resource?.energy_window_size),
	tokens: ({ assetV2 }) => Object.fromEntries([...assetV2].map(([id, amount]) => [id, String(amount)])),
};

/** Amounts as texts. */
function texts(value: unknown): unknown {
	if (typeof value !== "object" || value === null) return String(value);
	return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, texts(part)]));
}

function compareAfter(state: StateView, { accounts, codes, properties, rows }: After): Compared[] {
	const found: Compared[] = [];
	const add = (what: string, actual: unknown, expected: unknown) => found.push({ what, actual, expected });
	for (const [address, parts] of Object.entries(accounts ?? {})) {
		const account = state.account.get(fromHex(address));
		if (parts === null || !account) {
			add(address, account && toHex(Account.encode(account)), parts ?? undefined);
			continue;
		}
		for (const [part, value] of Object.entries(parts)) {
			const read = accountParts[part];
			add(`${part} of ${address}`, read ? read(account) : "unknown part", texts(value));
		}
	}
	for (const [address, has] of Object.entries(codes ?? {})) {
		add(`code of ${address}`, state.code.has(fromHex(address)), has);
	}
	for (const [name, value] of Object.entries(properties ?? {})) {
		add(name, state.properties.get(name as "TOTAL_ENERGY_WEIGHT"), BigInt(value));
	}
	for (const [key, value] of Object.entries(rows ?? {})) {
		const row = state.storageRow.get(fromHex(key));
		add(`row ${key}`, row ? toHex(row) : null, value);
	}
	return found;
}
