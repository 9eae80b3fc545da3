/**
 * The policies of a signer: a HOCON file that defines who may have which transactions signed. What no rule allows is refused,
 * and an unknown member is an error. A transaction counts toward the sums of the first rule that allows it.
 */

import { createHash } from "node:crypto";
import { once } from "node:events";
import {
	closeSync,
	constants,
	fstatSync,
	openSync,
	readSync,
	realpathSync,
	type Stats,
	statSync,
} from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { isElementaryType } from "../../abi/parameter.js";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import { ConfigError, parseHocon } from "../../hocon/hocon.js";
import { Section } from "../../hocon/section.js";
import { addressPrefix, parseAddress } from "../../protocol/address.js";
import { type ContractType, contractTypeByName, isBuildable } from "../../protocol/contract-types.js";
import { spell } from "../../protocol/dialect.js";
import { SUN_PER_COIN } from "../../protocol/int64.js";
import { MAX_SIGNATURES } from "../../protocol/permission.js";
import type { MessageRule } from "./messages.js";
import { COIN_ASSET, selectorOfSignature } from "./transaction-reading.js";

/** A client, and how it is authenticated. */
export interface SignerClient {
	readonly name: string;
	/** Path of the client's own socket; whoever can open it is this client. */
	readonly socket: string | undefined;
	/** SHA-256 of its certificate, in lower-case hexadecimal. */
	readonly certificate: string | undefined;
	/** Whether it is a node, for which blocks, greetings and votes are signed. */
	readonly isNode: boolean;
}

/** Part of a week, in minutes since Monday 00:00 UTC; the end is exclusive. */
interface WeekTime {
	readonly from: number;
	readonly to: number;
}

/** The allowed names; undefined allows any. */
type Allowed = ReadonlySet<string> | undefined;

/** Limits by asset, in smallest units; undefined means unlimited. An asset without an entry isn't allowed at all. */
export type Sums = ReadonlyMap<string, bigint | undefined>;

export interface PolicyRule {
	readonly name: string;
	/** In Base58, like all addresses here. */
	readonly keys: ReadonlySet<string>;
	readonly clients: ReadonlySet<string>;
	readonly types: ReadonlySet<string>;
	/** Accounts for which it may act; by default, those of the keys. */
	readonly accounts: ReadonlySet<string>;
	readonly permissions: ReadonlySet<number>;
	readonly contracts: Allowed;
	/** Selectors in hexadecimal. */
	readonly functions: Allowed;
	readonly recipients: Allowed;
	readonly memos: Allowed;
	/** The highest fee limit; undefined allows any. */
	readonly feeLimitSun: bigint | undefined;
	readonly perTransaction: Sums;
	readonly perDay: Sums;
	/** When the rule applies; if empty, always. */
	readonly hours: readonly WeekTime[];
	/** Clients of which one, other than the requesting client, must approve; if empty, no approval is needed. */
	readonly approvers: ReadonlySet<string>;
	/** Set for a rule that allows messages and no transactions. */
	readonly messages: MessageRule | undefined;
}

/**
 * What the network charges for a transaction besides the energy of a call, which the fee limit bounds: in sun, by the names of the
 * chain parameters, with the values of the main network.
 */
const MAIN_NETWORK_FEES = {
	/** Price per byte that isn't covered by bandwidth. */
	transactionFee: 1_000n,
	createAccountFee: 100_000n,
	createNewAccountFeeInSystemContract: 1_000_000n,
	memoFee: 1_000_000n,
	multiSignFee: 1_000_000n,
	updateAccountPermissionFee: 100_000_000n,
	assetIssueFee: 1_024_000_000n,
	accountUpgradeCost: 9_999_000_000n,
	exchangeCreateFee: 1_024_000_000n,
	marketSellFee: 0n,
	marketCancelFee: 0n,
} as const;

export interface Fees {
	readonly prices: Readonly<Record<keyof typeof MAIN_NETWORK_FEES, bigint>>;
	/** The most signatures of a transaction. */
	readonly signatures: number;
}

export interface Policies {
	/** SHA-256 of the file, in hexadecimal. */
	readonly sha256: string;
	readonly clients: readonly SignerClient[];
	readonly rules: readonly PolicyRule[];
	readonly fees: Fees;
}

