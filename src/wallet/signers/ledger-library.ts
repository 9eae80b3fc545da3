/**
 * Loads the vendor's libraries. USB access needs native code that few users want, so none of it is installed with the program.
 * When a device is named, the libraries are looked up beside the program and among npm's global packages, but never in the
 * working directory.
 */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Failure } from "../failure.js";
import type { ConnectLedger, LedgerApp } from "./ledger.js";

export const APP_LIBRARY = "@ledgerhq/hw-app-trx";
export const TRANSPORT_LIBRARY = "@ledgerhq/hw-transport-node-hid-noevents";

/** A connection to a device, as the vendor's libraries pass it to each other. */
interface Transport {
	close(): Promise<void>;
}

interface TransportLibrary {
	readonly default: { open(path: string): Promise<Transport> };
}

interface AppLibrary {
	readonly default: new (transport: Transport) => LedgerApp;
}

/** Finds and loads a library. */
type LoadLibrary = (name: string) => unknown;

const requireLibrary = createRequire(import.meta.url);

/** The directories of npm's global packages. */
function globalDirectories(environment: NodeJS.ProcessEnv): string[] {
	const { npm_config_prefix: prefix, APPDATA } = environment;
	return [
		join(dirname(process.execPath), "..", "lib", "node_modules"),
		"/usr/local/lib/node_modules",
		...(prefix ? [join(prefix, "lib", "node_modules")] : []),
		...(APPDATA ? [join(APPDATA, "npm", "node_modules")] : []),
	];
}

function loadInstalled(name: string): unknown {
	let path: string;
	try {
		path = requireLibrary.resolve(name);
	} catch {
		path = requireLibrary.resolve(name, { paths: globalDirectories(process.env) });
	}
	return requireLibrary(path);
}

/**
 * Loads the libraries.
 * @throws {Failure} `signer_unavailable` with what to install
 */
export function ledgerConnector(load: LoadLibrary = loadInstalled): ConnectLedger {
	const transports = loaded(load, TRANSPORT_LIBRARY) as TransportLibrary;
	const apps = loaded(load, APP_LIBRARY) as AppLibrary;
	return async () => {
		// An empty path opens the first device found.
		const transport = await transports.default.open("");
		return { app: new apps.default(transport), close: () => transport.close() };
	};
}

function loaded(load: LoadLibrary, name: string): unknown {
	try {
		return load(name);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		const install = `npm install --global ${TRANSPORT_LIBRARY} ${APP_LIBRARY}`;
		if (code === "MODULE_NOT_FOUND")
			throw new Failure("signer_unavailable", `the device's library ${name} is not installed`, {
				retry: "changed",
				hint: `${install} installs it; NODE_PATH names another place`,
			});
		throw new Failure("signer_unavailable", `the device's library ${name} can't be loaded: ${message}`, {
			retry: "changed",
			hint: `${install} installs it anew`,
		});
	}
}
