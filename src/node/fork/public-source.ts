/**
 * State of a node of another program, at its head, by public queries: accounts, contracts, storage,
 * witnesses, tokens and blocks. Entries are as of their first read; anything else is missing.
 */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import type { SignedBlock } from "../../protocol/block.js";
import { be64, concatBytes, fromHex, fromKey, readBe64, toHex, toKey, utf8 } from "../../protocol/bytes.js";
import { type contractTypes, operationsMask, typesGrantedBy } from "../../protocol/contract-types.js";
import { toNeutral } from "../../protocol/dialect.js";
import {
	Account,
	AccountResourceMessage,
	AssetIssueContract,
	ChainParameters,
	ContractState,
	NumberMessage,
	Proposal,
	ProposalList,
	SmartContract,
	SmartContractABI,
	SmartContractDataWrapper,
	TransactionInfo,
	TransactionRet,
	Witness,
	WitnessList,
} from "../../protocol/messages.js";
import { SLOT_MS } from "../../protocol/timing.js";
import { MAX_ACTIVE_WITNESSES } from "../consensus/maintenance.js";
import { chainParameters } from "../consensus/parameters.js";
import { forkTable } from "../rules/fork-gates.js";
import { type StoreDefinition, stores } from "../state/definition.js";
import { type PropertyName, propertyKey } from "../state/property-table.js";
import { rowWatch } from "../vm/storage-keys.js";
import { wordToBytes } from "../vm/word.js";
import {
	type Asked,
	accountIn,
	ask,
	askRpc,
	blockOf,
	brokerage,
	burntOf,
	delegationIndex,
	delegationIndexKeys,
	exchangeKeys,
	exchangePair,
	isNothing,
	JSON_RPC,
	messageIn,
	newestExchange,
	type PublicReading,
	publicDelegation,
	rewardIn,
} from "./public-answers.js";
import { RequestError, type Requests } from "./requests.js";
import { originOf, resultOf } from "./source-client.js";
import { type EncodedValues, type EntryName, ForkReadError, type StateSource } from "./state-source.js";

type ReadEntry = (source: PublicSource, key: string) => PublicReading<Uint8Array | undefined>;

/** Responses with several entries are cached for later reads. */
const KEPT_ANSWERS = 256;
/** Slots whose rows may be requested. */
const KEPT_ORIGINS = 100_000;

interface PublicPlace {
	/** URL of the HTTP interface, without trailing slash. */
	readonly url: string;
	/** Full URL of the JSON-RPC; absent: next to the HTTP interface. */
	readonly jsonrpcUrl?: string | undefined;
	readonly number: bigint;
	readonly genesisTimestampMs: bigint;
}

/** Responses from which properties are derived, by endpoint. */
interface PropertyAnswers {
	readonly parameters: string;
	readonly nextMaintenance: string;
	/** From any account: it includes the chain's totals. */
	readonly resources: string;
	readonly burnt: string;
	/** Its number; 0: there is none. */
	readonly newestExchange: bigint;
}

/** First number for the fork's own tokens: the network's token count isn't reported. */
const TOKENS_FROM = 2_000_000n;

/** Large enough to reveal a unit. */
const LARGE = 1_000_000_000n;

/**
 * A chain's dynamic properties, as far as public queries report them; others stay as on a new chain.
 * @param head block after which the fork begins
 * @throws {Error} if a response can't be parsed
 */