const MAX_FILE_BYTES = 1 << 20;
/** Limited since each may have a socket. */
const MAX_CLIENTS = 256;
/** Limited since all are evaluated for a transaction, while other requests wait. */
const MAX_RULES = 1_024;
/** Types whose payments aren't fully determined by their bytes: for example, an exchange determines how much of the other token is added. */
const UNJUDGED: ReadonlySet<string> = new Set(["ShieldedTransferContract", "ExchangeInjectContract"]);
/** Allows any value, except the zero address and functions whose transfers aren't counted, which must be listed all the same. */
const ANY = "*";
const NO_LIMIT = "unlimited";
/** Key among the daily sums for the number of transactions. */
export const TRANSACTIONS = "transactions";
/** Key among the daily sums for the number of messages. */
export const MESSAGES = "messages";
/** Names of clients and rules, as described by {@link NAME_FORM}; those of clients have no dots. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;
const NAME_FORM = "1 to 32 characters, each a letter of A to Z or a to z, a digit";
const CLIENT_MEMBERS: ReadonlySet<string> = new Set(["socket", "certificate", "node"]);
const RULE_MEMBERS: ReadonlySet<string> = new Set([
	...["name", "keys", "clients", "types", "accounts", "permissions", "contracts", "functions", "recipients"],
	...["memos", "feeLimit", "transaction", "day", "hours", "approval", "messages"],
]);
const MESSAGE_RULE_MEMBERS: ReadonlySet<string> = new Set([
	...["name", "keys", "clients", "messages", "day", "hours"],
]);
const STICKY = 0o1000;
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
export const DAY_MINUTES = 1_440;

/**
 * Reads the policies file.
 * @param keys addresses of the signer's keys, by label
 * @throws {ConfigError} with the line and member of an invalid value
 */
export function readPolicies(path: string, keys: ReadonlyMap<string, string>): Policies {
	let text: string;
	try {
		text = textOf(path);
	} catch (error) {
		if (error instanceof ConfigError) throw error;
		const { code } = error as NodeJS.ErrnoException;
		throw new ConfigError(`the policies ${path} can't be read (${code ?? "unknown error"})`);
	}
	return parsePolicies(text, path, keys);
}

/** Messages of the thread that reads policies: all but the rules; each rule without its large sets; their elements; the end; or an error. */
export type PoliciesPart =
	| { readonly head: Omit<Policies, "rules"> }
	| { readonly rule: PolicyRule }
	| { readonly member: keyof PolicyRule; readonly texts: readonly unknown[] }
	| { readonly isWhole: true }
	| { readonly refused: string };

/** Texts per message, so that receiving one takes only a few tenths of a millisecond. */
const PART_TEXTS = 1_000;

export function* inParts({ rules, ...head }: Policies): Generator<PoliciesPart> {
	yield { head };
	for (const rule of rules) {
		const members = Object.entries(rule) as [keyof PolicyRule, unknown][];
		const large = members.filter(([, value]) => value instanceof Set && value.size > PART_TEXTS);
		yield { rule: { ...rule, ...Object.fromEntries(large.map(([member]) => [member, new Set()])) } };
		for (const [member, set] of large) {
			const texts = [...(set as ReadonlySet<unknown>)];
			for (let at = 0; at < texts.length; at += PART_TEXTS)
				yield { member, texts: texts.slice(at, at + PART_TEXTS) };
		}
	}
	yield { isWhole: true };
}

/** Reassembles policies from the messages; yields to other work in between. @throws {ConfigError} */
export async function fromParts(path: string, next: () => PoliciesPart | undefined): Promise<Policies> {
	let head: Omit<Policies, "rules"> | undefined;
	const rules: PolicyRule[] = [];
	let isWhole = false;
	for (let part = next(); part; part = next()) {
		if ("refused" in part) throw new ConfigError(part.refused);
		if ("head" in part) head = part.head;
		else if ("rule" in part) rules.push(part.rule);
		else if ("isWhole" in part) isWhole = true;
		else {
			const set = rules.at(-1)?.[part.member] as Set<unknown> | undefined;
			for (const text of part.texts) set?.add(text);
		}
		await setImmediate();
	}
	if (!head || !isWhole) throw new ConfigError(`the policies ${path} can't be read (their thread ended)`);
	return { ...head, rules };
}

