/** The seven kinds of triggers, and what is sent of one (protocol/events §1). */

import { quoteEvent } from "../../../protocol/json/quoting.js";

/** What a topic may name (protocol/configuration §3). */
export const EVENT_KINDS = [
	"block",
	"transaction",
	"contractlog",
	"contractevent",
	"solidity",
	"solidityevent",
	"soliditylog",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Kinds that are known once blocks are solidified: nothing of them is ever taken back. */
export const SOLID_KINDS: readonly EventKind[] = [
	"block",
	"transaction",
	"solidity",
	"solidityevent",
	"soliditylog",
];

/** What is sent: the kind, the JSON text, and an id that is the same whenever the same thing is published. */
export interface EventMessage {
	readonly kind: EventKind;
	/** Unique among the messages of its kind. */
	readonly id: string;
	/** What the JSON says, as values. */
	readonly body: EventBody;
	readonly json: string;
}

const NAMES: Readonly<Record<EventKind, string>> = {
	block: "blockTrigger",
	transaction: "transactionTrigger",
	contractlog: "contractLogTrigger",
	contractevent: "contractEventTrigger",
	solidity: "solidityTrigger",
	solidityevent: "solidityEventTrigger",
	soliditylog: "solidityLogTrigger",
};

/** All names of {@link triggerName}. */
export const TRIGGER_NAMES: readonly string[] = Object.values(NAMES);

/** The kind as JSON and the native queue name it. */
export const triggerName = (kind: EventKind): string => NAMES[kind];

/** A trigger whose kind may still change: a log of a contract is published again once its block is solidified. */
export interface Trigger {
	readonly timestampMs: bigint;
	readonly id: string;
	/** The members after timeStamp and triggerName. */
	readonly members: EventBody;
}

/** @param members in place of those of the trigger */
export function eventMessage(kind: EventKind, trigger: Trigger, members: EventBody = {}): EventMessage {
	const head = { timeStamp: trigger.timestampMs, triggerName: triggerName(kind) };
	const body = { ...head, ...trigger.members, ...members };
	return { kind, id: trigger.id, body, json: eventJson(body) };
}

/** A value in the JSON of triggers: members in their order, integers of any length as numbers (protocol/events §3). */
export type EventValue =
	| string
	| boolean
	| number
	| bigint
	| null
	| readonly EventValue[]
	| { readonly [member: string]: EventValue };

export type EventBody = { readonly [member: string]: EventValue };

/** One trigger as text, without white space. */
function eventJson(value: EventValue): string {
	if (typeof value === "bigint") return value.toString();
	if (typeof value === "string") return quoteEvent(value);
	if (value === null || typeof value !== "object") return String(value);
	if (Array.isArray(value)) return `[${value.map(eventJson).join(",")}]`;
	const members = Object.entries(value as EventBody);
	return `{${members.map(([name, member]) => `${quoteEvent(name)}:${eventJson(member)}`).join(",")}}`;
}
