/** Which services each server has, with every method under both spellings of its name (protocol/grpc §1.1). */

import { toDeployed } from "../../../protocol/dialect.js";
import { services } from "../../../protocol/generated/services.js";
import type { NodeConfig } from "../../config/config.js";
import type { Release } from "../../rules/release.js";
import { answersOf } from "../answers.js";
import type { ServerKind } from "../context.js";
import { observed } from "../observer.js";
import { type Handlers, type ServiceMethod, type ServiceName, unimplemented } from "./method.js";
import { database } from "./services/blocks.js";
import { monitor } from "./services/network.js";
import { wallet } from "./services/wallet.js";

/** The package of all services. */
export const PACKAGE = "protocol";

/** The handlers are the same; only the state they read differs. */
const walletSolidity: Handlers<"WalletSolidity"> = wallet;

const walletPbft: Handlers<"WalletSolidity"> = {
	...wallet,
	GetTransactionInfoByBlockNum: unimplemented,
	GetPaginatedNowWitnessList: unimplemented,
};

/** A service offered by a server. */
export interface GrpcService {
	readonly name: ServiceName;
	/** Methods by neutral name. */
	readonly methods: ReadonlyMap<string, ServiceMethod>;
}

/** The services of a server for the node's configuration. */
export function servicesOf(server: ServerKind, config: NodeConfig): readonly GrpcService[] {
	const { release } = config.node;
	switch (server) {
		case "full":
			return [
				service("Wallet", wallet, release),
				service("Database", database, release),
				...(config.node.metrics.enabled ? [service("Monitor", monitor, release)] : []),
			];
		case "solidity":
			return [service("WalletSolidity", walletSolidity, release), service("Database", database, release)];
		case "pbft":
			return [service("WalletSolidity", walletPbft, release), service("Database", database, release)];
	}
}

/** Whether a release has a method of the schema. */
export function isOffered(method: string, release: Release): boolean {
	return !answersOf({ release }).lacking.has(method);
}

/** Only methods that are in both the schema's service and the release; the handler table may hold more. */
function service<S extends ServiceName>(name: S, handlers: Handlers<S>, release: Release): GrpcService {
	const methods = new Map<string, ServiceMethod>();
	for (const [method, { request, response }] of Object.entries(services[name])) {
		if (!isOffered(method, release)) continue;
		const handle = handlers[method as keyof Handlers<S>] as ServiceMethod["handle"];
		const endpoint = method.toLowerCase();
		methods.set(method, {
			request,
			response,
			handle: (context, message) => observed(context.node.observer, endpoint, () => handle(context, message)),
		});
	}
	return { name, methods };
}

/** `protocol.Wallet/GetAccount` */
export function fullName(service: GrpcService, method: string): string {
	return `${PACKAGE}.${service.name}/${method}`;
}

/** A name in both spellings; a single entry if they are the same. */
export function spellings(name: string): ReadonlySet<string> {
	return new Set([name, toDeployed(name)]);
}
