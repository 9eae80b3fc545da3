/** The seven kinds of triggers and their messages (protocol/events §1). */

import { quoteEvent } from "../../../protocol/json/quoting.js";

/** Values of a topic's trigger name (protocol/configuration §3). */
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

/** Kinds published once blocks are solidified; they are never retracted. */
export const SOLID_KINDS: readonly EventKind[] = [
	"block",
	"transaction",
	"solidity",
	"solidityevent",
	"soliditylog",
];

/** A message to publish. */
export interface EventMessage {
	readonly kind: EventKind;
	/** Unique within its kind, and the same whenever the same trigger is published. */
	readonly id: string;
	/** The JSON as values. */
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

/** All values of {@link triggerName}. */
export const TRIGGER_NAMES: readonly string[] = Object.values(NAMES);

/** The kind's name in JSON and in the native queue. */
export const triggerName = (kind: EventKind): string => NAMES[kind];

/** A trigger that may be published as several kinds: contract logs are sent again once solidified. */
export interface Trigger {
	readonly timestampMs: bigint;
	readonly id: string;
	/** Members after timeStamp and triggerName. */
	readonly members: EventBody;
}

/** @param members override those of the trigger */
export function eventMessage(kind: EventKind, trigger: Trigger, members: EventBody = {}): EventMessage {
	const head = { timeStamp: trigger.timestampMs, triggerName: triggerName(kind) };
	const body = { ...head, ...trigger.members, ...members };
	return { kind, id: trigger.id, body, json: eventJson(body) };
}

/** A JSON value of triggers: members keep their order, any integer is a number (protocol/events §3). */
export type EventValue =
	| string
	| boolean
	| number
	| bigint
	| null
	| readonly EventValue[]
	| { readonly [member: string]: EventValue };

export type EventBody = { readonly [member: string]: EventValue };

/** Compact JSON. */
function eventJson(value: EventValue): string {
	if (typeof value === "bigint") return value.toString();
	if (typeof value === "string") return quoteEvent(value);
	if (value === null || typeof value !== "object") return String(value);
	if (Array.isArray(value)) return `[${value.map(eventJson).join(",")}]`;
	const members = Object.entries(value as EventBody);
	return `{${members.map(([name, member]) => `${quoteEvent(name)}:${eventJson(member)}`).join(",")}}`;
}
