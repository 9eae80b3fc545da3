/** What the network says to particular offences (protocol/peers §§4 to 8): each alone on a fresh connection. */

import {
	ApplicationType,
	encodeBlockChainInventory,
	encodeInventory,
	encodeSyncBlockChain,
	encodeTransactions,
	HelloMessage,
	helloBlockId,
	InventoryKind,
} from "../../../../src/node/network/wire/application-messages.js";
import {
	TransportType,
	withType,
	writeKeepAlive,
	writeStatus,
} from "../../../../src/node/network/wire/transport-messages.js";
import { concatBytes, fromHex, utf8 } from "../../../../src/protocol/bytes.js";
import { Inventory, TransportCompressed } from "../../../../src/protocol/messages.js";
import type { ModelChain } from "../../../simulation/model-chain.js";
import { NETWORK_ID } from "../../../simulation/simulated-node.js";
import { modelTransaction } from "../../../simulation/traffic.js";
import type { SimulatedWorld } from "../../../simulation/world.js";
import type { Attacker } from "./attacker.js";

export interface OffenceContext {
	readonly attacker: Attacker;
	readonly world: SimulatedWorld;
	readonly chain: ModelChain;
	readonly victimId: Uint8Array;
}

export interface Offence {
	readonly name: string;
	/** How far the connection has got: nothing was said, transport hello, application hello with an equal head. */
	readonly after: "nothing" | "transport" | "application";
	readonly commit: (context: OffenceContext) => void;
	/** What is heard last before the end; "open": the connection stays. */
	readonly answer: string;
	/** It is one only while witnesses vote, or only while they don't. */
	readonly whileVoting?: boolean;
}

const NOTHING_SAID = "closed";

export function helloOf(chain: ModelChain, nowMs: number): HelloMessage {
	return HelloMessage.create({
		version: NETWORK_ID,
		timestamp: BigInt(Math.trunc(nowMs)),
		genesisBlockId: helloBlockId(chain.genesis),
		solidBlockId: helloBlockId(chain.solid),
		headBlockId: helloBlockId(chain.head),
		codeVersion: utf8("4.8.0"),
	});
}

const wrapped = (type: number, data: Uint8Array) =>
	TransportCompressed.encode(TransportCompressed.create({ type, data }));
const says = (type: number, payload: (context: OffenceContext) => Uint8Array) => (context: OffenceContext) =>
	context.attacker.say(type, payload(context));
const hello = (change: (context: OffenceContext) => Partial<HelloMessage>) => (context: OffenceContext) =>
	context.attacker.say(
		ApplicationType.P2P_HELLO,
		HelloMessage.encode(Object.assign(helloOf(context.chain, context.world.now), change(context))),
	);
const anId = ({ world }: OffenceContext) => world.random.bytes(32);

