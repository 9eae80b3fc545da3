/** Witnesses, proposals, parameters, peers: the tables of the network. */

import { objectOf, objectsOf, textOf, whole, wholeOf } from "../../answer.js";
import { age, grouped, textOfHex } from "../../format.js";
import { addressLink, badge, blockLink, facts, make, note, section, table, time } from "../elements.js";
import type { ViewMaker } from "../view.js";

export const witnessesView: ViewMaker = async ({ client }) => {
	const witnesses = objectsOf(await client.call("listwitnesses"), "witnesses");
	const sorted = [...witnesses].sort((a, b) => (wholeOf(b, "voteCount") > wholeOf(a, "voteCount") ? 1 : -1));
	const rows = sorted.map((witness, index) => [
		String(index + 1),
		addressLink(textOf(witness, "address"), false),
		// Its owner wrote this: it isn't a link.
		textOf(witness, "url"),
		grouped(wholeOf(witness, "voteCount")),
		grouped(wholeOf(witness, "totalProduced")),
		grouped(wholeOf(witness, "totalMissed")),
		blockLink(wholeOf(witness, "latestBlockNum")),
		witness["isJobs"] === true ? badge("active", "good") : "",
	]);
	return {
		title: "Witnesses",
		body: table(
			"Witnesses",
			["", "Account", "Says of itself", "Votes", "Produced", "Missed", "Last block", ""],
			rows,
		),
	};
};

export const proposalsView: ViewMaker = async ({ client, nowMs }) => {
	const [answer, parameters] = await Promise.all([
		client.call("listproposals"),
		client.call("getchainparameters"),
	]);
	const known = objectsOf(parameters, "chainParameter").length;
	const rows = objectsOf(answer, "proposals").map((proposal) => {
		const changes = objectsOf(proposal, "parameters").map(
			(each) => `parameter ${textOf(each, "key") || "0"} = ${grouped(whole(each["value"]))}`,
		);
		const endMs = Number(wholeOf(proposal, "expiration_time"));
		const approvals = proposal["approvals"];
		return [
			textOf(proposal, "proposal_id"),
			changes.join(", "),
			addressLink(textOf(proposal, "proposer_address"), false),
			grouped(Array.isArray(approvals) ? approvals.length : 0),
			badge(textOf(proposal, "state") || "PENDING"),
			[time(endMs), `, ${age(endMs, nowMs())}`],
		];
	});
	return {
		title: "Proposals",
		body: [
			note(`They change the chain's ${grouped(known)} parameters.`),
			table(
				"Proposals",
				["", "Changes", "By", "Approvals", "State", "Ends"],
				rows,
				"Nobody has proposed anything.",
			),
		],
	};
};

export const parametersView: ViewMaker = async ({ client }) => {
	const answer = await client.call("getchainparameters");
	const rows = objectsOf(answer, "chainParameter").map((parameter) => [
		make("span", { class: "mono" }, textOf(parameter, "key").replace(/^get/, "")),
		grouped(wholeOf(parameter, "value")),
	]);
	return { title: "Parameters", body: table("Parameters", ["Name", "Value"], rows) };
};

export const peersView: ViewMaker = async ({ client }) => {
	const [info, nodes] = await Promise.all([client.call("getnodeinfo"), client.call("listnodes")]);
	const machine = objectOf(info, "machineInfo");
	const peers = objectsOf(info, "peerList").map((peer) => [
		make("span", { class: "mono" }, textOf(peer, "host").replace(/^\//, "")),
		peer["active"] === true ? "dialed" : "accepted",
		`${Math.round(Number(textOf(peer, "avgLatency")))} ms`,
		peer["needSyncFromPeer"] === true
			? "ahead of this node"
			: peer["needSyncFromUs"] === true
				? "behind"
				: "in sync",
	]);
	const known = objectsOf(nodes, "nodes")
		.slice(0, 500)
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
			),
			section(
				"Connected",
				table("Connected", ["Address", "", "Latency", "State"], peers, "No peer is connected."),
			),
			section("Known nodes", table("Known nodes", ["Address", "Port"], known, "It knows of none.")),
		],
	};
};