function propertiesOf(head: SignedBlock, answers: PropertyAnswers): ReadonlyMap<string, Uint8Array> {
	const found = new Map<string, Uint8Array>();
	const set = (name: PropertyName, value: bigint): void => {
		found.set(propertyKey(name), be64(value));
	};
	const { chainParameter } = messageIn(ChainParameters, answers.parameters);
	const values = new Map(chainParameter.map(({ key, value }) => [toNeutral(key), value]));
	const granted = new Set<number>();
	for (const { getter, property, id, report } of chainParameters) {
		const value = values.get(getter);
		if (value === undefined) continue;
		// One is reported in another unit than it is stored in.
		set(property, value * (LARGE / report(LARGE, { proposalExpireMs: 0n })));
		if (value !== 0n && id !== undefined) for (const type of typesGrantedBy(Number(id))) granted.add(type);
	}
	for (const [name, always] of [
		["AVAILABLE_CONTRACT_TYPE", ["genesis", "permissions"]],
		["ACTIVE_DEFAULT_OPERATIONS", ["genesis"]],
	] as const) {
		const isOn = ({ id, granted: by }: (typeof contractTypes)[number]): boolean =>
			granted.has(id) || always.some((one) => one === by);
		found.set(propertyKey(name), operationsMask(isOn));
	}
	const resources = messageIn(AccountResourceMessage, answers.resources);
	set("TOTAL_NET_WEIGHT", resources.TotalNetWeight);
	set("TOTAL_ENERGY_WEIGHT", resources.TotalEnergyWeight);
	set("TOTAL_COIN_POWER_WEIGHT", resources.TotalCoinPowerWeight);
	set("NEXT_MAINTENANCE_TIME", messageIn(NumberMessage, answers.nextMaintenance).num);
	set("latest_block_header_number", head.number);
	set("latest_block_header_timestamp", head.timestampMs);
	set("LATEST_SOLIDIFIED_BLOCK_NUM", head.number);
	set("TOKEN_ID_NUM", TOKENS_FROM);
	set("LATEST_EXCHANGE_NUM", answers.newestExchange);
	set("BURN_COIN_AMOUNT", burntOf(answers.burnt));
	set("SET_BLACKHOLE_ACCOUNT_PERMISSION", 1n);
	found.set(propertyKey("latest_block_header_hash"), head.id);
	// Current witnesses produce blocks of versions that have passed.
	for (const { version } of forkTable) {
		if (version <= head.raw.version) found.set(`FORK_VERSION_${version}`, Uint8Array.of(1));
	}
	return found;
}

/** Key of the active witness list. */
const ACTIVE_WITNESSES = Buffer.from(utf8("active_witnesses")).toString("latin1");

export class PublicSource implements StateSource {
	readonly name: string;
	/** Each entry is a separate query. */
	readonly mostEntries = 1;
	private readonly answers = new Map<string, string>();
	private readonly origins = new Map<string, { readonly address: Uint8Array; readonly slot: Uint8Array }>();
	private properties: ReadonlyMap<string, Uint8Array> | undefined;

	constructor(
		private readonly requests: Requests,
		readonly place: PublicPlace,
	) {
		this.name = originOf(place.url);
		rowWatch.notice = (key, { address, slot }) => {
			if (this.origins.size >= KEPT_ORIGINS) this.origins.clear();
			this.origins.set(key, { address, slot: wordToBytes(slot) });
		};
	}

	/** No more rows are requested. */
	close(): void {
		delete rowWatch.notice;
	}

	has({ index }: StoreDefinition<unknown>): boolean {
		return READERS.has(index);
	}

	entries(wanted: readonly EntryName[]): EncodedValues {
		return wanted.map((name) => this.run(this.reading(name)));
	}

	async entriesLater(wanted: readonly EntryName[]): Promise<EncodedValues> {
		const values: (Uint8Array | undefined)[] = [];
		for (const name of wanted) values.push(await this.runLater(this.reading(name)));
		return values;
	}

	private reading({ store, key }: EntryName): PublicReading<Uint8Array | undefined> {
		const read = READERS.get(store.index);
		if (!read) throw new ForkReadError(`the fork's source ${this.name} doesn't tell ${store.name}`);
		return read(this, key);
	}

	async keys(store: StoreDefinition<unknown>): Promise<readonly string[]> {
		const list = LISTS.get(store.index);
		return list ? this.runLater(list()) : [];
	}

	async keysWith({ index }: StoreDefinition<unknown>, prefix: string): Promise<readonly string[]> {
		if (index !== stores.delegatedResourceAccountIndex.index) return [];
		return this.runLater(delegationIndexKeys(prefix));
	}

	/** The URL of a query. */
	private urlOf(path: string): string {
		const { url, jsonrpcUrl } = this.place;
		return path === JSON_RPC && jsonrpcUrl !== undefined ? jsonrpcUrl : url + path;
	}

	private run<T>(reading: PublicReading<T>): T {
		return this.caught(() => {
			let step = reading.next();
			while (!step.done) step = reading.next(this.answerNow(step.value));
			return step.value;
		});
	}

	private answerNow(asked: Asked): string {
		const body = JSON.stringify(asked.body);
		const known = this.answers.get(asked.path + body);
		return known ?? this.kept(asked.path + body, this.requests.now(this.urlOf(asked.path), body));
	}

	private async runLater<T>(reading: PublicReading<T>): Promise<T> {
		let step = this.caught(() => reading.next());
		while (!step.done) {
			const { path, body } = step.value;
			const text = JSON.stringify(body);
			const given =
				this.answers.get(path + text) ??
				this.kept(
					path + text,
					await this.requests.later(this.urlOf(path), text).catch((error: unknown) => {
						throw this.named(error);
					}),
				);
			step = this.caught(() => reading.next(given));
		}
		return step.value;
	}

