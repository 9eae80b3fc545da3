/** Proposals, and the parameters that they change, with earlier values. */

import { toNeutral } from "../../../protocol/dialect.js";
import { addressText } from "../../address-text.js";
import { type Json, objectsOf, textOf, textsOf, wholeOf } from "../../answer.js";
import { age, grouped } from "../../format.js";
import { changesOf, type ParameterName, parameterHistory, valueText } from "../../network-facts.js";
import { NodeError } from "../../node-client.js";
import {
	addressLink,
	badge,
	type Child,
	facts,
	link,
	make,
	note,
	section,
	table,
	time,
} from "../elements.js";
import type { ViewMaker } from "../view.js";

function changeText(known: readonly ParameterName[], parameter: string, value: bigint): string {
	const name = known.find(({ id }) => id === parameter)?.name ?? `parameter ${parameter}`;
	return `${name} = ${valueText(name, value)}`;
}

function stateBadge(state: string): HTMLElement {
	return badge(state, state === "APPROVED" ? "good" : state === "PENDING" ? "plain" : "bad");
}

export const proposalsView: ViewMaker = async ({ client, nowMs, facts: asked }) => {
	const [answer, { parameters: known }] = await Promise.all([client.call("listproposals"), asked()]);
	const rows = objectsOf(answer, "proposals").map((proposal): Child[] => {
		const id = textOf(proposal, "proposal_id");
		const endMs = Number(wholeOf(proposal, "expiration_time"));
		return [
			link(`proposal/${id}`, id),
			changesOf(proposal).map(({ parameter, value }) => make("div", {}, changeText(known, parameter, value))),
			addressLink(textOf(proposal, "proposer_address"), false),
			grouped(textsOf(proposal, "approvals").length),
			stateBadge(textOf(proposal, "state") || "PENDING"),
			[time(endMs), `, ${age(endMs, nowMs())}`],
		];
	});
	return {
		title: "Proposals",
		body: [
			note("Witnesses change the chain's ", link("parameters", "parameters"), " by them."),
			table(
				"Proposals",
				["", "Changes", "By", "Approvals", "State", "Ends"],
				rows,
				"Nobody has proposed anything.",
			),
		],
	};
};

export const proposalView: ViewMaker = async ({ client, nowMs, facts: asked }, id) => {
	const [answer, { parameters: known }] = await Promise.all([client.call("listproposals"), asked()]);
	const proposal = objectsOf(answer, "proposals").find((each) => textOf(each, "proposal_id") === id);
	if (!proposal) throw new NodeError("there is no such proposal", 404);
	const endMs = Number(wholeOf(proposal, "expiration_time"));
	const rows = changesOf(proposal).map(({ parameter, value }): Child[] => {
		const about = known.find((each) => each.id === parameter)?.about ?? "";
		return [parameter, changeText(known, parameter, value), about];
	});
	const approvals = textsOf(proposal, "approvals");
	return {
		title: `Proposal ${id}`,
		body: [
			facts(
				["State", stateBadge(textOf(proposal, "state") || "PENDING")],
				["By", addressLink(textOf(proposal, "proposer_address"))],
				["Made", time(Number(wholeOf(proposal, "create_time")))],
				["Ends", [time(endMs), `, ${age(endMs, nowMs())}`]],
			),
			section("Changes", table("Changes", ["Number", "Value", "What it does"], rows)),
			section(
				"Approvals",
				table(
					"Approvals",
					["Witness"],
					approvals.map((address) => [
						link(`witness/${addressText(address) ?? ""}`, addressText(address) ?? address),
					]),
					"No witness has approved it.",
				),
			),
		],
	};
};

export const parametersView: ViewMaker = async ({ client, facts: asked }) => {
	const [answer, proposals, { parameters: known }] = await Promise.all([
		client.call("getchainparameters"),
		client.call("listproposals").catch((): Json => ({})),
		asked(),
	]);
	const history = parameterHistory(objectsOf(proposals, "proposals"));
	const rows = objectsOf(answer, "chainParameter").map((parameter): Child[] => {
		const getter = textOf(parameter, "key");
		const found = known.find((each) => each.getter === toNeutral(getter));
		const past = (history.get(found?.id ?? "none") ?? []).map(({ value, atMs, proposal }) =>
			make(
				"div",
				{},
				`${grouped(value)} since `,
				time(atMs),
				" by ",
				make("span", { class: "inline" }, link(`proposal/${proposal}`, `proposal ${proposal}`)),
			),
		);
		return [
			found?.id ?? "",
			[
				make("span", { class: "mono" }, getter.replace(/^get/, "")),
				make("div", { class: "note" }, found?.about ?? ""),
			],
			valueText(found?.name ?? "", wholeOf(parameter, "value")),
			past.length > 0 ? past : "",
		];
	});
	return {
		title: "Parameters",
		body: table("Parameters", ["Number", "Name", "Value", "Changed by proposals"], rows),
	};
};