/** {@link readPolicies} on a separate thread; on this thread when running from source. @throws {ConfigError} */
export async function readPoliciesAside(path: string, keys: ReadonlyMap<string, string>): Promise<Policies> {
	const script = bundledScript("keystore/signer/policies.worker.js");
	if (!script) return readPolicies(path, keys);
	const { port1, port2: port } = new MessageChannel();
	const workerData = { path, keys, prefix: addressPrefix(), port };
	await once(new Worker(script, { workerData, transferList: [port] }), "exit");
	return fromParts(path, () => receiveMessageOnPort(port1)?.message as PoliciesPart | undefined);
}

/** Reads a file that nobody else can change, and checks that it didn't change while being read. */
function textOf(path: string): string {
	for (const directory of new Set([dirname(path), dirname(realpathSync(path))])) {
		const facts = statSync(directory);
		// In a sticky directory such as /tmp, users can only delete their own files, so nobody else can replace this one.
		if ((facts.mode & STICKY) === 0) checkOnlyOwn(directory, facts);
	}
	// Checks the opened file, since the name may refer to another file by now. Non-blocking, as a pipe would block the signer.
	const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		const before = fstatSync(file);
		if (!before.isFile()) throw new ConfigError(`${path} is not a file`);
		checkOnlyOwn(path, before);
		if (before.size > MAX_FILE_BYTES) throw new ConfigError(`${path} has more than ${MAX_FILE_BYTES} bytes`);
		const bytes = Buffer.alloc(before.size);
		const length = readSync(file, bytes);
		const { size, mtimeMs } = fstatSync(file);
		if (length !== size || size !== before.size || mtimeMs !== before.mtimeMs)
			throw new ConfigError(`${path} is being written`);
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch (error) {
		if (error instanceof TypeError) throw new ConfigError(`${path} is not a text in UTF-8`);
		throw error;
	} finally {
		closeSync(file);
	}
}

/** @throws {ConfigError} for a file or directory that anyone other than root and this user can change */
function checkOnlyOwn(path: string, { mode, uid }: Stats): void {
	const self = process.getuid?.();
	if (self === undefined) return;
	if ((mode & 0o022) !== 0) throw new ConfigError(`${path} can be changed by others: chmod go-w ${path}`);
	if (uid !== 0 && uid !== self)
		throw new ConfigError(`${path} can be changed by its owner, who is neither root nor this user`);
}

/** Parses the text of a policies file. @throws {ConfigError} */
export function parsePolicies(text: string, path: string, keys: ReadonlyMap<string, string>): Policies {
	const root = Section.root(parseHocon(text, path, undefined, true), path);
	refuseUnknown(root, new Set(["clients", "rules", "fees"]));
	const clientSection = root.requiredSection("clients");
	const clients = clientSection.names().map((name) => readClient(clientSection, name));
	for (const [at, { name, certificate, socket }] of clients.entries()) {
		const same = clients
			.slice(0, at)
			.find((other) => (certificate ? other.certificate === certificate : other.socket === socket));
		if (same)
			throw clientSection.refuse(name, `is known by the same as ${same.name}: nobody could tell them apart`);
	}
	if (clients.length > MAX_CLIENTS)
		throw root.refuse("clients", `has ${clients.length} clients, more than ${MAX_CLIENTS}`);
	const names = new Set(clients.map(({ name }) => name));
	// The file may not be completely written yet.
	if (!root.has("rules")) throw new ConfigError(`${path}: rules is missing; rules = [] allows nothing`);
	const fees = readFees(root.section("fees"));
	const sections = root.sections("rules");
	if (sections.length > MAX_RULES)
		throw root.refuse("rules", `has ${sections.length} rules, more than ${MAX_RULES}`);
	const rules = sections.map((section) => {
		const rule = readRule(section, names, keys);
		if (rule.messages && !rule.perDay.has(MESSAGES))
			throw section.refuse("day", `has no number of messages: write messages = 20, or ${NO_LIMIT}`);
		checkPaysFees(section, rule, fees);
		return rule;
	});
	const seen = new Set<string>();
	for (const { name } of rules) {
		if (seen.has(name))
			throw root.refuse("rules", `has two rules with the name ${name}, to which sums are counted`);
		seen.add(name);
	}
	return { sha256: createHash("sha256").update(text).digest("hex"), clients, rules, fees };
}