	private kept(question: string, answer: string): string {
		const [, refusal] = /^\s*\{\s*"Error"\s*:\s*"([^"]{0,200})/.exec(answer) ?? [];
		if (refusal !== undefined) throw new ForkReadError(`the fork's source ${this.name} refuses: ${refusal}`);
		if (this.answers.size >= KEPT_ANSWERS) this.answers.clear();
		this.answers.set(question, answer);
		return answer;
	}

	private caught<T>(work: () => T): T {
		try {
			return work();
		} catch (error) {
			throw this.named(error);
		}
	}

	private named(error: unknown): ForkReadError {
		if (error instanceof ForkReadError) return error;
		const what = error instanceof RequestError ? "can't be read" : "answers what can't be read";
		return new ForkReadError(`the fork's source ${this.name} ${what}: ${(error as Error).message}`);
	}

	originOfRow(key: string): { readonly address: Uint8Array; readonly slot: Uint8Array } | undefined {
		return this.origins.get(key);
	}

	/** Slot of the fork's first state. @param timestampMs of its head */
	slotOf(timestampMs: bigint): bigint {
		return (timestampMs - this.place.genesisTimestampMs) / SLOT_MS;
	}

	*head(): PublicReading<SignedBlock> {
		const block = blockOf(yield* ask("getblockbynum", { num: Number(this.place.number) }));
		if (!block) throw new Error(`there is no block ${this.place.number}`);
		return block;
	}

	*allProperties(): PublicReading<ReadonlyMap<string, Uint8Array>> {
		if (this.properties) return this.properties;
		const head = yield* this.head();
		const [witness] = yield* witnesses();
		this.properties = propertiesOf(head, {
			parameters: yield* ask("getchainparameters", {}),
			nextMaintenance: yield* ask("getnextmaintenancetime", {}),
			resources: yield* ask("getaccountresource", { address: toHex(witness?.address ?? new Uint8Array(21)) }),
			burnt: yield* ask("getburntrx", {}),
			newestExchange: yield* newestExchange(),
		});
		return this.properties;
	}
}

function* witnesses(): PublicReading<readonly Readonly<Witness>[]> {
	const text = yield* ask("listwitnesses", {});
	return isNothing(text) ? [] : messageIn(WitnessList, text).witnesses;
}

function* proposals(): PublicReading<readonly Readonly<Proposal>[]> {
	const text = yield* ask("listproposals", {});
	return isNothing(text) ? [] : messageIn(ProposalList, text).proposals;
}

const address = (key: string): string => toHex(fromKey(key));

const ofContract = (part: (contract: SmartContractDataWrapper) => Uint8Array | undefined): ReadEntry =>
	function* (_source, key) {
		const text = yield* ask("getcontractinfo", { value: address(key) });
		return isNothing(text) ? undefined : part(messageIn(SmartContractDataWrapper, text));
	};

function* blockIdOf(number: bigint): PublicReading<Uint8Array | undefined> {
	return blockOf(yield* ask("getblockbynum", { num: Number(number) }))?.id;
}

