/**
 * Known contract ABIs, and logs decoded as their events. Whoever deploys a contract also writes its ABI, so
 * both the part of an ABI that is read and the size of a decoded log are bounded.
 */

import { USUAL_LIMITS } from "../../../abi/codec.js";
import { type DecodedEvent, decodeEvent, type LogData } from "../../../abi/log.js";
import {
	type AbiItem,
	type AbiParameter,
	type ContractInterface,
	isElementaryType,
} from "../../../abi/parameter.js";
import { addressInWord, IMPLEMENTATION_SELECTOR, minimalTarget, PROXY_SLOTS } from "../../../abi/proxy.js";
import { topicOf } from "../../../abi/selector.js";
import { isSmallEntry, MAX_ENTRIES } from "../../../abi/stored-interface.js";
import { addressFromHash } from "../../../protocol/address.js";
import { fromHex, fromKey, toHex, toKey, utf8 } from "../../../protocol/bytes.js";
import { keccak256 } from "../../../protocol/hash.js";
import type { SmartContractABI } from "../../../protocol/messages.js";
import type { ContractSources } from "../../history/contract-sources.js";
import type { StateView } from "../../state/view.js";
import { readSlot } from "../../vm/storage-keys.js";
import { wordFromBytes } from "../../vm/word.js";
import type { ApiNode } from "../context.js";
import { askOnHead, type CallingNode } from "./contract-calls.js";
import { storedInterfaceOf } from "./contracts.js";

/** Maximum events read per ABI. */
const MAX_EVENTS = 300;
/** Maximum log data in bytes. */
const MAX_DATA = 32 << 10;
/** Energy for querying a beacon, which reads one slot but is outside code. */
const BEACON_ENERGY = 20_000n;
/** Maximum beacon calls for one answer, or for the notifications of one block. */
const MAX_BEACONS = 20;
/** Cached beacon results. */
const MAX_KEPT_ANSWERS = 10_000;
const LIMITS = { ...USUAL_LIMITS, slack: 16 << 10 };

/**
 * Matches the types in ABIs; the chain's ABIs don't have tuple members. Arrays have at least one element, and few dimensions.
 */
const TYPE = /^([A-Za-z]+[0-9]{0,3})((?:\[(?:[1-9][0-9]{0,3})?\]){0,4})$/;

/** An ABI from the chain, or from stored sources, which include tuple members. */
export type KnownInterface = Readonly<SmartContractABI> | ContractInterface;

/** What a node needs besides the state to read ABIs: its stored sources, and an executor for calling beacons. */
export interface InterfaceNode extends CallingNode, Pick<ApiNode, "isFork"> {
	readonly config: { readonly vm: Pick<ApiNode["config"]["vm"], "supportConstant"> };
	readonly sources?: Pick<ContractSources, "itemsOf"> | undefined;
}

/** Lookups shared by one answer, or by the notifications of one block. */
export class Implementations {
	/** Implementation contracts, 21 bytes, by proxy key; undefined if it is no known proxy. */
	readonly of = new Map<string, Uint8Array | undefined>();
	beaconsLeft = MAX_BEACONS;
}

/** Results of beacon calls at one head, by beacon address. */
interface BeaconAnswers {
	readonly headId: string;
	readonly of: Map<string, string | undefined>;
}

/** By machine, which all servers of a chain share. */
const beaconAnswers = new WeakMap<object, BeaconAnswers>();

/** ABIs of a contract, then of its implementation: stored sources first, since the chain's record loses tuple members. */
export function* knownInterfaces(
	node: InterfaceNode,
	state: StateView,
	contract: Uint8Array,
	behind = new Implementations(),
): Generator<KnownInterface> {
	function* own(address: Uint8Array): Generator<KnownInterface> {
		for (const abi of [node.sources?.itemsOf(address), state.abi.get(address)]) if (abi) yield abi;
	}
	yield* own(contract);
	const key = toKey(contract);
	if (!behind.of.has(key)) behind.of.set(key, implementationOf(node, state, contract, behind));
	const implementation = behind.of.get(key);
	if (implementation) yield* own(implementation);
}