/** What authenticates a client; its name may later be given to another one. */
export const placeOf = ({ certificate, socket }: SignerClient): string => certificate ?? socket ?? "";

function refuseUnknown(section: Section, known: ReadonlySet<string>): void {
	const name = section.names().find((each) => !known.has(each));
	if (name !== undefined) throw section.refuse(name, `isn't one of ${[...known].join(", ")}`);
	refuseNothing(section);
}

/** Refuses null values: they count as absent, and an absent member may allow more than was intended. */
function refuseNothing(section: Section): void {
	const name = section.names().find((each) => !section.has(each));
	if (name !== undefined) throw section.refuse(name, "says nothing: leave it out, or write what it is");
}

function readClient(clients: Section, name: string): SignerClient {
	if (!NAME.test(name) || name.includes("."))
		throw clients.refuse(
			name,
			`isn't a name of a client: ${NAME_FORM}, _ or -, and the first a letter or a digit`,
		);
	const section = clients.section(name);
	refuseUnknown(section, CLIENT_MEMBERS);
	const socket = section.optionalText("socket");
	const certificate = section.optionalText("certificate")?.replaceAll(":", "").toLowerCase();
	if ((socket === undefined) === (certificate === undefined))
		throw clients.refuse(name, "needs a socket of its own, or the SHA-256 of its certificate");
	if (socket === "") throw section.refuse("socket", "is empty");
	if (certificate !== undefined && !/^[0-9a-f]{64}$/.test(certificate))
		throw section.refuse("certificate", "isn't a SHA-256: 64 hexadecimal digits, with or without colons");
	return { name, socket, certificate, isNode: section.boolean("node", false) };
}

function readFees(section: Section): Fees {
	const names = Object.keys(MAIN_NETWORK_FEES) as (keyof typeof MAIN_NETWORK_FEES)[];
	refuseUnknown(section, new Set([...names, "signatures"]));
	const price = (name: (typeof names)[number]): bigint => {
		const sun = readAmount(section, name, COIN_ASSET, `${MAIN_NETWORK_FEES[name]}sun`);
		if (sun === undefined) throw section.refuse(name, "has no upper bound: it must be an amount");
		return sun;
	};
	return {
		prices: Object.fromEntries(names.map((name) => [name, price(name)])) as Fees["prices"],
		signatures: section.intWithin("signatures", 1, 1, MAX_SIGNATURES),
	};
}

/** The network's fee for a contract type, in sun. */
export function feeOfType(type: ContractType, { prices }: Fees): bigint {
	const { fee: getter } = type as { readonly fee?: string };
	if (getter === undefined) return 0n;
	const name = getter.charAt(3).toLowerCase() + getter.slice(4);
	if (!Object.hasOwn(prices, name)) throw new Error(`no price is known of ${getter}`);
	return prices[name as keyof typeof prices];
}

/** Checks that a rule has a sum of coins, without which it would refuse everything with fees. @throws {ConfigError} */
function checkPaysFees(section: Section, { types, perTransaction, perDay }: PolicyRule, fees: Fees): void {
	const mayCost = (name: string): boolean => {
		const type = contractTypeByName(name);
		return fees.prices.transactionFee > 0n || (type !== undefined && feeOfType(type, fees) > 0n);
	};
	if (![...types].some(mayCost)) return;
	for (const [member, sums] of [
		["transaction", perTransaction],
		["day", perDay],
	] as const)
		if (!sums.has(COIN_ASSET))
			throw section.refuse(
				member,
				"has no sum of coin, as which the network's fees count: write coin = 10, for instance",
			);
}

