/** The node and its chain (protocol/json-rpc §6). */

import { type as systemName } from "node:os";
import { asBuffer } from "../../../../protocol/bytes.js";
import { spell } from "../../../../protocol/dialect.js";
import { keccak256 } from "../../../../protocol/hash.js";
import { NamedError } from "../../../../protocol/json/exceptions.js";
import { decodeHexText } from "../../../../protocol/json/hex-text.js";
import { SLOT_MS } from "../../../../protocol/timing.js";
import { headBlock } from "../../../chain/block-store.js";
import { activeWitnesses } from "../../../consensus/slots.js";
import { programOf } from "../../../rules/release.js";
import type { ApiNode } from "../../context.js";
import { rpcAnswersOf } from "../answers.js";
import { text } from "../declared-types.js";
import { defineMethod, type RpcContext, type RpcMethod, type RpcValue } from "../method.js";
import { internal, invalidParams } from "../rpc-error.js";
import { data, quantity } from "../values.js";

/** The last four bytes of the genesis block's id. */
function chainId({ rules }: ApiNode): string {
	return data(rules.genesisId.subarray(-4));
}

/** `COIN/v<release>/<system>/<runtime><version>`. */
function clientVersion({ node, style }: RpcContext): string {
	const { release } = node.config.node;
	const [major = "0", minor = "0"] = process.versions.node.split(".");
	const runtime = rpcAnswersOf({ release }).runtime(major, minor);
	return spell(`COIN/v${programOf(node.config.node).version}/${systemName()}/Node${runtime}`, style.dialect);
}

/** The answer of `eth_syncing`. */
export function syncing({ node, state }: RpcContext): RpcValue {
	if (node.network.peers().length === 0) return false;
	const { headNumber, headTimestampMs } = state.properties;
	const depth = node.view("full").properties.headNumber - node.oldestRevertible;
	const behind = Math.max(0, Math.floor((node.nowMs() - Number(headTimestampMs)) / Number(SLOT_MS)));
	return {
		startingBlock: quantity(headNumber - depth),
		currentBlock: quantity(headNumber),
		highestBlock: quantity(headNumber + BigInt(behind)),
	};
}

function sha3(input: string | null): string {
	try {
		return data(keccak256(decodeHexText(input)));
	} catch (error) {
		if (error instanceof NamedError) throw invalidParams("invalid input value");
		throw error;
	}
}

export const nodeMethods: readonly RpcMethod[] = [
	defineMethod({
		name: "web3_clientVersion",
		about: "Name and release of this program, its system and its runtime.",
		parameters: [],
		handle: clientVersion,
	}),
	defineMethod({
		name: "web3_sha3",
		about: "Keccak-256 of bytes.",
		parameters: [["data", text]],
		handle: (_, input) => sha3(input),
	}),
	defineMethod({
		name: "net_version",
		about: "The chain's id.",
		parameters: [],
		handle: ({ node }) => chainId(node),
	}),
	defineMethod({
		name: "net_listening",
		about: "Whether this node has connected to a peer.",
		parameters: [],
		handle: ({ node }) => node.network.peers().some((peer) => peer.outgoing),
	}),
	defineMethod({
		name: "net_peerCount",
		about: "How many peers are connected.",
		parameters: [],
		handle: ({ node }) => quantity(node.network.peers().length),
	}),
	defineMethod({
		name: "eth_chainId",
		about: "The chain's id: the last four bytes of its genesis block's id.",
		parameters: [],
		handle: ({ node }) => chainId(node),
	}),
	defineMethod({
		name: "eth_protocolVersion",
		about: "Version in the header of the head block.",
		parameters: [],
		handle: ({ state }) => quantity(headBlock(state)?.raw.version ?? 0),
	}),
	defineMethod({
		name: "eth_syncing",
		about: "How far this node has followed the chain; false without peers.",
		parameters: [],
		handle: syncing,
	}),
	defineMethod({
		name: "eth_gasPrice",
		about: "Price of energy in sun.",
		parameters: [],
		handle: ({ state }) => quantity(state.properties.get("ENERGY_FEE")),
	}),
	defineMethod({
		name: "eth_accounts",
		about: "An empty list: the node holds no users' keys.",
		parameters: [],
		handle: () => [],
	}),
	defineMethod({
		name: "eth_coinbase",
		about: "Address of the first of this node's keys that belongs to a super representative.",
		parameters: [],
		handle: ({ producerAddresses, state }) => {
			const address = producerAddresses().find((own) => state.witness.has(own));
			if (!address) throw internal("etherbase must be explicitly specified");
			return data(address);
		},
	}),
	defineMethod({
		name: "eth_mining",
		about: "Whether one of this node's keys belongs to an active super representative.",
		parameters: [],
		handle: ({ producerAddresses, state }) => {
			const active = activeWitnesses(state);
			return producerAddresses().some((own) => active.some((witness) => asBuffer(own).equals(witness)));
		},
	}),
	defineMethod({
		name: "eth_hashrate",
		about: "0: the network has no proof of work.",
		parameters: [],
		handle: () => "0x0",
	}),
	defineMethod({
		name: "eth_getWork",
		about: "The head block's id; the network has no proof of work.",
		parameters: [],
		handle: ({ state }) => [data(state.properties.headId), null, null],
	}),
];