/** The implementation behind a proxy; undefined if it is no known proxy. */
function implementationOf(
	node: InterfaceNode,
	state: StateView,
	address: Uint8Array,
	behind: Implementations,
): Uint8Array | undefined {
	const contract = state.contract.get(address);
	if (!contract) return undefined;
	const storing = { address, creationId: contract.trx_hash, version: contract.version };
	const inSlot = (slot: string): string | undefined => {
		const value = readSlot(state, storing, wordFromBytes(fromHex(slot.slice(2))));
		return value && addressInWord(`0x${toHex(value)}`);
	};
	const code = state.code.get(address)?.subarray(0, 64) ?? new Uint8Array();
	const found =
		minimalTarget(toHex(code)) ??
		inSlot(PROXY_SLOTS.implementation) ??
		behindBeacon(node, state, inSlot(PROXY_SLOTS.beacon), behind) ??
		inSlot(PROXY_SLOTS.proxiable);
	return found === undefined ? undefined : addressFromHash(fromHex(found));
}

function behindBeacon(
	node: InterfaceNode,
	state: StateView,
	beacon: string | undefined,
	behind: Implementations,
): string | undefined {
	// On a fork, each entry that its code reads may block the process on a request.
	if (beacon === undefined || node.isFork || !node.config.vm.supportConstant) return undefined;
	const headId = toKey(state.properties.headId);
	let known = beaconAnswers.get(node.machine);
	// The owner of a development chain edits its state between two blocks.
	const isEdited = node.rules.development !== undefined;
	if (known?.headId !== headId || known.of.size >= MAX_KEPT_ANSWERS || isEdited) {
		known = { headId, of: new Map() };
		beaconAnswers.set(node.machine, known);
	}
	if (known.of.has(beacon)) return known.of.get(beacon);
	if (behind.beaconsLeft === 0) return undefined;
	behind.beaconsLeft--;
	const asked = fromHex(IMPLEMENTATION_SELECTOR);
	const { output: answer } = askOnHead(node, state, addressFromHash(fromHex(beacon)), asked, BEACON_ENERGY);
	const implementation = answer && addressInWord(`0x${toHex(answer)}`);
	known.of.set(beacon, implementation);
	return implementation;
}

const byTopic = new WeakMap<KnownInterface, ReadonlyMap<string, AbiItem>>();

/** A log's event, and the decoded log; undefined if it doesn't decode. */
interface StoredEvent {
	readonly item: AbiItem;
	readonly decoded: DecodedEvent | undefined;
}

/** @returns undefined if no interface knows the log's event, or nothing is read of it */
export function readStoredEvent(abis: Iterable<KnownInterface>, log: LogData): StoredEvent | undefined {
	const [topic] = log.topics;
	if (!topic) return undefined;
	for (const abi of abis) {
		const item = eventsOf(abi).get(toKey(topic));
		if (item)
			return { item, decoded: log.data.length <= MAX_DATA ? decodeEvent(item, log, LIMITS) : undefined };
	}
	return undefined;
}

/** Topics of the events with a name, or of a single signature such as `Transfer(address,address,uint256)`. */
export function eventTopics(abis: Iterable<KnownInterface>, name: string): readonly Uint8Array[] {
	if (name.includes("(")) return [keccak256(utf8(name))];
	const named = [...abis].flatMap((abi) => [...eventsOf(abi)].filter(([, item]) => item.name === name));
	return [...new Set(named.map(([topic]) => topic))].map(fromKey);
}

/** The events to read, by topic; the first of several with the same topic wins. */
function eventsOf(abi: KnownInterface): ReadonlyMap<string, AbiItem> {
	let events = byTopic.get(abi);
	if (!events) {
		events = new Map(
			("entrys" in abi ? storedInterfaceOf(abi, MAX_ENTRIES) : abi.slice(0, MAX_ENTRIES))
				.filter(isReadable)
				.slice(0, MAX_EVENTS)
				.reverse()
				.map((item) => [toKey(topicOf(item)), item]),
		);
		byTopic.set(abi, events);
	}
	return events;
}

function isReadable(item: AbiItem): boolean {
	return item.kind === "event" && !item.anonymous && isSmallEntry(item) && item.inputs.every(isReadableType);
}

function isReadableType({ type, components }: AbiParameter): boolean {
	const base = TYPE.exec(type)?.[1];
	if (base === "tuple") return components?.every(isReadableType) ?? false;
	return base !== undefined && isElementaryType(base);
}