/** Readers by store index. */
const READERS = new Map<number, ReadEntry>([
	[
		stores.account.index,
		function* (source, key) {
			if (key.length !== ADDRESS_LENGTH) return undefined;
			const head = yield* source.head();
			const text = yield* ask("getaccount", { address: address(key) });
			const account = accountIn(text, source.slotOf(head.timestampMs));
			if (account && account.votes.length > 0) {
				account.allowance = rewardIn(yield* ask("getReward", { address: address(key) }));
			}
			return account && Account.encode(account);
		},
	],
	[
		stores.contract.index,
		ofContract(({ smart_contract: stored }) => {
			if (!stored) return undefined;
			const contract = SmartContract.copy(stored);
			contract.abi = undefined;
			return SmartContract.encode(contract);
		}),
	],
	[
		stores.abi.index,
		ofContract(({ smart_contract: contract }) =>
			SmartContractABI.encode(contract?.abi ?? new SmartContractABI()),
		),
	],
	[stores.code.index, ofContract(({ runtimecode }) => (runtimecode.length > 0 ? runtimecode : undefined))],
	[
		stores.contractState.index,
		ofContract(({ contract_state: state }) => state && ContractState.encode(state)),
	],
	[
		stores.storageRow.index,
		function* (source, key) {
			// Keys from #99 have an older counterpart with the same answer.
			const origin = key.length === 32 ? source.originOfRow(key) : undefined;
			if (!origin) return undefined;
			const params = [`0x${toHex(origin.address.subarray(1))}`, `0x${toHex(origin.slot)}`, "latest"];
			const value = resultOf(source.name, yield* askRpc("eth_getStorageAt", params));
			if (typeof value !== "string" || !/^0x[0-9a-f]{0,64}$/i.test(value))
				throw new Error("a slot is no word");
			const word = fromHex(value.slice(2).padStart(64, "0"));
			return word.some((byte) => byte !== 0) ? word : undefined;
		},
	],
	[
		stores.properties.index,
		function* (source, key) {
			return (yield* source.allProperties()).get(key);
		},
	],
	[
		stores.witness.index,
		function* (_source, key) {
			const found = (yield* witnesses()).find((witness) => toKey(witness.address) === key);
			return found && Witness.encode(found);
		},
	],
	[
		stores.witnessSchedule.index,
		function* (_source, key) {
			if (key !== ACTIVE_WITNESSES) return undefined;
			const active = (yield* witnesses()).filter(({ isJobs }) => isJobs).slice(0, MAX_ACTIVE_WITNESSES);
			return concatBytes(...active.map((witness) => witness.address));
		},
	],
	[
		stores.proposal.index,
		function* (_source, key) {
			const found = (yield* proposals()).find(({ proposal_id: id }) => toKey(be64(id)) === key);
			return found && Proposal.encode(found);
		},
	],
	[
		stores.assetIssueV2.index,
		function* (_source, key) {
			if (!/^\d{1,19}$/.test(key)) return undefined;
			const text = yield* ask("getassetissuebyid", { value: key });
			return isNothing(text) ? undefined : AssetIssueContract.encode(messageIn(AssetIssueContract, text));
		},
	],
	[stores.delegatedResource.index, (_source, key) => publicDelegation(key)],
	[stores.delegatedResourceAccountIndex.index, (_source, key) => delegationIndex(key)],
	[stores.delegation.index, (_source, key) => brokerage(key)],
	[stores.exchangeV2.index, (_source, key) => exchangePair(key)],
	[
		stores.block.index,
		function* (_source, key) {
			return blockOf(yield* ask("getblockbyid", { value: toHex(fromKey(key)) }))?.bytes;
		},
	],
	[
		stores.blockIndex.index,
		function* (_source, key) {
			return yield* blockIdOf(readBe64(fromKey(key)));
		},
	],
	[
		stores.recentBlock.index,
		function* (source, key) {
			const { number } = source.place;
			const place = BigInt(key.charCodeAt(0) * 256 + key.charCodeAt(1));
			const block = number - ((number - place) & 0xffffn);
			if (key.length !== 2 || block < 0n) return undefined;
			return (yield* blockIdOf(block))?.subarray(8, 16);
		},
	],
	[
		stores.transaction.index,
		function* (source, key) {
			const text = yield* ask("gettransactioninfobyid", { value: toHex(fromKey(key)) });
			if (isNothing(text)) return undefined;
			const { blockNumber } = messageIn(TransactionInfo, text);
			return blockNumber <= source.place.number ? be64(blockNumber) : undefined;
		},
	],
	[
		stores.transactionResult.index,
		function* (_source, key) {
			const number = readBe64(fromKey(key));
			const text = yield* ask("gettransactioninfobyblocknum", { num: Number(number) });
			const infos: unknown = isNothing(text) ? [] : JSON.parse(text);
			if (!Array.isArray(infos) || infos.length === 0) return undefined;
			const transactioninfo = infos.map((info) => messageIn(TransactionInfo, JSON.stringify(info)));
			const blockTimeStamp = transactioninfo[0]?.blockTimeStamp ?? 0n;
			return TransactionRet.encode(
				TransactionRet.create({ blockNumber: number, blockTimeStamp, transactioninfo }),
			);
		},
	],
]);

/** Ordered stores whose keys can be listed. */
const LISTS = new Map<number, () => PublicReading<readonly string[]>>([
	[stores.exchangeV2.index, exchangeKeys],
	[
		stores.witness.index,
		function* () {
			return (yield* witnesses()).map((witness) => toKey(witness.address));
		},
	],
	[
		stores.proposal.index,
		function* () {
			return (yield* proposals()).map(({ proposal_id: id }) => toKey(be64(id)));
		},
	],
]);