function readRule(
	section: Section,
	clients: ReadonlySet<string>,
	keys: ReadonlyMap<string, string>,
): PolicyRule {
	const isOfMessages = section.has("messages");
	refuseUnknown(section, isOfMessages ? MESSAGE_RULE_MEMBERS : RULE_MEMBERS);
	const name = section.requiredText("name");
	if (!NAME.test(name))
		throw section.refuse(
			"name",
			`isn't a name of a rule: ${NAME_FORM}, a point, _ or -, and the first a letter or a digit`,
		);
	const each = <T>(member: string, read: (text: string) => T | undefined, what: string): ReadonlySet<T> =>
		new Set(
			section.texts(member).map((text) => {
				const value = read(text);
				if (value === undefined) throw section.refuse(member, `holds "${text}", which is not ${what}`);
				return value;
			}),
		);
	const some = <T>(member: string, read: (text: string) => T | undefined, what: string): ReadonlySet<T> => {
		const set = each(member, read, what);
		if (set.size === 0) throw section.refuse(member, `of the rule ${name} must name one at least`);
		return set;
	};
	const orAny = (member: string, read: (text: string) => string | undefined, what: string): Allowed => {
		const texts = section.texts(member);
		if (texts.length === 1 && texts[0] === ANY) return undefined;
		return each(member, read, what);
	};
	const unlessEmpty = <T>(member: string, read: (text: string) => T | undefined, what: string) =>
		section.has(member) ? some(member, read, what) : new Set<T>();
	const client = (text: string): string | undefined => (clients.has(text) ? text : undefined);
	const served = new Set(keys.values());
	const keyOf = (text: string): string | undefined => {
		const address = keys.get(text) ?? addressOf(text);
		return address !== undefined && served.has(address) ? address : undefined;
	};
	const own = some("keys", keyOf, "a key of this signer");
	const accounts = unlessEmpty("accounts", addressOf, "an address");
	const permissions = unlessEmpty(
		"permissions",
		(text) => (/^\d$/.test(text) ? Number(text) : undefined),
		"0 to 9",
	);
	return {
		name,
		keys: own,
		clients: some("clients", client, "one of the clients"),
		types: isOfMessages ? new Set() : some("types", typeOf, "a type that can be judged"),
		accounts: accounts.size > 0 ? accounts : own,
		permissions: permissions.size > 0 ? permissions : new Set([0]),
		contracts: orAny("contracts", addressOf, "an address"),
		functions: orAny(
			"functions",
			selectorOfText,
			"the signature of a function, such as pay(address,uint256)",
		),
		recipients: orAny("recipients", addressOf, "an address"),
		memos: orAny("memos", (text) => text, "a text"),
		feeLimitSun: readAmount(section, "feeLimit", COIN_ASSET, "0"),
		perTransaction: readSums(section, "transaction"),
		perDay: readSums(section, "day", isOfMessages ? MESSAGES : TRANSACTIONS),
		hours: [...unlessEmpty("hours", weekTimes, "hours such as mon-fri 08:00-18:00, in UTC")].flat(),
		approvers: unlessEmpty("approval", client, "one of the clients"),
		messages: isOfMessages ? readMessages(section.section("messages")) : undefined,
	};
}

function readMessages(section: Section): MessageRule {
	refuseUnknown(section, new Set(["texts", "prefixes", "typed"]));
	const [texts, prefixes] = [section.texts("texts"), section.texts("prefixes")];
	if (prefixes.includes("")) throw section.refuse("prefixes", "holds an empty text, with which all begin");
	const typed = section.sections("typed").map((each) => {
		refuseUnknown(each, new Set(["chainId", "contracts", "types"]));
		const chainId = each.requiredText("chainId");
		if (!/^\d{1,78}$/.test(chainId)) throw each.refuse("chainId", "isn't a whole number");
		const contracts = each.texts("contracts").map((text) => {
			const address = addressOf(text);
			if (address === undefined) throw each.refuse("contracts", `holds "${text}", which is not an address`);
			return address;
		});
		const types = each.texts("types");
		if (contracts.length === 0 || types.length === 0)
			throw each.refuse("chainId", "stands beside contracts and types, of each one at least");
		return { chainId: BigInt(chainId), contracts: new Set(contracts), types: new Set(types) };
	});
	if (texts.length + prefixes.length + typed.length === 0)
		throw section.refuse("texts", "must name one at least, or prefixes, or typed");
	return { texts: new Set(texts), prefixes, typed };
}

