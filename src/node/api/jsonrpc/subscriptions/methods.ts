/** Subscribing over a persistent connection (protocol/json-rpc §15.1). Elsewhere these methods don't exist. */

import { addressPrefix } from "../../../../protocol/address.js";
import { concatBytes } from "../../../../protocol/bytes.js";
import { readersOf } from "../answers.js";
import { anyValue, flag, list, record, text } from "../declared-types.js";
import { isRawArray, type RawArray, type RawValue } from "../json-reader.js";
import { lenientTopics } from "../lenient/parameters.js";
import { readLogFilter } from "../log-filter.js";
import type { RpcContext, RpcMethod } from "../method.js";
import { invalidParams, notAvailable } from "../rpc-error.js";
import type { Notification, Subscriber, Topic } from "./hub.js";

const conditions = record({ address: anyValue, topics: list, fromBlock: text, toBlock: text });
const accounts = record({ addresses: anyValue });

const anyTopics = (topics: RawArray | null): RawArray | null => topics && (lenientTopics(topics) as RawArray);

type Reader = (context: RpcContext, options: RawValue) => Topic;

function readConditions(kind: "logs" | "events"): Reader {
	return (context, options) => {
		const { release, jsonrpc } = context.node.config.node;
		const { address, topics } = conditions.read(options, release) ?? {};
		const limits = { maxAddresses: jsonrpc.maxAddresses, maxSubTopics: jsonrpc.maxSubTopics };
		const filter = {
			...(address === undefined ? {} : { address }),
			...(topics === undefined ? {} : { topics: jsonrpc.lenient ? anyTopics(topics) : topics }),
		};
		return { kind, conditions: readLogFilter(context.state, filter, limits, readersOf(context)) };
	};
}

function readAccounts(context: RpcContext, options: RawValue): Topic {
	const { node } = context;
	const given = accounts.read(options, node.config.node.release)?.addresses ?? null;
	const most = node.config.node.jsonrpc.maxAddresses;
	const named = isRawArray(given) ? given : [given];
	if (most > 0 && named.length > most) throw invalidParams(`exceed max addresses: ${most}`);
	const { filterAddress } = readersOf(context);
	const prefix = Uint8Array.of(addressPrefix());
	const addresses = named.map((value, i) =>
		concatBytes(prefix, filterAddress(value, `invalid address at index ${i}`)),
	);
	return { kind: "accounts", addresses };
}

const TOPICS: Readonly<Record<Notification, Readonly<Record<string, Reader>>>> = {
	eth_subscription: {
		newHeads: () => ({ kind: "heads" }),
		logs: readConditions("logs"),
		newPendingTransactions: ({ node }, whole) => ({
			kind: "pending",
			whole: flag.read(whole, node.config.node.release) ?? false,
		}),
		syncing: () => ({ kind: "syncing" }),
	},
	coin_subscription: {
		solidBlocks: () => ({ kind: "solidBlocks" }),
		accounts: readAccounts,
		events: readConditions("events"),
	},
};

function subscriberOf(context: RpcContext, name: string): Subscriber {
	if (!context.subscriber) throw notAvailable(name);
	return context.subscriber;
}

function subscribe(name: string, notification: Notification, about: string): RpcMethod {
	const kinds = TOPICS[notification];
	return {
		name,
		alias: undefined,
		about: `${about} (${Object.keys(kinds).join(", ")}), over a WebSocket alone; answers the subscription's id.`,
		parameters: [
			{ name: "kind", type: "string" },
			{ name: "options", type: "any" },
		],
		least: 1,
		needsSubscriber: true,
		call: (context, [kind = null, options = null]) => {
			const subscriber = subscriberOf(context, name);
			const read = typeof kind === "string" && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
			if (!read) throw invalidParams(`no subscription of this kind: ${Object.keys(kinds).join(", ")}`);
			return subscriber.add(notification, read(context, options));
		},
	};
}

function unsubscribe(name: string): RpcMethod {
	return {
		name,
		alias: undefined,
		about: "Ends a subscription; false if there is none of this id.",
		parameters: [{ name: "subscription", type: "string" }],
		needsSubscriber: true,
		call: (context, [id = null]) => subscriberOf(context, name).remove(typeof id === "string" ? id : ""),
	};
}

export const subscriptionMethods: readonly RpcMethod[] = [
	subscribe("eth_subscribe", "eth_subscription", "Tells what happens on the chain"),
	unsubscribe("eth_unsubscribe"),
	subscribe("coin_subscribe", "coin_subscription", "Tells what this network has beside"),
	unsubscribe("coin_unsubscribe"),
];
