/** The node and its peers. */

import { isJson, type Json, objectOf, objectsOf, textOf } from "../../answer.js";
import { textOfHex } from "../../format.js";
import { type NodeClient, NodeError } from "../../node-client.js";
import { blockLink, facts, make, section, table } from "../elements.js";
import type { ViewMaker } from "../view.js";

const MAX_KNOWN = 500;

function peerState(peer: Json): string {
	if (peer["needSyncFromPeer"] === true) return "ahead of this node";
	return peer["needSyncFromUs"] === true ? "behind" : "in sync";
}

/** The latest state hash; undefined if the node doesn't track it. */
async function stateHash(client: NodeClient): Promise<HTMLElement | undefined> {
	try {
		const answer = await client.rpc("coin_getStateHash");
		if (!isJson(answer)) return undefined;
		const hash = make("span", { class: "mono" }, textOf(answer, "hash"));
		return make("span", {}, hash, " after block ", blockLink(textOf(answer, "block")));
	} catch (error) {
		if (!(error instanceof NodeError)) throw error;
		return undefined;
	}
}

export const peersView: ViewMaker = async ({ client }) => {
	const [info, nodes, hash] = await Promise.all([
		client.call("getnodeinfo"),
		client.call("listnodes"),
		stateHash(client),
	]);
	const machine = objectOf(info, "machineInfo");
	const peers = objectsOf(info, "peerList").map((peer) => [
		make("span", { class: "mono" }, textOf(peer, "host").replace(/^\//, "")),
		peer["active"] === true ? "dialed" : "accepted",
		`${Math.round(Number(textOf(peer, "avgLatency")))} ms`,
		make("span", { class: "mono" }, textOf(peer, "headBlockWeBothHave").replace(/^Num:|,ID.*$/g, "")),
		peerState(peer),
	]);
	const known = objectsOf(nodes, "nodes")
		.slice(0, MAX_KNOWN)
		.map((node) => {
			const address = objectOf(node, "address");
			return [make("span", { class: "mono" }, textOfHex(textOf(address, "host"))), textOf(address, "port")];
		});
	return {
		title: "Peers",
		body: [
			facts(
				["Release", textOf(objectOf(info, "configNodeInfo"), "codeVersion")],
				["Program runs on", textOf(machine, "javaVersion")],
				["Connections", textOf(info, "currentConnectCount") || "0"],
				["Begun by this node", textOf(info, "activeConnectCount") || "0"],
				[
					"Final block",
					textOf(info, "solidityBlock")
						.replace(/,ID.*$/, "")
						.replace("Num:", ""),
				],
				hash && ["Hash of the state", hash],
			),
			section(
				"Connected",
				table(
					"Connected",
					["Address", "", "Latency", "Common block", "State"],
					peers,
					"No peer is connected.",
				),
			),
			section("Known nodes", table("Known nodes", ["Address", "Port"], known, "It knows of none.")),
		],
	};
};