/** An address has a single Base58 text, so a valid one can be used as it is. */
const addressOf = (text: string): string | undefined => (parseAddress(text) ? text : undefined);

/** The full name of a supported type, which may be given without the suffix `Contract`. */
function typeOf(text: string): string | undefined {
	const type = contractTypeByName(text) ?? contractTypeByName(`${text}Contract`);
	return isBuildable(type) && !UNJUDGED.has(type.name) ? type.name : undefined;
}

function selectorOfText(text: string): string | undefined {
	const [, inputs] = /^[A-Za-z_$][\w$]*\((.*)\)$/.exec(text) ?? [];
	if (inputs === undefined) return undefined;
	// Tuple brackets only group; a type that is hashed in another spelling would select another function.
	const types = inputs === "" ? [] : inputs.replace(/[()]/g, "").split(",");
	const isType = (type: string): boolean => {
		const base = type.replace(/(\[\d*\])*$/, "");
		return base === "orcToken" || (isElementaryType(base) && base !== "uint" && base !== "int");
	};
	return types.every(isType) ? selectorOfSignature(spell(text, "deployed")) : undefined;
}

/** @param counted key of the sum that counts requests rather than amounts */
function readSums(section: Section, member: string, counted?: string): Sums {
	const sums = section.section(member);
	refuseNothing(sums);
	return new Map(
		sums.names().map((text) => {
			if (counted === MESSAGES && text !== counted) throw sums.refuse(text, `isn't ${counted}`);
			const isNamed = text === COIN_ASSET || text === counted;
			const asset = isNamed || /^[1-9]\d{0,18}$/.test(text) ? text : addressOf(text);
			if (asset === undefined)
				throw section.refuse(member, `holds "${text}": assets are coin, the id of a token, or its contract`);
			return [asset, readAmount(sums, text, asset)] as const;
		}),
	);
}

/** Reads a limit: coins as decimals or in sun, tokens in smallest units; undefined if unlimited. */
function readAmount(section: Section, member: string, asset: string, absent?: string): bigint | undefined {
	const text = absent === undefined ? section.requiredText(member) : (section.optionalText(member) ?? absent);
	if (text === NO_LIMIT) return undefined;
	const [, sun] = /^(\d{1,78})sun$/.exec(text) ?? [];
	if (sun !== undefined && asset === COIN_ASSET) return BigInt(sun);
	const [, whole, fraction = ""] = /^(\d{1,78})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
	if (whole === undefined || (asset !== COIN_ASSET && fraction !== ""))
		throw section.refuse(
			member,
			`is "${text}": write ${asset === COIN_ASSET ? "coins, such as 12.5 or 1000sun" : asset === TRANSACTIONS || asset === MESSAGES ? "a number" : "smallest units"}, or ${NO_LIMIT}`,
		);
	return asset === COIN_ASSET
		? BigInt(whole) * SUN_PER_COIN + BigInt(fraction.padEnd(6, "0"))
		: BigInt(whole);
}

/** Parses `mon-fri 08:00-18:00`, `sat`, `00:00-06:00`. */
function weekTimes(text: string): readonly WeekTime[] | undefined {
	const match = /^(?:([a-z]{3})(?:-([a-z]{3}))?)?(?:(?:^| )(\d\d:\d\d)-(\d\d:\d\d))?$/.exec(text);
	if (!match || text === "") return undefined;
	const [, first = DAYS[0], last = match[1] ?? DAYS[6], start = "00:00", end = "24:00"] = match;
	const [begin, until] = [DAYS.indexOf(first as string), DAYS.indexOf(last as string)];
	const [from, to] = [minutesOf(start), minutesOf(end)];
	if (begin < 0 || until < begin || !(from < to)) return undefined;
	return Array.from({ length: until - begin + 1 }, (_, index) => {
		const midnight = (begin + index) * DAY_MINUTES;
		return { from: midnight + from, to: midnight + to };
	});
}

/** Minutes of a day; NaN for an invalid time, for which all comparisons are false. */
function minutesOf(time: string): number {
	const [hours = 0, minutes = 0] = time.split(":").map(Number);
	const total = hours * 60 + minutes;
	return minutes < 60 && total <= DAY_MINUTES ? total : Number.NaN;
}