export const OFFENCES: readonly Offence[] = [
	{
		name: "a frame of 5 MiB",
		after: "nothing",
		commit: ({ attacker }) => attacker.raw(fromHex("8080c002")),
		answer: "T-DISCONNECT BAD_MESSAGE",
	},
	{
		name: "a length of six bytes",
		after: "nothing",
		commit: ({ attacker }) => attacker.raw(fromHex("ffffffffff01")),
		answer: NOTHING_SAID,
	},
	{
		name: "a negative length",
		after: "nothing",
		commit: ({ attacker }) => attacker.raw(fromHex("ffffffff0f")),
		answer: NOTHING_SAID,
	},
	{
		name: "an empty frame",
		after: "nothing",
		commit: ({ attacker }) => attacker.raw(fromHex("00")),
		answer: "open",
	},
	{
		name: "an unknown transport type",
		after: "nothing",
		commit: ({ attacker }) => attacker.body(Uint8Array.of(0x90, 1)),
		answer: "T-DISCONNECT NO_SUCH_MESSAGE",
	},
	{
		name: "type 0x7f",
		after: "nothing",
		commit: ({ attacker }) => attacker.body(Uint8Array.of(0x7f)),
		answer: "T-DISCONNECT NO_SUCH_MESSAGE",
	},
	{
		name: "a PING from the future",
		after: "nothing",
		commit: ({ attacker, world }) => attacker.body(writeKeepAlive(TransportType.PING, world.now + 1_500)),
		answer: "T-DISCONNECT BAD_MESSAGE",
	},
	{
		name: "a PING before the hello",
		after: "nothing",
		commit: ({ attacker, world }) => attacker.body(writeKeepAlive(TransportType.PING, world.now)),
		answer: "T-PONG",
	},
	{
		name: "a hello of another network",
		after: "nothing",
		commit: ({ attacker }) => attacker.hello({ networkId: 1 }),
		answer: "T-HELLO DIFFERENT_VERSION",
	},
	{
		name: "a hello from nowhere",
		after: "nothing",
		commit: ({ attacker, world }) =>
			attacker.hello({ from: { ipv4: "", ipv6: "", port: 1, nodeId: world.random.bytes(64) } }),
		answer: "T-DISCONNECT BAD_MESSAGE",
	},
	{
		name: "a hello in the victim's name",
		after: "nothing",
		commit: ({ attacker, victimId }) =>
			attacker.hello({ from: { ipv4: "10.1.1.1", ipv6: "", port: 1, nodeId: victimId } }),
		answer: "T-DISCONNECT DUPLICATE_PEER",
	},
	{
		name: "a question for the status",
		after: "nothing",
		commit: ({ attacker, world }) => {
			const from = { ipv4: "10.1.1.1", ipv6: "", port: 1, nodeId: world.random.bytes(64) };
			attacker.body(
				writeStatus({
					from,
					networkId: 1,
					maxConnections: 1,
					currentConnections: 0,
					timestamp: BigInt(Math.trunc(world.now)),
				}),
			);
		},
		answer: "T-STATUS",
	},
	{
		name: "a second transport hello",
		after: "transport",
		commit: ({ attacker }) => {
			const body = attacker.helloBody();
			attacker.say(body[0] as number, body.subarray(1));
		},
		answer: "T-DISCONNECT DUP_HANDSHAKE",
	},
	{
		name: "a body without wrapper",
		after: "transport",
		commit: ({ attacker }) => attacker.body(withType(ApplicationType.P2P_PING, Uint8Array.of(0xc0))),
		answer: "T-DISCONNECT BAD_MESSAGE",
	},
	{
		name: "an empty wrapper",
		after: "transport",
		commit: ({ attacker }) => attacker.body(Uint8Array.of(0x08, 0)),
		answer: "T-DISCONNECT EMPTY_MESSAGE",
	},
	{
		name: "broken compression",
		after: "transport",
		commit: ({ attacker }) => attacker.body(wrapped(1, fromHex("28042200ffffff"))),
		answer: NOTHING_SAID,
	},
	{
		name: "compression of 5 MiB",
		after: "transport",
		commit: ({ attacker }) => attacker.body(wrapped(1, concatBytes(fromHex("8080c002"), new Uint8Array(50)))),
		answer: "T-DISCONNECT UNKNOWN",
	},
	{
		name: "an unknown application type",
		after: "transport",
		commit: says(0x40, () => new Uint8Array(3)),
		answer: "A-DISCONNECT NO_SUCH_MESSAGE",
	},
	{
		name: "a single transaction",
		after: "transport",
		commit: says(ApplicationType.TX, ({ world }) => modelTransaction(world.random, 1n).bytes),
		answer: "A-DISCONNECT NO_SUCH_MESSAGE",
	},
	{
		name: "a hello of another network below it",
		after: "transport",
		commit: hello(() => ({ version: 5 })),
		answer: "A-DISCONNECT INCOMPATIBLE_VERSION",
	},
	{
		name: "a hello of another chain",
		after: "transport",
		commit: hello((context) => ({ genesisBlockId: helloBlockId({ id: anId(context), number: 0n }) })),
		answer: "A-DISCONNECT INCOMPATIBLE_CHAIN",
	},
	{
		name: "a hello with another solidified block",
		after: "transport",
		commit: hello((context) => ({
			solidBlockId: helloBlockId({ id: anId(context), number: context.chain.solid.number }),
		})),
		answer: "A-DISCONNECT FORKED",
	},
	{
		name: "a hello without a head",
		after: "transport",
		commit: hello(() => ({ headBlockId: undefined })),
		answer: "A-DISCONNECT INCOMPATIBLE_PROTOCOL",
	},
	{
		name: "a hello that isn't one",
		after: "transport",
		commit: says(ApplicationType.P2P_HELLO, () => fromHex("ffff")),
		answer: "A-DISCONNECT UNKNOWN",
	},
	{
		name: "a second application hello",
		after: "application",
		commit: hello(() => ({})),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "an empty summary",
		after: "application",
		commit: says(ApplicationType.SYNC_BLOCK_CHAIN, () => encodeSyncBlockChain([])),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "a summary from elsewhere",
		after: "application",
		commit: says(ApplicationType.SYNC_BLOCK_CHAIN, (context) =>
			encodeSyncBlockChain([{ id: anId(context), number: 1n }]),
		),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "a list that was not asked for",
		after: "application",
		commit: says(ApplicationType.BLOCK_CHAIN_INVENTORY, ({ chain }) =>
			encodeBlockChainInventory({ ids: [chain.genesis], remain: 0n }),
		),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "a question for transactions that were not announced",
		after: "application",
		commit: says(ApplicationType.FETCH_INV_DATA, (context) =>
			encodeInventory(InventoryKind.TX, [anId(context)]),
		),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "a question for blocks without a list",
		after: "application",
		commit: says(ApplicationType.FETCH_INV_DATA, ({ chain }) =>
			encodeInventory(InventoryKind.BLOCK, [chain.genesis.id]),
		),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "an inventory of an unknown kind",
		after: "application",
		commit: says(ApplicationType.INVENTORY, (context) =>
			Inventory.encode(Inventory.create({ type: 5, ids: [anId(context)] })),
		),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "an inventory that names an item twice",
		after: "application",
		commit: says(ApplicationType.INVENTORY, (context) => {
			const id = anId(context);
			return encodeInventory(InventoryKind.TX, [id, id]);
		}),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "a summary of more than thirty blocks",
		after: "application",
		commit: says(ApplicationType.SYNC_BLOCK_CHAIN, ({ chain }) =>
			encodeSyncBlockChain(Array.from({ length: 31 }, () => chain.genesis)),
		),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "an inventory that isn't one",
		after: "application",
		commit: says(ApplicationType.INVENTORY, () => fromHex("12ff01")),
		answer: "A-DISCONNECT UNKNOWN",
	},
	{
		name: "a block that was not asked for",
		after: "application",
		commit: says(ApplicationType.BLOCK, ({ chain }) => chain.headBlock.bytes),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "a transaction that was not asked for",
		after: "application",
		commit: says(ApplicationType.TXS, ({ world }) =>
			encodeTransactions([modelTransaction(world.random, 1n)]),
		),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "a vote that isn't one",
		after: "application",
		commit: says(ApplicationType.PBFT_MSG, () => fromHex("ffff")),
		answer: "A-DISCONNECT BAD_PROTOCOL",
	},
	{
		name: "votes of a block that aren't any, as long as there are none",
		after: "application",
		commit: says(ApplicationType.PBFT_COMMIT_MSG, () => fromHex("ffff")),
		answer: "open",
		whileVoting: false,
	},
	{
		name: "an application ping",
		after: "application",
		commit: says(ApplicationType.P2P_PING, () => Uint8Array.of(0xc0)),
		answer: "A 23",
	},
];
