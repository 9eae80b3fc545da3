/** Every endpoint of the HTTP servers, and the paths under which each server has it (protocol/http §§1.1 and 5). */

import { toDeployed } from "../../protocol/dialect.js";
import { isFrom, NEWEST_RELEASE, type Release } from "../rules/release.js";
import type { ServerKind } from "./context.js";
import type { Endpoint } from "./endpoint.js";
import { accountEndpoints } from "./endpoints/accounts.js";
import { blockEndpoints } from "./endpoints/blocks.js";
import { broadcastEndpoints } from "./endpoints/broadcast.js";
import { builderEndpoints } from "./endpoints/builders.js";
import { contractEndpoints } from "./endpoints/contracts.js";
import { delegationEndpoints } from "./endpoints/delegation.js";
import { deployContract } from "./endpoints/deployment.js";
import { exchangeEndpoints } from "./endpoints/exchanges.js";
import { governanceEndpoints } from "./endpoints/governance.js";
import { listNodes, networkEndpoints, nodeInfo, statsInfo } from "./endpoints/network.js";
import { shieldedEndpoints } from "./endpoints/shielded.js";
import { signingEndpoints } from "./endpoints/signing.js";
import { tokenEndpoints } from "./endpoints/tokens.js";
import { transactionEndpoints } from "./endpoints/transactions.js";

/** Endpoints grouped by subject, for documents. */
interface EndpointGroup {
	readonly title: string;
	readonly endpoints: readonly Endpoint[];
}

export const endpointGroups: readonly EndpointGroup[] = [
	{ title: "Accounts", endpoints: accountEndpoints },
	{ title: "Resources", endpoints: delegationEndpoints },
	{ title: "Blocks", endpoints: blockEndpoints },
	{ title: "Transactions", endpoints: [...transactionEndpoints, ...broadcastEndpoints, ...signingEndpoints] },
	{ title: "Network", endpoints: [...networkEndpoints, statsInfo] },
	{ title: "Super representatives and proposals", endpoints: governanceEndpoints },
	{ title: "Tokens", endpoints: tokenEndpoints },
	{ title: "Exchange and market", endpoints: exchangeEndpoints },
	{ title: "Contracts", endpoints: [deployContract, ...contractEndpoints] },
	{ title: "Building transactions", endpoints: builderEndpoints },
	{ title: "Shielded", endpoints: shieldedEndpoints },
];

/** Endpoints that at least one server has under its own folder. */
export const endpoints: readonly Endpoint[] = endpointGroups
	.flatMap((group) => group.endpoints)
	.filter((endpoint) => endpoint.servers.length > 0);

/** The path prefix of each server's endpoints. */
export const FOLDERS: Readonly<Record<ServerKind, string>> = {
	full: "/wallet",
	solidity: "/walletsolidity",
	pbft: "/walletpbft",
};

/** Paths outside a server's own folder. */
const EXTRA_PATHS: Readonly<Record<ServerKind, readonly (readonly [path: string, endpoint: Endpoint])[]>> = {
	full: [
		["/net/listnodes", listNodes],
		["/monitor/getstatsinfo", statsInfo],
		["/monitor/getnodeinfo", nodeInfo],
	],
	solidity: [["/wallet/getnodeinfo", nodeInfo]],
	pbft: [],
};

const LIMITED_ON: Readonly<Record<ServerKind, string>> = { full: "", solidity: "OnSolidity", pbft: "OnPBFT" };

/**
 * An endpoint's component name in `rate.limiter.http` (protocol/configuration §1.9), case-insensitive. All
 * paths of an endpoint share one limit.
 */
export function limitedName(endpoint: Endpoint, server: ServerKind): string {
	return `${endpoint.limitedAs}${LIMITED_ON[server]}Servlet`;
}

/** A server's endpoints in a release, by path, in both spellings of the brand words. */
export function routesOf(
	server: ServerKind,
	release: Release = NEWEST_RELEASE,
): ReadonlyMap<string, Endpoint> {
	const routes = new Map<string, Endpoint>(EXTRA_PATHS[server]);
	for (const endpoint of endpoints) {
		if (!endpoint.servers.includes(server) || !isFrom(release, endpoint.since)) continue;
		for (const name of [endpoint.name, toDeployed(endpoint.name)]) {
			routes.set(`${FOLDERS[server]}/${name}`, endpoint);
		}
	}
	return routes;
}
